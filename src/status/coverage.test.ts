import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FIRST_NUMBER } from '../../sim/universe/chain.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { chainStatus } from '../chain/domain.js'
import { type FollowWorld, openWorld } from '../chain/follow/test-follow.js'
import { Ingest } from '../chain/ingest.js'
import { loadConfig } from '../config/config.js'
import { LiveEvents } from '../events/live-events.js'

const FROM_BLOCK = FIRST_NUMBER + 500
/** The chain is asked this long after its newest block. */
const AGE_SEC = 3
const PATIENCE = { timeout: 60_000 }

let world: FollowWorld
let t: TestApp
let key: string
beforeAll(async () => {
  world = await openWorld({ seed: 81 })
  const { config } = loadConfig({
    AUSPEX_POLYGON_URL: world.host.url,
    AUSPEX_POLYGON_WS_URL: world.host.wsUrl,
    AUSPEX_POLYGON_CALLS_PER_SECOND: '1000',
    AUSPEX_FROM_BLOCK: `${FROM_BLOCK}`,
  })
  t = await createTestApp({ config })
  t.ctx.statusParts.push(chainStatus(t.ctx.chain))
  t.clock.set(world.universe.nowMs - 60_000)
  key = (await t.createCaller('enterprise')).key
})
afterAll(async () => {
  await t.ctx.upstreams.close()
  await t.close()
  await world.close()
})

const get = (url: string) => t.app.inject({ url, headers: { 'x-api-key': key } })

function createIngest() {
  const { config, upstreams, bus, eventLog, catalogue, chain: status, clock, log } = t.ctx
  const { polygon } = upstreams
  if (polygon === undefined) throw new Error('there is a node')
  const live = new LiveEvents({ bus, eventLog, markets: catalogue, clock, log })
  const ingest = new Ingest({
    config,
    target: t.target,
    upstreams,
    polygon,
    live,
    status,
    clock,
    log,
    registry: new Registry(),
  })
  return { ingest, status }
}

/** Books the chain until the test ends, and has what it does shown as the service would. */
function startIngest() {
  const { ingest, status } = createIngest()
  const ending = new AbortController()
  const running = ingest.run(ending.signal)
  onTestFinished(async () => {
    ending.abort()
    await running
    status.follower = undefined
  })
  return ingest
}

describe('before the first block', () => {
  test('GET /v1/coverage: 200, nothing is known and the headers say so', async () => {
    const reply = await get('/v1/coverage')
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toMatchObject({ 'x-head-block': '0' })
    expect(reply.headers).not.toHaveProperty('x-head-age')
    const { head, head_age_seconds: age, data } = reply.json()
    expect({ head, age }).toEqual({ head: null, age: null })
    for (const each of data)
      expect(each).toMatchObject({ from: null, to: null, is_complete: false, holes: [] })
  })

  test('GET /v1/coverage: 401 without a key', async () => {
    expect((await t.app.inject('/v1/coverage')).statusCode).toBe(401)
  })
})

test('once the chain is booked, every answer says how far, and how old that is', async () => {
  const ingest = startIngest()
  ingest.report()
  expect((await get('/readyz')).statusCode).toBe(503)

  const { head } = world.universe.chain
  t.clock.set((head.timestampSec + AGE_SEC) * 1000)
  await vi.waitFor(
    async () => {
      ingest.report()
      expect((await get('/readyz')).statusCode).toBe(200)
    },
    { timeout: 60_000 },
  )
  expect((await get('/v1/status')).json()).toMatchObject({
    node_connected: true,
    state: { latest_block: head.number },
    chain: {
      phase: 'live',
      node_block: head.number,
      block: head.number,
      block_age_seconds: AGE_SEC,
      problem: null,
      quarantined: 0,
    },
    warnings: [],
  })

  const reply = await get('/v1/coverage')
  expect(reply.headers).toMatchObject({
    'x-head-block': `${head.number}`,
    'x-head-age': `${AGE_SEC}`,
  })
  const { data, ticks, ...rest } = reply.json()
  expect(ticks).toEqual({ streams: [], gaps: [] })
  const time = new Date(head.timestampSec * 1000).toISOString()
  expect(rest).toEqual({ head: { block: head.number, time }, head_age_seconds: AGE_SEC })
  const kinds = data.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['fills', 'oracle_events', 'positions']))
  for (const each of data) {
    expect(each).toMatchObject({
      from: { block: FROM_BLOCK, time: expect.any(String) },
      to: { block: head.number, time: expect.any(String) },
      is_complete: true,
      holes: [],
    })
  }

  // An answer from the cache carries the head of the chain of the time when it was computed.
  world.makeBlock()
  const next = world.universe.chain.head
  await until(() => t.ctx.chain.head.block === next.number)
  expect((await get('/v1/coverage')).headers['x-head-block']).toBe(`${head.number}`)
  t.clock.set((next.timestampSec + AGE_SEC) * 1000)
  expect((await get('/v1/coverage')).headers).toMatchObject({
    'x-head-block': `${next.number}`,
    'x-head-age': `${AGE_SEC}`,
  })
})

test('who has not tried to book yet is not ready, however fresh the last block is', async () => {
  const { ingest, status } = createIngest()
  expect((await get('/readyz')).statusCode).toBe(200)
  ingest.report()
  expect((await get('/readyz')).json()).toMatchObject({
    status: 'not_ready',
    checks: { chain: expect.stringMatching(/^catching up/) },
  })
  status.follower = undefined
})

test('what keeps the chain from being booked is shown until it is repaired', async () => {
  startIngest()
  const shown = async () => (await get('/v1/status')).json().chain
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ phase: 'live' }), PATIENCE)
  await t.ctx.sql`alter table recent_blocks rename to lost_blocks`
  world.makeBlock()
  const problem = expect.stringMatching(/the chain cannot be booked: .*recent_blocks/)
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ phase: 'stopped', problem }), PATIENCE)
  await t.ctx.sql`alter table lost_blocks rename to recent_blocks`
  await vi.waitFor(
    async () => expect(await shown()).toMatchObject({ phase: 'live', problem: null }),
    PATIENCE,
  )
})

test('GET /v1/coverage: 200, every hole is listed, and the ledger has none', async () => {
  await t.ctx.sql`insert into coverage (from_block, to_block) values (10, 19), (30, 39)`
  t.clock.advance(1_000)
  const { data } = (await get('/v1/coverage')).json()
  const of = (wanted: string) => data.find(({ kind }: { kind: string }) => kind === wanted)
  expect(of('fills')).toMatchObject({
    from: { block: 10 },
    is_complete: false,
    holes: [
      { from_block: 20, to_block: 29 },
      { from_block: 40, to_block: FROM_BLOCK - 1 },
    ],
  })
  expect(of('positions')).toMatchObject({
    from: { block: FROM_BLOCK },
    is_complete: true,
    holes: [],
  })
})
