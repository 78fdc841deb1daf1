import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataApiHost } from '../../../sim/data-api/host.js'
import { Faults } from '../../../sim/server/faults.js'
import type { HttpReply } from '../../../sim/server/handlers.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { DataApiClient } from '../../upstreams/data-api/client.js'
import { createUpstreamMetrics } from '../../upstreams/transport/metrics.js'
import { refreshProfiles } from './refresh-profiles.js'

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 13, startMs: START_MS })
const clock = new ManualClock(START_MS)
const { signal } = new AbortController()

let database: TestDatabase
let host: Host
let dataApi: DataApiClient
/** What the Data API says instead of its board. */
let instead: HttpReply | undefined

beforeAll(async () => {
  universe.advance(START_MS + 20 * 60_000)
  database = await createTestDatabase()
  const { http: board } = createDataApiHost(universe)
  host = await openHost('data_api', new Faults(), {
    http: (request) => instead ?? board?.(request) ?? { status: 404, body: {} },
  })
  dataApi = new DataApiClient({ url: host.url, clock, metrics: createUpstreamMetrics(new Registry()) })
})
afterAll(async () => {
  await dataApi.close()
  await host.close()
  await database.drop()
})

const refresh = () => refreshProfiles({ store: database, clock, dataApi }, signal)
const profiles = () =>
  database.sql`select '0x' || encode(code, 'hex') as code, name, logo, verified, external_rank,
                      external_volume::text, external_active_users, read_at
                 from builder_profiles order by external_rank nulls last, code`
const page = (...data: object[]): HttpReply => ({
  status: 200,
  body: { data, pagination: { has_more: false, next_cursor: null } },
})
const row = (builder_code: string, change: object = {}) => ({
  rank: 1,
  builder_code,
  builder_name: 'Ada',
  profile_image: null,
  verified: true,
  volume: 1.5,
  active_users: 2,
  ...change,
})
const codeOf = (digit: string) => `0x${digit.repeat(64)}`

test('the board is copied, an app without a name without one', async () => {
  await refresh()
  const rows = await profiles()
  const byCode = new Map(rows.map((profile) => [profile.code, profile]))
  expect(rows.map(({ externalRank }) => externalRank)).toEqual(rows.map((_, index) => index + 1))
  for (const { code, name, logo, verified } of universe.builders) {
    expect(byCode.get(code)).toMatchObject({ name: name || null, logo: logo || null, verified })
  }
  expect(rows.at(-1)).toMatchObject({ externalVolume: '0', externalActiveUsers: 0 })
})

test('what left the board keeps its name and has no rank', async () => {
  const before = await profiles()
  clock.advance(60_000)
  const [first] = universe.builders
  instead = page(row(first?.code ?? '', { builder_name: 'Renamed', volume: '12.000001' }))
  await refresh()
  const rows = await profiles()
  expect(rows).toHaveLength(before.length)
  expect(rows[0]).toMatchObject({
    code: first?.code,
    name: 'Renamed',
    externalRank: 1,
    externalVolume: '12.000001',
    readAt: new Date(clock.now()),
  })
  for (const { externalRank, externalVolume, externalActiveUsers } of rows.slice(1))
    expect([externalRank, externalVolume, externalActiveUsers]).toEqual([null, null, null])
})

test('an app without a code, or with another code than orders carry, is left out', async () => {
  const before = await profiles()
  instead = page(
    row(''),
    row('0x12'),
    row(codeOf('AB').slice(0, 66), { builder_name: codeOf('ab').slice(0, 66) }),
    row(codeOf('c'), { rank: 2 }),
    row(codeOf('c'), { rank: 3 }),
  )
  await refresh()
  const rows = await profiles()
  expect(rows).toHaveLength(before.length + 2)
  expect(rows.slice(0, 2)).toMatchObject([
    { code: codeOf('ab').slice(0, 66), name: null, externalRank: 1 },
    { code: codeOf('c'), name: 'Ada', externalRank: 3 },
  ])
})

test.each<[string, HttpReply]>([
  ['an empty board', page()],
  ['a refusal', { status: 400, body: { error: 'no' } }],
  ['a page without rows', { status: 200, body: { data: null } }],
])('the last copy stays after %s', async (_what, reply) => {
  const before = await profiles()
  instead = reply
  await refresh().catch(() => undefined)
  expect(await profiles()).toEqual(before)
})
