import fc from 'fast-check'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { Bus } from '../bus/bus.js'
import { parseScoreFrame, type ScoreMessage } from '../upstreams/sports-ws/parse.js'
import { LiveScores } from './live-scores.js'

const HOUR_MS = 3_600_000
const SLUG = 'nba-atl-bos-2026-11-15'

function open(gamesMax?: number) {
  const clock = new ManualClock()
  const scoreBus = new Bus({ clock, log: pino({ level: 'silent' }) })
  const scores = new LiveScores({ scoreBus, clock, registry: new Registry(), gamesMax })
  const say = (fields: object) => {
    const frame = parseScoreFrame(JSON.stringify({ leagueAbbreviation: 'nba', ...fields }))
    if (frame?.kind === 'scores') for (const score of frame.scores) scores.accept(score)
  }
  const published = () => scoreBus.replay({ afterSeq: 0 }).map(({ data }) => data)
  return { clock, scoreBus, scores, say, published }
}

const LIVE = { live: true, ended: false, status: 'InProgress' }

test('a change is published once, with names that the message leaves out', () => {
  const { clock, scores, say, published, scoreBus } = open()
  say({ gameId: 7, slug: SLUG, homeTeam: 'BOS', awayTeam: 'ATL', ...LIVE, score: '2-0', turn: 'a' })
  clock.advance(1_000)
  say({ metadataGameId: '7', ...LIVE, score: '2-3' })
  expect(published().map(({ slug, score, turn }) => [slug, score, turn])).toEqual([
    [SLUG, '2-0', 'a'],
    [SLUG, '2-3', undefined],
  ])
  expect(scores.get(SLUG)).toMatchObject({ homeTeam: 'BOS', receivedAtMs: clock.now() })
  expect(JSON.parse(scoreBus.replay({ afterSeq: 0 })[1]?.text ?? '')).toEqual({
    type: 'score_update',
    source: 'polymarket_sports',
    received_at: clock.now(),
    timestamp: clock.now(),
    seq: expect.any(Number),
    data: {
      event_type: 'score_update',
      game_id: '7',
      slug: SLUG,
      league: 'nba',
      home_team: 'BOS',
      away_team: 'ATL',
      status: 'InProgress',
      score: '2-3',
      period: null,
      elapsed: null,
      live: true,
      ended: false,
    },
  })
})

test('a repetition publishes nothing, but renews the time of the last message', () => {
  const { clock, scores, say, published } = open()
  say({ gameId: 7, slug: SLUG, ...LIVE, score: '2-0' })
  const changedAtMs = clock.now()
  clock.advance(5_000)
  say({ gameId: 7, slug: SLUG, ...LIVE, score: '2-0' })
  expect(published()).toHaveLength(1)
  expect(scores.get(SLUG)).toMatchObject({ changedAtMs, receivedAtMs: changedAtMs + 5_000 })
})

test('a message with an older time is dropped; one without a time is taken', () => {
  const { say, published } = open()
  say({ gameId: 7, ...LIVE, score: '2-0', last_update: '2026-11-15T12:00:10Z' })
  say({ gameId: 7, ...LIVE, score: '1-0', last_update: '2026-11-15T12:00:09Z' })
  say({ gameId: 7, ...LIVE, score: '3-0' })
  expect(published().map(({ score }) => score)).toEqual(['2-0', '3-0'])
})

describe('games without a slug', () => {
  test('are published without it, and again when it is found', async () => {
    const { scores, say, published } = open()
    say({ gameId: 7, ...LIVE, score: '2-0' })
    expect(scores.get(SLUG)).toBeUndefined()
    const ids: string[] = []
    const find = async (id: string) => {
      ids.push(id)
      return SLUG
    }
    await scores.nameGames(find)
    await scores.nameGames(find)
    expect(ids).toEqual(['7'])
    expect(published().map(({ slug }) => slug)).toEqual([null, SLUG])
    expect(scores.get(SLUG)).toMatchObject({ score: '2-0' })
  })

  test('are looked up a few at a time, and after a while again when they were not found', async () => {
    const { clock, scores, say } = open()
    for (let gameId = 1; gameId <= 12; gameId++) say({ gameId, ...LIVE })
    const ids: string[] = []
    const find = async (id: string) => {
      ids.push(id)
      return undefined
    }
    await scores.nameGames(find)
    expect(ids).toHaveLength(10)
    await scores.nameGames(find)
    await scores.nameGames(find)
    expect(ids).toHaveLength(12)
    clock.advance(10 * 60_000)
    await scores.nameGames(find)
    expect(ids).toHaveLength(22)
  })

  test('a lookup that fails is made again', async () => {
    const { scores, say } = open()
    say({ gameId: 7, ...LIVE })
    const fails = () => scores.nameGames(() => Promise.reject(new Error('no answer')))
    await expect(fails()).rejects.toThrow('no answer')
    await scores.nameGames(async () => SLUG)
    expect(scores.get(SLUG)).toBeDefined()
  })
})

test('another game under the slug of an earlier one replaces it', () => {
  const { scores, say } = open()
  say({ gameId: 7, slug: SLUG, ended: true, score: '2-0' })
  say({ gameId: 8, slug: SLUG, ...LIVE, score: '0-0' })
  expect(scores.get(SLUG)).toMatchObject({ gameId: '8', score: '0-0' })
  expect(scores.status.games).toBe(2)
})

test('a game that gets another slug leaves nothing under the first one', () => {
  const { clock, scores, say } = open()
  say({ gameId: 7, slug: 'first', ...LIVE, score: '0-0' })
  say({ gameId: 7, slug: SLUG, ...LIVE, score: '1-0' })
  expect([scores.get('first'), scores.get(SLUG)?.score]).toEqual([undefined, '1-0'])
  clock.advance(25 * HOUR_MS)
  say({ gameId: 8, ...LIVE })
  expect(scores.get(SLUG)).toBeUndefined()
})

test('a time that lies far ahead does not hold back what follows', () => {
  const { say, published } = open()
  say({ gameId: 7, ...LIVE, score: '1-0', last_update: '2099-01-01T00:00:00Z' })
  say({ gameId: 7, ...LIVE, score: '2-0', last_update: '2026-11-15T12:00:00Z' })
  expect(published().map(({ score }) => score)).toEqual(['1-0', '2-0'])
})

describe('what is kept', () => {
  test('live games are those that are played and had a message within the hour', () => {
    const { clock, scores, say } = open()
    say({ gameId: 1, ...LIVE, score: '1-0' })
    say({ gameId: 2, live: false, ended: true, score: '5-0' })
    say({ gameId: 3, live: false, ended: false, status: 'Scheduled' })
    expect(scores.liveEvents().map(({ data }) => data.game_id)).toEqual(['1'])
    expect(scores.status).toMatchObject({ games: 3, live: 1 })
    clock.advance(HOUR_MS + 1)
    expect(scores.liveEvents()).toEqual([])
    expect(scores.hasLiveGames).toBe(false)
  })

  test('ended games leave after six hours, others after a day', () => {
    const { clock, scores, say } = open()
    say({ gameId: 1, slug: 'ended', ended: true })
    say({ gameId: 2, slug: 'quiet', live: false, ended: false })
    const pass = (ms: number) => {
      clock.advance(ms)
      say({ gameId: 3, slug: 'other' })
    }
    pass(6 * HOUR_MS + 1)
    expect([scores.get('ended'), scores.get('quiet')?.gameId]).toEqual([undefined, '2'])
    pass(18 * HOUR_MS)
    expect(scores.get('quiet')).toBeUndefined()
  })

  test('over the bound the game with the oldest last message leaves', () => {
    const { scores, say } = open(2)
    for (const gameId of [1, 2, 1, 3]) say({ gameId, slug: `game-${gameId}` })
    expect([1, 2, 3].map((id) => scores.get(`game-${id}`)?.gameId)).toEqual(['1', undefined, '3'])
    expect(scores.status.games).toBe(2)
  })
})

const messages: fc.Arbitrary<Partial<ScoreMessage> & object> = fc.record(
  {
    gameId: fc.nat(3),
    score: fc.constantFrom('0-0', '1-0', '1-1'),
    live: fc.boolean(),
    last_update: fc.nat(5).map((sec) => new Date(Date.UTC(2026, 10, 15) + sec * 1_000).toISOString()),
  },
  { requiredKeys: ['gameId'] },
) as never

test('whatever comes, no game repeats itself, and the last message of each is what is known of it', () => {
  fc.assert(
    fc.property(fc.array(messages, { maxLength: 30 }), (all) => {
      const { scores, say, scoreBus } = open()
      for (const message of all) say({ ...message, slug: `game-${message.gameId}` })
      const last = new Map<unknown, string>()
      for (const { data } of scoreBus.replay({ afterSeq: 0 })) {
        const text = JSON.stringify(data)
        expect(last.get(data.slug)).not.toBe(text)
        last.set(data.slug, text)
      }
      for (const [slug, text] of last) {
        const { score, live } = scores.get(String(slug)) ?? {}
        expect(JSON.parse(text)).toMatchObject({ score: score ?? null, live: live ?? null })
      }
    }),
  )
})
