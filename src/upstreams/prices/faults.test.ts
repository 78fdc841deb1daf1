import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, type ExpectStatic, type TestContext, test } from 'vitest'
import { createChainlinkHost } from '../../../sim/prices/chainlink.js'
import { createLiveV2Host } from '../../../sim/prices/live-v2.js'
import { createRtdsHost } from '../../../sim/prices/rtds.js'
import { Faults } from '../../../sim/server/faults.js'
import type { HostParts } from '../../../sim/server/handlers.js'
import { openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { until } from '../../../test/until.js'
import { countReconnects } from '../../../test/upstream-socket.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { ChainlinkSource } from './chainlink.js'
import { LiveV2Source } from './live-v2.js'
import { RtdsSource } from './rtds.js'
import type { PriceGap, PriceKind, PriceSource, PriceSourceName, PriceTick } from './source.js'

const COINS = ['btc', 'eth', 'hype'] as const
const LIVE_KEY = { apiKey: 'key', secret: 'secret', passphrase: 'phrase' }
const CHAINLINK_KEY = { apiKey: 'key', secret: 'secret' }
const STREAMS: Record<PriceSourceName, string[]> = {
  rtds: COINS.flatMap((coin) => ['spot', 'twap30', 'twap60', 'binance'].map((kind) => `${coin} ${kind}`)),
  live_v2: ['btc spot', 'eth spot', ...COINS.map((coin) => `${coin} twap60`)],
  chainlink: [...COINS.map((coin) => `${coin} spot`), 'btc twap30', 'btc twap60'],
}

/** A busy machine stalls for a second now and then, which is no fault of the peer. */
const TIMEOUT_MS = 1_500
const TUNING = {
  deadAfterMs: TIMEOUT_MS,
  silentAfterMs: TIMEOUT_MS,
  timings: { handshakeMs: TIMEOUT_MS, stableMs: 30_000, backoff: { baseMs: 10, maxMs: 80 } },
}
const tuneWith = (text?: string) => ({ ...TUNING, heartbeat: { everyMs: 20, text } })

// One universe for all tests, a second of which takes ten milliseconds or more.
const SECOND_MS = 10
const startMs = Date.UTC(2026, 10, 15, 12)
const universe = new Universe({ seed: 7, startMs, intensity: 0.01 })
let driver: NodeJS.Timeout
const liveOn = () => {
  universe.advance(universe.nowMs + 1_000)
  driver = setTimeout(liveOn, SECOND_MS)
}
beforeAll(() => {
  universe.advance(startMs)
  liveOn()
})
afterAll(() => clearTimeout(driver))

const waitSeconds = (seconds: number) => {
  const untilMs = universe.nowMs + seconds * 1_000
  return until(() => universe.nowMs >= untilMs)
}

async function open(name: PriceSourceName, { onTestFinished }: TestContext) {
  const faults = new Faults()
  // Signatures are good for five seconds, which pass quickly here.
  let signedMs = 0
  const skewMs = () => faults.skewMs(name)
  const hosts: Record<PriceSourceName, () => HostParts> = {
    rtds: () => createRtdsHost(universe, { dropShare: 0 }),
    live_v2: () => createLiveV2Host(universe, LIVE_KEY),
    chainlink: () => createChainlinkHost(universe, CHAINLINK_KEY, { now: () => signedMs + skewMs() }),
  }
  const host = await openHost(name, faults, hosts[name]())
  const registry = new Registry()
  const now = () => {
    signedMs = universe.nowMs
    return signedMs
  }
  const metrics = createUpstreamMetrics(registry)
  const shared = { coins: COINS, clock: { now }, metrics, log: pino({ level: 'silent' }) }
  const { url: restUrl, wsUrl: url } = host
  const sources: Record<PriceSourceName, () => PriceSource> = {
    rtds: () => new RtdsSource({ ...shared, url, tuning: tuneWith('PING') }),
    live_v2: () =>
      new LiveV2Source({
        ...shared,
        url: `${url}/ws`,
        credentials: LIVE_KEY,
        tuning: tuneWith('{"op":"ping"}'),
      }),
    chainlink: () =>
      new ChainlinkSource({
        ...shared,
        url,
        restUrl,
        credentials: CHAINLINK_KEY,
        callsPerSecond: 20,
        tuning: tuneWith(),
      }),
  }
  const source = sources[name]()
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const controller = new AbortController()
  onTestFinished(async () => {
    controller.abort()
    await host.close()
  })
  source.start(controller.signal, {
    onTick: (tick) => ticks.push(tick),
    onGap: (gap) => gaps.push(gap),
  })

  /** Every stream has a price of a second that is not over yet. */
  const untilFlowing = () => {
    const afterMs = universe.nowMs + 2_000
    const newer = () => ticks.filter(({ timestampMs }) => timestampMs > afterMs)
    return until(() => new Set(newer().map(streamOf)).size === STREAMS[name].length)
  }
  return {
    source,
    ticks,
    gaps,
    untilFlowing,
    reconnects: () => countReconnects(registry),
    breakWith: (order: Omit<Parameters<Faults['set']>[0], 'upstream'>) =>
      faults.set({ upstream: name, ...order }),
  }
}

const streamOf = ({ coin, kind }: { coin: string; kind: PriceKind }) => `${coin} ${kind}`

function truePriceE8({ coin, kind, timestampMs }: PriceTick): number {
  const known = COINS.find((each) => each === coin) ?? 'btc'
  const sec = timestampMs / 1_000
  const prices: Record<PriceKind, () => number> = {
    spot: () => universe.prices.spot(known, sec).priceE8,
    twap30: () => universe.prices.twapE8(known, sec, 30),
    twap60: () => universe.prices.twapE8(known, sec, 60),
    binance: () => universe.prices.binanceE8(known, sec),
  }
  return prices[kind]()
}

type Delivered = { ticks: readonly PriceTick[]; gaps: readonly PriceGap[] }

/** Seconds between the first and the last tick of each stream that were neither delivered nor reported. */
function findLost(name: PriceSourceName, { ticks, gaps }: Delivered): string[] {
  return STREAMS[name].flatMap((stream) => {
    const mine = ticks.filter((tick) => streamOf(tick) === stream)
    const moments = new Set(mine.map(({ timestampMs }) => timestampMs))
    const reported = gaps.filter(({ coin, kind }) =>
      coin === undefined ? stream.includes(kind ?? '') : stream === `${coin} ${kind}`,
    )
    const first = Math.min(...moments)
    const seconds = (Math.max(...moments) - first) / 1_000
    return Array.from({ length: seconds }, (_, index) => first + index * 1_000)
      .filter((ms) => !moments.has(ms))
      .filter((ms) => !reported.some(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs))
      .map((ms) => `${stream} ${ms}`)
  })
}

/** No price is wrong or of another provider, and none comes twice. */
function expectTrue({ ticks }: Delivered, expect: ExpectStatic) {
  const isTrue = (tick: PriceTick) =>
    tick.priceE18 === BigInt(truePriceE8(tick)) * 10n ** 10n &&
    tick.provider === (tick.kind === 'binance' ? 'binance' : 'chainlink')
  expect(ticks.filter((tick) => !isTrue(tick))).toEqual([])
  const moments = ticks.map((tick) => `${streamOf(tick)} ${tick.timestampMs}`)
  expect(moments).toHaveLength(new Set(moments).size)
}

const NAMES = ['rtds', 'live_v2', 'chainlink'] as const

/** Each source with each of the faults. */
const pairUp = <T>(faults: readonly T[]) =>
  NAMES.flatMap((name) => faults.map((fault) => [name, fault] as const))

// The past of the oracle fills every gap of its own source.
const gapsOf = (name: PriceSourceName) => (name === 'chainlink' ? 0 : 1)

const BREAKING = ['drop', 'half-open', 'silent', 'garbage', 'truncated'] as const
/** These are noticed when the timeout is over. */
const QUIET: ReadonlySet<string> = new Set(['half-open', 'silent'])
/** Only Chainlink looks at the clock of its clients; the others are merely dropped. */
const REFUSING = ['429', '500', 'skew'] as const
const HARMLESS = ['stale', 'missed-heads', 'range-too-large', 'too-many-results'] as const

describe('a source', () => {
  test.concurrent.for(pairUp([...BREAKING, ...REFUSING]))(
    '%s, %s: recovers by itself and reports the gap once',
    async ([name, mode], context) => {
      const { expect } = context
      const sim = await open(name, context)
      await sim.untilFlowing()
      sim.breakWith({ mode })
      // What breaks new connections only must meet one.
      if (REFUSING.some((each) => each === mode)) sim.breakWith({ mode: 'drop', seconds: 0.05 })
      await waitSeconds(QUIET.has(mode) ? TIMEOUT_MS / SECOND_MS + 60 : 60)
      sim.breakWith({ mode: 'off' })
      await sim.untilFlowing()
      await until(() => findLost(name, sim).length === 0)

      expect(sim.gaps).toHaveLength(gapsOf(name))
      expectTrue(sim, expect)
      expect(await sim.reconnects()).toBeLessThan(50)
      // A busy machine may miss one of the short heartbeats of this test, and connects once more.
      await until(() => sim.source.health().state === 'open')
    },
  )

  test.concurrent.for(pairUp(['garbage', 'truncated'] as const))(
    '%s, %s now and then: what is bad is left out and reported',
    async ([name, mode], context) => {
      const { expect } = context
      const sim = await open(name, context)
      await sim.untilFlowing()
      sim.breakWith({ mode, rate: 0.2 })
      await waitSeconds(20)
      sim.breakWith({ mode: 'off' })
      await sim.untilFlowing()
      await until(() => findLost(name, sim).length === 0)
      expect(sim.gaps.length).toBeGreaterThanOrEqual(gapsOf(name))
      expectTrue(sim, expect)
    },
  )

  test.concurrent.for(pairUp(['duplicate', 'slow', ...HARMLESS] as const))(
    '%s, %s: nothing is lost, nothing comes twice',
    async ([name, mode], context) => {
      const { expect } = context
      const sim = await open(name, context)
      await sim.untilFlowing()
      sim.breakWith({ mode, delayMs: 30 })
      await waitSeconds(20)
      sim.breakWith({ mode: 'off' })
      await sim.untilFlowing()
      expect(findLost(name, sim)).toEqual([])
      expect(sim.gaps).toEqual([])
      expectTrue(sim, expect)
      expect(await sim.reconnects()).toBe(0)
    },
  )
})
