import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { NO_REPLICAS } from '../../test/database.js'
import { insertPast, openSimulatedPrices, type UpstreamName } from '../../test/simulated-prices.js'
import { createTestApp, type TestApp, type TestContext } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { sumMetric } from '../../test/upstream-socket.js'
import { loadConfig } from '../config/config.js'
import { createPool, type Pool } from '../store/connection.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { Upstreams } from '../upstreams/upstreams.js'
import { packTicks } from './archive/pack.js'
import { insertTicks } from './archive/queries.js'
import { dropOldTicks, PriceJobs } from './domain.js'
import { type Stream, SYMBOLS, streamId } from './streams.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
})
afterAll(() => t.close())
beforeEach(() => t.ctx.sql`truncate live_ticks, tick_blocks, tick_hours, tick_gaps`)

/** The parts of a service that reads other upstreams. */
const partsFor = (environment: Parameters<typeof loadConfig>[0]): TestContext => {
  const metrics = new Registry()
  const shared = {
    metrics: createUpstreamMetrics(metrics),
    clock: t.clock,
    log: t.ctx.log,
  }
  return { ...t.ctx, metrics, upstreams: new Upstreams(loadConfig(environment).config, shared) }
}

const insert = (sec: number, stream: Partial<Stream> = {}) => {
  const id = streamId({ symbol: 'BTC', kind: 'spot', source: 'platform_oracle', ...stream })
  return insertTicks(t.ctx.sql, [{ stream: id, sec, price: 1, bid: null, ask: null }])
}

describe('without a source', () => {
  const OFF = { AUSPEX_RTDS_WS_URL: 'off' }

  test('there is nothing to collect and nothing to say', async () => {
    const jobs = new PriceJobs(partsFor(OFF))
    await jobs.collect(new AbortController().signal)
    expect(await jobs.status()).toEqual([])
  })
})

describe('the status', () => {
  const open = async (...names: UpstreamName[]) => {
    const sim = await openSimulatedPrices()
    return new PriceJobs(partsFor(sim.environment(names)))
  }
  const nowSec = () => Math.floor(t.clock.now() / 1_000)

  test('names each source once, with or without a price', async () => {
    const jobs = await open('rtds', 'live_v2', 'chainlink')
    expect(jobs.known()).toEqual(await jobs.status())
    expect(jobs.sockets()).toEqual([
      { source: 'live_v2', lastSec: undefined },
      { source: 'rtds', lastSec: undefined },
    ])
    expect((await open('rtds', 'chainlink')).sockets()).toEqual([])
    expect(await jobs.status()).toEqual([
      { source: 'platform_oracle', lastSec: undefined },
      { source: 'oracle_data_streams', lastSec: undefined, isFilling: true },
    ])
  })

  test('shows that a source is being filled until the prices of the candles of all coins are there', async () => {
    const sim = await openSimulatedPrices()
    t.clock.set(sim.now())
    const nowSec = sim.now() / 1_000
    const run = (fromSec: number, toSec: number) =>
      Array.from({ length: toSec - fromSec + 1 }, (_, index) => fromSec + index)
    const [ofCandles, older] = [run(nowSec - 599, nowSec), run(nowSec - 80_000, nowSec - 70_000)]
    await insertPast(t.ctx.sql, sim, new Set([...ofCandles, ...older]))
    // Half of the calls are used: enough for the candles at once, and the older pages come no faster
    // than they are written. A write that always finds more ends only with the last page.
    const environment = sim.environment(['chainlink'])
    const jobs = new PriceJobs(partsFor({ ...environment, AUSPEX_CHAINLINK_CALLS_PER_SECOND: '120' }))
    const controller = new AbortController()
    const collecting = jobs.collect(controller.signal)
    const isFilling = async () => (await jobs.status()).some((source) => source.isFilling)
    await vi.waitFor(async () => expect(await isFilling()).toBe(false), { timeout: 60_000 })
    const ids = SYMBOLS.map((symbol) => streamId({ symbol, kind: 'spot', source: 'oracle_data_streams' }))
    const counts = await t.ctx.sql`
      select count(*)::int as seconds from live_ticks
       where stream = any(${ids}::smallint[]) and sec > ${nowSec - 600}
       group by stream`
    controller.abort()
    await collecting
    expect(counts).toHaveLength(SYMBOLS.length)
    // The guard takes the first three prices of a coin for a vote.
    for (const { seconds } of counts) expect(seconds).toBeGreaterThanOrEqual(597)
  })

  test('does not wait for the past of a source that cannot be reached', async () => {
    const sim = await openSimulatedPrices()
    sim.faults.set({ upstream: 'chainlink', mode: 'drop' })
    const jobs = new PriceJobs(partsFor(sim.environment(['chainlink'])))
    const controller = new AbortController()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const collecting = jobs.collect(controller.signal)
    await until(() => sim.pages().length === 0)
    expect(await jobs.status()).toMatchObject([{ isFilling: true }])
    vi.advanceTimersByTime(11_000)
    const [status] = await jobs.status()
    expect(status).not.toHaveProperty('isFilling')
    controller.abort()
    await collecting
  })

  test('has the newest price of any coin, written by any process', async () => {
    const jobs = await open('rtds')
    await insert(nowSec() - 9)
    await insert(nowSec() - 7, { symbol: 'HYPE' })
    await insert(nowSec() - 8, { symbol: 'ETH' })
    expect(await jobs.status()).toEqual([{ source: 'platform_oracle', lastSec: nowSec() - 7 }])
  })

  test('counts neither means, nor prices of the exchange, nor moments to come, nor other sources', async () => {
    const jobs = await open('rtds')
    await insert(nowSec(), { kind: 'twap60' })
    await insert(nowSec(), { kind: 'binance' })
    await insert(nowSec(), { source: 'oracle_data_streams' })
    await insert(nowSec() + 5)
    expect(await jobs.status()).toEqual([{ source: 'platform_oracle', lastSec: undefined }])
  })

  test('remembers a price after it was packed', async () => {
    const jobs = await open('rtds')
    const lastSec = nowSec()
    await insert(lastSec)
    await jobs.status()
    t.clock.advance(1_000_000)
    await packTicks(t.ctx.sql, t.clock.now())
    expect(await jobs.status()).toEqual([{ source: 'platform_oracle', lastSec }])
    const later = await open('rtds')
    expect(await later.status()).toEqual([{ source: 'platform_oracle', lastSec }])
  })
})

test('a database that is not there at the start is waited for', async () => {
  const sim = await openSimulatedPrices()
  t.clock.set(sim.now())
  const noDatabase = createPool({ socketDir: '/nowhere', database: 'none' }, 1)
  onTestFinished(() => noDatabase.end({ timeout: 0 }))
  let sql: Pool | undefined
  let requests = 0
  const store = {
    get sql() {
      requests += 1
      return sql ?? noDatabase
    },
    get answers() {
      return noDatabase
    },
    get heavyAnswers() {
      return noDatabase
    },
    readsMax: { light: 8, heavy: 1 },
    get control() {
      return noDatabase
    },
    problem: undefined,
    replicas: NO_REPLICAS,
  }
  const controller = new AbortController()
  const parts = partsFor(sim.environment(['rtds']))
  const jobs = new PriceJobs({ ...parts, store })
  const collecting = (async () => {
    while (!controller.signal.aborted) await jobs.collect(controller.signal).catch(() => undefined)
  })()
  await until(() => requests > 0)
  sql = t.ctx.sql
  await until(() => sim.isFollowed('rtds'))
  sim.liveOn()
  await vi.waitFor(async () =>
    expect(await sumMetric(parts.metrics, 'auspex_ticks_total')).toBeGreaterThan(0),
  )
  controller.abort()
  await collecting
  const secs = await t.ctx.sql`select distinct sec from live_ticks`
  expect(secs).toEqual([{ sec: sim.now() / 1_000 - 1 }])
})

describe('old months', () => {
  const countMonths = async () => {
    const rows = await t.ctx.sql`
      select 1 from pg_inherits where inhparent = 'tick_blocks'::regclass`
    return rows.length
  }
  const DAYS = 60

  test('are dropped when their days are over, and never with 0', async () => {
    t.clock.set(Date.UTC(2026, 10, 15))
    for (const month of [5, 9]) await insert(Date.UTC(2026, month, 3) / 1_000)
    await packTicks(t.ctx.sql, t.clock.now())
    const before = await countMonths()
    await dropOldTicks(t.ctx.sql, t.clock.now(), 0)
    expect(await countMonths()).toBe(before)
    await dropOldTicks(t.ctx.sql, t.clock.now(), DAYS)
    expect(await countMonths()).toBe(before - 1)
  })
})
