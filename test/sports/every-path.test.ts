import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simulatedEnvironment } from '../../demo/simulator.js'
import type { HostName } from '../../sim/server/fault-order.js'
import { openSimulator, type Simulator } from '../../sim/simulator.js'
import { Universe } from '../../sim/universe/universe.js'
import { loadConfig } from '../../src/config/config.js'
import { JumpingTiming } from '../jumping-timing.js'
import { createTestApp } from '../test-app.js'
import { SHAPES } from './shapes.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
const HOUR_MS = 3_600_000
/** Older than any copy is served without asking again, and younger than the oldest. */
const OLD_MS = 1.5 * HOUR_MS
/** Between two requests: the limits of searches are per second, and none is tested here. */
const STEP_MS = 5_000

/** Every path of sports, online search and social, as the specification has them. */
type Path = keyof typeof SHAPES
type Asked = { path: Path; route: string; url: string }

let simulator: Simulator
let asked: Asked[]
beforeAll(async () => {
  const universe = new Universe({ seed: 5, startMs: START_MS, hasGames: true })
  universe.advance(START_MS + HOUR_MS / 2)
  simulator = await openSimulator(universe)
  asked = listAsked(universe)
})
afterAll(() => simulator.close())

function listAsked(universe: Universe): Asked[] {
  const game = universe.games().find(({ startMs }) => startMs > universe.nowMs)
  if (game === undefined) throw new Error('no game is to come')
  const event = universe.catalogue.events().find(({ slug }) => slug === game.slug)
  const league = game.league.code
  const names = [
    ['{slug}', game.slug],
    ['by-event/{event_id}', `by-event/${event?.id}`],
    ['by-market/{market_id}', `by-market/${event?.markets.at(-1)?.id}`],
  ] as const
  const context = '/context?sources=social,online&max_queries=1&include_state=True'
  const ofGame = names.flatMap(([name, value]) =>
    [
      ['game', '', ''],
      ['state', '/state', '/state?include_history=True&history_limit_tokens=2'],
      ['prices', '/prices', '/prices'],
      ['history', '/history', '/history?interval=1d&limit_tokens=3'],
      ['context', '/context', context],
    ].map(([path, suffix, ending]) => ({
      path: path as Path,
      route: `/v2/sports/games/${name}${suffix}`,
      url: `/v2/sports/games/${value}${ending}`,
    })),
  )
  const plain = (path: Path, route: string, url = route) => ({ path, route, url })
  return [
    plain('leagues', '/v2/sports/leagues'),
    plain('summary', '/v2/sports/summary'),
    plain('live', '/v2/sports/live'),
    plain('teams', '/v2/sports/leagues/{league}/teams', `/v2/sports/leagues/${league}/teams`),
    plain('games', '/v2/sports/leagues/{league}/games', `/v2/sports/leagues/${league}/games`),
    plain('series', '/v2/sports/series'),
    plain('oneSeries', '/v2/sports/series/{id}', `/v2/sports/series/${event?.series?.id}`),
    plain('marketTypes', '/v2/sports/market-types'),
    plain('search', '/v2/sports/search', `/v2/sports/search?q=${game.home.name}`),
    ...ofGame,
    plain('online', '/v2/search/online', '/v2/search/online?q=injury'),
    plain('posts', '/v2/social/search', '/v2/social/search?q=injury'),
    plain('timeline', '/v2/social/user/{handle}/tweets', '/v2/social/user/CourtsideNews/tweets'),
  ]
}

/** The service with nothing read yet. */
async function openService() {
  const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
  const t = await createTestApp({ config, timing: new JumpingTiming() })
  t.clock.set(simulator.universe.nowMs)
  const { key } = await t.createCaller('enterprise')
  const get = (url: string) => {
    t.clock.advance(STEP_MS)
    return t.app.inject({ url, headers: { 'x-api-key': key } })
  }
  const close = async () => {
    await t.ctx.upstreams.close()
    await t.close()
  }
  return { ...t, get, close }
}

type Service = Awaited<ReturnType<typeof openService>>

async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const service = await openService()
  try {
    await work(service)
  } finally {
    simulator.faults.set({ upstream: '*', mode: 'off' })
    await service.close()
  }
}

const faultsOf = (path: Path, body: unknown): string[] => {
  const shape: TSchema = SHAPES[path]
  return [...Value.Errors(shape, body)].map(({ instancePath, message }) => `${instancePath} ${message}`)
}

type Answer = Asked & { status: number; body: Record<string, unknown> }

/** All answers, in the order of the table. */
async function askAll({ get }: Service, paths?: readonly Path[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const each of asked) {
    if (paths?.includes(each.path) === false) continue
    const reply = await get(each.url)
    answers.push({ ...each, status: reply.statusCode, body: reply.json() })
  }
  return answers
}

/** What matters of answers, as lines that are easy to compare. */
const seen = (answers: readonly Answer[]): string[] =>
  answers.map(({ path, url, status, body }) => {
    if (status !== 200) return `${url}: ${status}`
    const flags = ['fallback', 'stale'].filter((flag) => body[flag] === true)
    return [`${url}: 200`, ...flags, ...faultsOf(path, body)].join(', ')
  })

const expected = (answers: readonly Answer[], outcomeOf: (path: Path) => string): string[] =>
  answers.map(({ path, url }) => `${url}: ${outcomeOf(path)}`)

const GAME_PATHS: readonly Path[] = ['game', 'state', 'prices', 'history']
const LISTS: readonly Path[] = ['leagues', 'teams', 'games', 'series', 'oneSeries', 'marketTypes', 'search']
/** The catalogue, or a table of our own, stands in for these lists of Gamma. */
const STOOD_IN: readonly Path[] = ['summary', 'live', 'search']

describe('with all upstreams', () => {
  test('every path has an answer of the right shape, without flags', () =>
    withService(async (service) => {
      const answers = await askAll(service)
      expect(seen(answers)).toEqual(expected(answers, () => '200'))
    }))

  test('the table has every path of these families', () =>
    withService(async ({ app }) => {
      const { paths } = (await app.inject('/openapi.json')).json()
      const served = Object.keys(paths).filter((path) => /^\/v2\/(sports|search|social)\//.test(path))
      expect(asked.map(({ route }) => route).toSorted()).toEqual(served.toSorted())
    }))
})

/** What becomes of the paths that an outage can touch, when nothing was read before, and when it was. */
type Outage = {
  upstreams: readonly HostName[]
  mode: '500' | 'drop'
  paths?: readonly Path[]
  cold: (path: Path) => string
  warm: (path: Path) => string
}

const OUTAGES: readonly Outage[] = [
  {
    upstreams: ['gamma'],
    mode: '500',
    paths: [...LISTS, 'summary', 'live', ...GAME_PATHS, 'context'],
    cold: (path) => (['marketTypes', 'search'].includes(path) ? '200, fallback' : '502'),
    warm: (path) => (STOOD_IN.includes(path) ? '200, fallback' : '200, stale'),
  },
  {
    upstreams: ['clob'],
    mode: '500',
    paths: [...GAME_PATHS, 'context'],
    cold: (path) => {
      if (path === 'history') return '502'
      return ['state', 'prices'].includes(path) ? '200, fallback' : '200'
    },
    warm: (path) => {
      if (path === 'state') return '200, fallback, stale'
      if (path === 'history') return '200, stale'
      return path === 'prices' ? '200, fallback' : '200'
    },
  },
  {
    upstreams: ['clob_ws', 'sports_ws'],
    mode: 'drop',
    paths: [...GAME_PATHS],
    cold: () => '200',
    warm: () => '200',
  },
  {
    upstreams: ['searxng'],
    mode: '500',
    paths: ['online', 'context'],
    cold: (path) => (path === 'online' ? '502' : '200'),
    warm: () => '200',
  },
  {
    upstreams: ['x_api'],
    mode: '500',
    paths: ['posts', 'timeline', 'context'],
    cold: (path) => (path === 'context' ? '200' : '502'),
    warm: (path) => (path === 'context' ? '200' : '502'),
  },
]

describe.each(OUTAGES)('while $upstreams is off', ({ upstreams, mode, paths, cold, warm }) => {
  const switchOff = () => {
    for (const upstream of upstreams) simulator.faults.set({ upstream, mode })
  }

  test('and nothing was read before: 502 only where nothing can stand in', () =>
    withService(async (service) => {
      switchOff()
      const answers = await askAll(service, paths)
      expect(seen(answers)).toEqual(expected(answers, cold))
    }))

  test('and everything was read before: copies say that they are', () =>
    withService(async (service) => {
      await askAll(service, paths)
      service.clock.advance(OLD_MS)
      switchOff()
      const answers = await askAll(service, paths)
      expect(seen(answers)).toEqual(expected(answers, warm))
    }))
})

test.each(['garbage', 'truncated', '429', 'drop'] as const)(
  'upstreams that answer with %s: never a 500',
  (mode) =>
    withService(async (service) => {
      for (const upstream of ['gamma', 'clob', 'searxng', 'x_api'] as const) {
        simulator.faults.set({ upstream, mode })
      }
      const answers = await askAll(service, ['leagues', 'games', 'game', 'state', 'online', 'posts'])
      expect(seen(answers)).toEqual(expected(answers, () => '502'))
    }),
)
