import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUCKETS } from '../src/accounts/buckets.js'
import { DEFAULT_PLANS, PLAN_IDS, type Plan } from '../src/accounts/plans.js'
import { SETTING_NAMES } from '../src/config/config.js'
import type { Setting } from '../src/config/setting.js'
import { SETTINGS } from '../src/config/settings.js'
import { MESSAGES, PRESETS } from '../src/events/registry.js'
import { TOOLS } from '../src/mcp/tools.js'
import { CLOSE } from '../src/stream/connection.js'
import { UNSUPPORTED } from '../src/unsupported/routes.js'
import { JumpingTiming } from './jumping-timing.js'
import { createTestApp, type TestApp } from './test-app.js'

/** What the pages name is compared with what the code has. */

const ROOT = resolve(import.meta.dirname, '..')
const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGES = [
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
].filter((path) => path.endsWith('.md'))

const find = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
]
/** The cells of every row of the tables of a page that begins so. */
const rowsOf = (text: string, first: RegExp): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/ \|/)
        .map((cell) => cell.trim()),
    )
    .filter(([cell = '']) => first.test(cell))

type Operation = { method: string; path: string; security: object[] }

let t: TestApp
let operations: Operation[]
beforeAll(async () => {
  // Upstreams that refuse every connection: only what the service itself says matters here.
  const nowhere = SETTING_NAMES.filter(
    (name) => /Url$/.test(name) && !/^(public|upgrade|database|redis)/.test(name),
  )
  const config = Object.fromEntries(
    nowhere.map((name) => [name, `${/ws/i.test(name) ? 'ws' : 'http'}://127.0.0.1:9`]),
  )
  t = await createTestApp({ config, timing: new JumpingTiming() })
  const { paths, security: usual } = (await t.app.inject('/openapi.json')).json()
  operations = Object.entries<Record<string, { security?: object[] }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = usual }]) => ({ method, path, security })),
  )
})
afterAll(() => t.close())

describe('docs/configuration.md', () => {
  const page = readPage('docs/configuration.md')
  const settings = SETTING_NAMES.map((name): Setting<unknown> => SETTINGS[name])

  test('the table has every setting with its flag, in the order of the code', () => {
    const rows = rowsOf(page, /^`(AUSPEX_\w+|PORT|DATABASE_URL|DATABASE_READ_URLS|REDIS_URL)`$/)
    expect(rows.map(([env, flag]) => [env, flag])).toEqual(
      settings.map(({ env, flag }) => [`\`${env}\``, flag === undefined ? '–' : `\`--${flag}\``]),
    )
  })

  test('defaults that are plain values are those of the code', () => {
    const shown = new Map(rowsOf(page, /^`/).map(([env = '', , value = '']) => [env, value]))
    for (const { env, fallback } of settings) {
      const value = shown.get(`\`${env}\``) ?? ''
      const [, plain] = /^`([^`]+)`$/.exec(value) ?? []
      // `.auspex in the working folder`, numbers that depend on the machine and the like are words.
      if (plain === undefined) continue
      const given = fallback()
      const text = typeof given === 'boolean' ? (given ? 'on' : 'off') : String(given)
      expect(`${env} ${plain}`).toBe(`${env} ${text}`)
    }
  })

  test('what `auspex config` prints has every setting', () => {
    const printed = find(page, /^(AUSPEX_\w+|PORT|DATABASE_URL|DATABASE_READ_URLS|REDIS_URL) {2,}/gm)
    expect(printed).toEqual(settings.map(({ env }) => env))
  })
})

test.each(PAGES)('%s names settings that exist', (path) => {
  const known = SETTING_NAMES.map((name) => SETTINGS[name].env)
  // What commands and tests read that are no service.
  const others = [
    'KEY',
    'URL',
    'TEST_LONG',
    'TEST_CITUS_URL',
    'TAKE_EXAMPLES',
    'WRITE_TABLES',
    'WEBHOOK_SECRET',
    'CAHCE_MB',
  ].map((name) => `AUSPEX_${name}`)
  const named = find(readPage(path), /\b(AUSPEX_[A-Z0-9_]*[A-Z0-9])\b(?!_)/g)
  expect(named.filter((name) => ![...known, ...others].includes(name))).toEqual([])
})

describe('paths', () => {
  const shape = (path: string) => path.replaceAll(/\{[^}]*\}|\$\w+|:\w+|<\w+>/g, '{}')
  /** Of upstreams, examples of what does not exist, and routes that a how-to adds. */
  const FOREIGN = /^docs\/(upstreams|simulator|decisions)\.md$/
  const ABSENT = ['/v3/portfolio', '/v1/plan', '/v2/tags', '/v3/wallets/{}/transfers']

  test.each(PAGES.filter((path) => !FOREIGN.test(path)))('of %s exist', (page) => {
    const unsupported = UNSUPPORTED.flatMap(({ paths }) => paths)
    const known = [...operations.map(({ path }) => path), ...unsupported].map(shape)
    const named = find(readPage(page), /(?<![\w/.-])(\/v[123]\/[\w{}/:$<>-]*[\w}>])/g)
    const unknown = named.filter((path) => {
      const exists = known.some((each) => matches(each, path))
      return !exists && !ABSENT.includes(shape(path))
    })
    expect(unknown).toEqual([])
  })

  /** A path with values in it, or the beginning of some. */
  function matches(known: string, path: string): boolean {
    const parts = known.split('/')
    return shape(path)
      .split('/')
      .every((part, index) => parts[index] === '{}' || parts[index] === part)
  }

  test('every operation is in the table of docs/api.md', () => {
    const cells = rowsOf(readPage('docs/api.md'), /^`(GET|POST|PUT|DELETE)/).map(([cell]) => cell)
    const listed = new Set(cells.flatMap((cell = '') => expandCell(cell).map(shape)))
    const missing = operations.map(({ path }) => path).filter((path) => !listed.has(shape(path)))
    // Games have these by their event and by one of their markets too: one row says so.
    expect(missing.filter((path) => !/\/by-(event|market)\//.test(path))).toEqual([])
  })

  /** `/v3/a/{id}/b`, `/c`: what does not begin with the version stands behind a beginning of what does. */
  function expandCell(cell: string): string[] {
    const named = find(cell, /(\/[\w{}/-]+)/g)
    const whole = named.filter((path) => /^\/v\d/.test(path))
    const heads = whole.flatMap((path) =>
      path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/')),
    )
    return [...named, ...named.flatMap((path) => heads.map((head) => head + path))]
  }
})

test('the buckets of docs/accounts-and-plans.md are those that requests are charged to', async () => {
  const page = readPage('docs/accounts-and-plans.md')
  expect(rowsOf(page, /^`(\w+)`$/).map(([name]) => name)).toEqual(
    expect.arrayContaining(Object.keys(BUCKETS).map((name) => `\`${name}\``)),
  )
  const rows = rowsOf(page, /^`\/v\d/).map(([paths = '', buckets = '']) => ({
    paths: find(paths, /`([^`]+)`/g),
    buckets: find(buckets, /`([a-z_0-9]+)`/g),
  }))
  // The last row that names the path is the one for it.
  const namedFor = (path: string) =>
    rows.findLast(({ paths }) =>
      paths.some((each) => each === path || (each.endsWith('*') && path.startsWith(each.slice(0, -1)))),
    )?.buckets
  const { key } = await t.createCaller('enterprise')
  // The first key is the one that asks, and would be revoked.
  const values: Record<string, string> = { '{address}': `0x${'1'.repeat(40)}`, '{id}': '999' }
  const different: string[] = []
  for (const { method, path, security } of operations) {
    if (security.length === 0) continue
    const url = path.replaceAll(/\{[^}]*\}/g, (name) => values[name] ?? '1')
    const reply = await t.app.inject({
      method: method as 'GET',
      url,
      headers: { 'x-api-key': key },
    })
    const charged = find(String(reply.headers['ratelimit-policy']), /"?(\w+)"?;q=/g)
    const said = namedFor(path) ?? []
    if (charged.join() !== said.join()) different.push(`${path}: ${charged} (docs: ${said})`)
  }
  expect(different).toEqual([])
})

test('the table of plans has the numbers of the code', () => {
  const page = readPage('docs/accounts-and-plans.md')
  const GRANTS: [label: RegExp, of: (plan: Plan) => number | boolean | null][] = [
    [/^Price per month/, (plan) => plan.priceUsdPerMonth],
    [/^API keys$/, (plan) => plan.keysMax],
    [/^General REST requests/, (plan) => plan.restPerMinute],
    [/^V3 requests/, (plan) => plan.v3PerMinute],
    [/^Heavy V3 requests/, (plan) => plan.v3HeavyPerMinute],
    [/^Units of work per second/, (plan) => plan.workPerSecond],
    [/^Large answers/, (plan) => plan.largeAnswersMax],
    [/^Rows per page of condition/, (plan) => plan.conditionPositionsPageMax],
    [/^Bulk trade export/, (plan) => plan.tradeExport],
    [/^Wallets in the copy-pnl pool/, (plan) => plan.copyPnlPoolMax],
    [/^Social requests/, (plan) => plan.socialPerMonth],
    [/^Event WebSocket connections/, (plan) => plan.eventSocketsMax],
    [/^Order book WebSocket connections/, (plan) => plan.orderbookSocketsMax],
    [/^Firehose connections/, (plan) => plan.firehosesMax],
    [/^Replays at the same time/, (plan) => plan.replaysMax],
    [/^Hours of a replay/, (plan) => plan.replayHoursMax],
    [/^Filter items/, (plan) => plan.filterItemsMax],
    [/^WebSocket time per day/, (plan) => plan.socketSecondsPerDay],
    [/^`snapshot_count`$/, (plan) => plan.snapshotCountMax],
    [/^`since` lookback/, (plan) => plan.sinceLookbackMs / 1000],
    [/^Webhooks$/, (plan) => plan.webhooksMax],
    [/^Webhook deliveries/, (plan) => plan.webhookDeliveriesPerDay],
    [/^Included API requests/, (plan) => plan.requestsPerMonth],
    [/^Included market WebSocket/, (plan) => plan.marketBytesPerMonth],
    [/^Included on-chain WebSocket/, (plan) => plan.onchainBytesPerMonth],
  ]
  for (const [label, of] of GRANTS) {
    const [row = []] = rowsOf(page, label)
    expect([label, row.slice(1).map(readGrant)]).toEqual([label, PLAN_IDS.map((id) => of(DEFAULT_PLANS[id]))])
  }
})

const UNITS: Record<string, number> = { million: 1e6, GB: 1e9, s: 1, min: 60, hour: 3600 }

function readGrant(cell: string): number | boolean | null {
  if (cell === '∞' || cell.startsWith('none')) return null
  if (cell === 'yes' || cell === 'no') return cell === 'yes'
  if (cell.startsWith('–')) return 0
  const [number = '', unit = ''] = cell.split(' ')
  return Number(number.replaceAll(',', '')) * (UNITS[unit] ?? 1)
}

describe('metrics', () => {
  test('every one that a page names is there, and every one of ours is on a page', () => {
    const registered = t.ctx.metrics.getMetricsAsArray().map(({ name }) => name)
    // Some are made with the jobs of a service.
    const written = find(readSources(), /'(auspex_[a-z0-9_]+[a-z0-9])'/g)
    const known = new Set([...registered, ...written])
    for (const page of PAGES) {
      const named = find(readPage(page), /\b(auspex_[a-z0-9_]*[a-z0-9])\b(?!_)/g)
      const unknown = named.filter((name) => {
        const plain = name.replace(/_(bucket|sum|count)$/, '')
        return !known.has(name) && !known.has(plain) && !OTHERS.includes(name)
      })
      expect([page, unknown]).toEqual([page, []])
    }
    const pages = PAGES.map(readPage).join('\n')
    const ours = [...known].filter((name) => !/^auspex_(nodejs|process)_/.test(name))
    expect(ours.filter((name) => !pages.includes(name) && !OTHERS.includes(name))).toEqual([])
  })

  /** What looks like one: the legacy prefix of keys, a schema of the database, a generated client. */
  const OTHERS = ['auspex_live', 'auspex_rebuild', 'auspex_client', 'auspex_streams']
})

function readSources(): string {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readPage(join('src', name)))
    .join('\n')
}

test('the tools of docs/mcp.md are those of the code', () => {
  const rows = rowsOf(readPage('docs/mcp.md'), /^`[a-z]+(_[a-z]+)*`$/)
  expect(rows.map(([name]) => name)).toEqual(TOOLS.map(({ name }) => `\`${name}\``))
})

describe('the command line', () => {
  const sources = [
    readSources(),
    ...['sim/flags.ts', 'sim/main.ts', 'demo/main.ts', 'test/universes/main.ts'].map(readPage),
  ].join('\n')
  const flags = new Set([
    ...find(sources, /(?:ption\(\s*|^\s*|= )'(?:-\w, )?(--[a-z][a-z-]+)/gm),
    ...SETTING_NAMES.flatMap((name) => `--${(SETTINGS[name] as Setting<unknown>).flag}`),
    '--help',
    '--version',
  ])
  const commands = new Set(find(sources, /\.command\('([a-z-]+)/g))
  /** Of curl, npm, node and clients of the tools for models. */
  const FOREIGN = [
    '--enable-source-maps',
    '--get',
    '--without-libcurl',
    '--data-urlencode',
    '--compressed',
    '--silent',
    '--retry',
    '--input',
    '--input-file-type',
    '--output-model-type',
    '--output',
    '--enable-source-maps',
    '--prefix',
    '--system',
    '--now',
    '--min-usd',
    '--period',
    '--out',
    '--resolution',
    '--include',
    '--transport',
    '--header',
    '--env',
  ]

  test.each(PAGES)('%s names flags and commands that exist', (path) => {
    const page = readPage(path)
    const named = find(page, /(?<![\w-])(--[a-z][a-z-]*[a-z])/g)
    expect(named.filter((flag) => !flags.has(flag) && !FOREIGN.includes(flag))).toEqual([])
    const run = find(page, /(?:npx auspex|`auspex|\$ auspex) ([a-z][a-z-]*)/g)
    expect(run.filter((command) => !commands.has(command))).toEqual([])
  })
})

test('the example of /v1/status has every field of the answer', async () => {
  const [, text = ''] = /\/v1\/status\n(\{.*\})\n/.exec(readPage('docs/api.md')) ?? []
  const example = JSON.parse(text.replaceAll(', …', ''))
  const { key } = await t.createCaller('starter')
  const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
  const status: Record<string, unknown> = reply.json()
  expect(Object.keys(example)).toEqual(Object.keys(status))
  // Some counts are left out of the example, as it says.
  for (const part of ['state', 'chain', 'scores', 'orderbooks', 'leaderboards'])
    expect([part, Object.keys(example[part])]).toEqual([part, Object.keys(Object(status[part]))])
})

test('the reference of the streams shows a command that works elsewhere than beside a demo', async () => {
  const { body } = await t.app.inject('/docs/websocket')
  expect(body).toContain('--url &quot;$AUSPEX_URL&quot; --key &quot;$AUSPEX_KEY&quot;')
})

describe('docs/websocket.md', () => {
  const page = readPage('docs/websocket.md')

  test('has every type of subscription and every type of event', () => {
    const types = rowsOf(page, /^`[a-z_]+`/).flatMap(([cell = '']) => find(cell, /`([a-z_]+)`/g))
    expect(types).toEqual(expect.arrayContaining([...PRESETS.keys()]))
    // A fill is sent as `event`, and is no type that a client can name.
    const events = [...MESSAGES.keys()].filter((type) => !page.includes(`\`${type}\``))
    expect(events).toEqual([])
  })

  test('has every code with which the service closes a connection', () => {
    const codes = rowsOf(page, /^\d{4}/).flatMap(([cell = '']) => cell.split(', ').map(Number))
    expect(codes).toEqual(expect.arrayContaining(Object.values(CLOSE)))
  })
})
