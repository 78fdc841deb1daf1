import { onTestFinished } from 'vitest'
import { createChainlinkHost } from '../sim/prices/chainlink.js'
import { createLiveV2Host } from '../sim/prices/live-v2.js'
import { createRtdsHost } from '../sim/prices/rtds.js'
import { Faults } from '../sim/server/faults.js'
import type { HostParts, Peer } from '../sim/server/handlers.js'
import { type Host, openHost } from '../sim/server/host.js'
import { Universe } from '../sim/universe/universe.js'
import { type Environment, loadConfig } from '../src/config/config.js'
import { ensureTickPartitions } from '../src/prices/archive/partitions.js'
import { insertTicks, upsertBlocks } from '../src/prices/archive/queries.js'
import { BLOCK_SEC, TickBlock, tickBlockOf } from '../src/prices/fast/tick-block.js'
import { type CoinSymbol, type Stream, SYMBOLS, streamId } from '../src/prices/streams.js'
import type { Sql } from '../src/store/connection.js'
import type { PriceKind } from '../src/upstreams/prices/source.js'
import { COINS } from '../src/upstreams/upstreams.js'

const START_MS = Date.UTC(2026, 10, 15, 12)
const LIVE_KEY = { apiKey: 'key', secret: 'secret', passphrase: 'phrase' }
const CHAINLINK_KEY = { apiKey: 'key', secret: 'secret' }
/** The frames with which a client of ours subscribes. */
const SUBSCRIPTIONS = { rtds: 4, live_v2: 1, chainlink: 0 }
/** How far back a collector fetches the past of Chainlink's streams. */
const PAST_SEC = 24 * 60 * 60

const stream = (symbol: CoinSymbol, kind: PriceKind, source: Stream['source']): Stream => {
  return { symbol, kind, source }
}

/** The streams of each upstream, as the archive names them. */
export const SIMULATED_STREAMS = {
  rtds: SYMBOLS.flatMap((symbol) =>
    (['spot', 'twap30', 'twap60', 'binance'] as const).map((kind) => stream(symbol, kind, 'platform_oracle')),
  ),
  chainlink: [
    ...SYMBOLS.map((symbol) => stream(symbol, 'spot', 'oracle_data_streams')),
    stream('BTC', 'twap30', 'oracle_data_streams'),
    stream('BTC', 'twap60', 'oracle_data_streams'),
  ],
}

export type UpstreamName = 'rtds' | 'live_v2' | 'chainlink'
export type SimulatedPrices = Awaited<ReturnType<typeof openSimulatedPrices>>

/**
 * The price hosts of a universe in which seconds pass when the test says so. Gone with the test; one
 * that runs beside others passes the hook of its own end.
 */
export async function openSimulatedPrices(onFinished: typeof onTestFinished = onTestFinished) {
  const universe = new Universe({ seed: 11, startMs: START_MS, intensity: 0 })
  universe.advance(START_MS)
  const faults = new Faults()
  const now = () => universe.nowMs
  // Here seconds pass faster than pings are sent.
  const patience = { dropShare: 0, silentAfterMs: Number.POSITIVE_INFINITY }
  const platform = countSubscriptions(createRtdsHost(universe, patience))
  const successor = countSubscriptions(createLiveV2Host(universe, LIVE_KEY))
  const rtds = await openHost('rtds', faults, platform.parts)
  const liveV2 = await openHost('live_v2', faults, successor.parts)
  const asked: URL[] = []
  const reports = createChainlinkHost(universe, CHAINLINK_KEY, { now })
  const chainlink = await openHost('chainlink', faults, {
    ...reports,
    http: (request) => {
      asked.push(new URL(request.url, 'http://host'))
      return reports.http?.(request) ?? { status: 404, body: '' }
    },
  })
  onFinished(async () => {
    await Promise.all([rtds, liveV2, chainlink].map((host) => host.close()))
  })
  // Here the address says it all.
  const subscriptions = { rtds: platform.count, live_v2: successor.count, chainlink: () => 0 }
  const environments = environmentsOf(rtds, liveV2, chainlink)
  /** What makes a service read these upstreams, and no others. */
  const environment = (names: readonly UpstreamName[]): Environment =>
    Object.assign(
      { AUSPEX_RTDS_WS_URL: 'off', AUSPEX_SPORTS_WS_URL: 'off' },
      ...names.map((name) => environments[name]),
    )
  return {
    universe,
    faults,
    now,
    environment,
    config: (names: readonly UpstreamName[]) => loadConfig(environment(names)).config,
    /** Whether a client is connected that has sent all its subscriptions. */
    isFollowed: (name: UpstreamName) => subscriptions[name]() === SUBSCRIPTIONS[name],
    /** What was asked of the reports of the past. */
    pages: () => asked.filter(({ pathname }) => pathname.endsWith('/page')),
    liveOn: (seconds = 1) => universe.advance(universe.nowMs + seconds * 1_000),
    quoteOf: (of: Stream, sec: number) => quoteOf(universe, of, sec),
  }
}

/** The variables that point a connector at its host. */
function environmentsOf(rtds: Host, liveV2: Host, chainlink: Host): Record<UpstreamName, Environment> {
  return {
    rtds: { AUSPEX_RTDS_WS_URL: rtds.wsUrl },
    live_v2: {
      AUSPEX_LIVE_V2_WS_URL: `${liveV2.wsUrl}/ws`,
      AUSPEX_CLOB_API_KEY: LIVE_KEY.apiKey,
      AUSPEX_CLOB_SECRET: LIVE_KEY.secret,
      AUSPEX_CLOB_PASSPHRASE: LIVE_KEY.passphrase,
    },
    chainlink: {
      AUSPEX_CHAINLINK_URL: chainlink.url,
      AUSPEX_CHAINLINK_WS_URL: chainlink.wsUrl,
      AUSPEX_CHAINLINK_API_KEY: CHAINLINK_KEY.apiKey,
      AUSPEX_CHAINLINK_SECRET: CHAINLINK_KEY.secret,
      AUSPEX_CHAINLINK_CALLS_PER_SECOND: '1000',
    },
  }
}

/** How often the last one who connected has subscribed; 0 when it has left. */
function countSubscriptions(parts: HostParts) {
  let last: Peer | undefined
  let count = 0
  const connect = (peer: Peer) => {
    last = peer
    count = 0
    peer.onText((text) => {
      if (last === peer && text.includes('subscribe')) count += 1
    })
    peer.onClose(() => {
      if (last === peer) count = 0
    })
    parts.connect?.(peer)
  }
  return { parts: { ...parts, connect }, count: () => count }
}

/** What the archive must say of that second: neither more nor less. */
function quoteOf({ prices }: Universe, { symbol, kind, source }: Stream, sec: number) {
  const coin = COINS.find((each) => each.toUpperCase() === symbol) ?? 'btc'
  const { priceE8, bidE8, askE8 } = prices.spot(coin, sec)
  const priceByKind: Record<PriceKind, () => number> = {
    spot: () => priceE8,
    twap30: () => prices.twapE8(coin, sec, 30),
    twap60: () => prices.twapE8(coin, sec, 60),
    binance: () => prices.binanceE8(coin, sec),
  }
  const hasQuotes = source === 'oracle_data_streams' && kind === 'spot'
  return {
    price: priceByKind[kind]() / 1e8,
    bid: hasQuotes ? bidE8 / 1e8 : null,
    ask: hasQuotes ? askE8 / 1e8 : null,
  }
}

/** Stores the last day of the streams that a collector would fetch, but for the seconds that are left out. */
export async function insertPast(
  sql: Sql,
  { universe }: SimulatedPrices,
  leftOut: ReadonlySet<number> = new Set(),
): Promise<void> {
  const nowSec = Math.floor(universe.nowMs / 1_000)
  const past = SIMULATED_STREAMS.chainlink.map((each) => {
    const { price } = quoteOf(universe, each, nowSec)
    return { stream: streamId(each), quote: { price, bid: null, ask: null } }
  })
  const blocks = range(tickBlockOf(nowSec - PAST_SEC), tickBlockOf(nowSec))
  await ensureTickPartitions(sql, blocks)
  await upsertBlocks(
    sql,
    past.flatMap(({ stream, quote }) =>
      blocks.map((block) => {
        const ticks = new TickBlock()
        for (let slot = 0; slot < BLOCK_SEC; slot++) {
          if (!leftOut.has(block * BLOCK_SEC + slot)) ticks.put(slot, quote)
        }
        return { stream, block, ticks }
      }),
    ),
  )
  const secs = range(tickBlockOf(nowSec) * BLOCK_SEC, nowSec + 1).filter((sec) => !leftOut.has(sec))
  await insertTicks(
    sql,
    past.flatMap(({ stream, quote }) => secs.map((sec) => ({ stream, sec, ...quote }))),
  )
}

/** `end` is not included. */
const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index)
