import type { Registry } from 'prom-client'
import type { Bus } from '../../bus/bus.js'
import { type EventDraft, NO_KEYS } from '../../bus/event.js'
import type { Clock } from '../../core/clock.js'
import { faultFields } from '../../lib/fault-fields.js'
import { FloodLog } from '../../lib/flood-log.js'
import type { Log } from '../../lib/log.js'
import { repeat } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import { createPriceFeed } from '../../upstreams/prices/feed.js'
import type { PriceGap, PriceSource, PriceTick } from '../../upstreams/prices/source.js'
import { type Price, selectLatest } from '../archive/latest.js'
import type { StreamTick } from '../archive/queries.js'
import { CANDLES_SEC } from '../candles/candles.js'
import {
  type CoinSymbol,
  feedOf,
  MEAN_SECONDS,
  STREAMS,
  type Stream,
  sourceOf,
  streamId,
  toSymbol,
} from '../streams.js'
import { type Anchor, PriceGuard } from './price-guard.js'
import { SourceFailover } from './source-failover.js'
import { selectStored } from './stored-streams.js'
import { createCollectMetrics, TickBuffer } from './tick-buffer.js'

type CollectorOptions = {
  store: { readonly sql: Pool }
  sources: readonly PriceSource[]
  priceBus: Bus
  clock: Clock
  registry: Registry
  log: Log
}

/** At most this much is lost when the process dies. */
const FLUSH_MS = 1_000
/** Older prices are stored and not published. */
const PUBLISH_MS_MAX = 10_000

/**
 * Takes the ticks of all price sources into the archive and publishes them. Any number of processes may
 * do so at once: of a second the first tick stays, and all of them are the same.
 */
export class TickCollector {
  readonly #options: CollectorOptions
  readonly #floodLog: FloodLog
  readonly #buffer: TickBuffer
  readonly #metrics: ReturnType<typeof createCollectMetrics>
  #guard = new PriceGuard()
  readonly #failover: SourceFailover
  /** The newest second that was published, by coin and kind. */
  readonly #publishedSecs = new Map<string, number>()
  /** Whether the prices that candles are made of are in the archive, as far as they can be fetched. */
  hasCandles = false

  constructor(options: CollectorOptions) {
    const { store, registry, sources, clock, log } = options
    this.#options = options
    this.#floodLog = new FloodLog(log)
    this.#buffer = new TickBuffer(store)
    this.#metrics = createCollectMetrics(registry, () => this.#buffer.size)
    this.#failover = new SourceFailover(sources, clock.now())
  }

  /** Ends when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, sources, clock, log } = this.#options
    const nowSec = Math.floor(clock.now() / 1000)
    const latest = await selectLatest(store.sql, [...STREAMS.keys()], { fromSec: 0, toSec: nowSec })
    const storedById = await selectStored(store.sql, latest, nowSec)
    this.#guard = new PriceGuard(anchorsOf(latest))
    const feed = createPriceFeed({
      sources,
      onTick: (tick) => this.#onTick(tick),
      onGap: (gap) => this.#noteGap(gap),
      stored: (coin, kind, source) => storedById.get(idOf({ coin, kind, source }) ?? -1),
      log,
    })
    feed.start(signal)
    await repeat(FLUSH_MS, signal, () => this.#flush())
    await this.#flush()
  }

  #onTick(tick: PriceTick): void {
    const stream = streamOf(tick)
    if (stream === undefined) return
    const nowMs = this.#options.clock.now()
    for (const each of this.#failover.select(streamId(stream), tick, nowMs)) {
      this.#take(stream, each, nowMs)
    }
  }

  #take(stream: Stream, tick: PriceTick, nowMs: number): void {
    const { source } = tick
    const id = streamId(stream)
    const refusal = this.#guard.check(stream.symbol, tick)
    if (refusal !== undefined) {
      this.#metrics.refused.inc({ source, reason: refusal })
      return
    }
    this.#failover.noteTaken(id, tick, nowMs)
    const taken = toStreamTick(id, tick)
    if (this.#buffer.add(taken)) this.#metrics.taken.inc({ source })
    else this.#metrics.refused.inc({ source, reason: 'overflow' })
    this.#publish(stream, taken, nowMs)
  }

  /**
   * Before the tick is written: a price is worth most in its first second, and is never revoked. Of
   * several sources the first one is published.
   */
  #publish(stream: Stream, tick: StreamTick, nowMs: number): void {
    const key = `${stream.symbol} ${stream.kind}`
    const isRecent = nowMs - tick.sec * 1000 <= PUBLISH_MS_MAX
    const isNewest = tick.sec > (this.#publishedSecs.get(key) ?? 0)
    const event = isRecent && isNewest ? toPriceEvent(stream, tick) : undefined
    if (event === undefined) return
    this.#publishedSecs.set(key, tick.sec)
    this.#options.priceBus.publish([event])
  }

  #noteGap({ source, coin, kind, fromMs, toMs, reason }: PriceGap): void {
    this.#metrics.gaps.inc({ source })
    const isOfAll = coin === undefined || kind === undefined
    this.#buffer.addGap({
      upstream: source,
      stream: isOfAll ? null : (idOf({ coin, kind, source }) ?? null),
      fromSec: Math.floor(fromMs / 1000),
      toSec: Math.ceil(toMs / 1000),
      reason,
    })
  }

  async #flush(): Promise<void> {
    const { sources, clock } = this.#options
    const sinceMs = clock.now() - CANDLES_SEC * 1000
    const isFetching = sources.some((source) => source.isFetching?.('spot', sinceMs))
    try {
      await this.#buffer.flush()
      this.hasCandles ||= !isFetching
    } catch (error) {
      this.#floodLog.write('warn', 'ticks wait to be written', () => faultFields(error))
    }
  }
}

type StreamKey = Pick<PriceTick, 'coin' | 'kind' | 'source'>

/** `undefined`: a coin that is not ours. */
function streamOf({ coin, kind, source }: StreamKey): Stream | undefined {
  const symbol = toSymbol(coin)
  return symbol && { symbol, kind, source: sourceOf(source) }
}

function idOf(key: StreamKey): number | undefined {
  const stream = streamOf(key)
  return stream && streamId(stream)
}

const toStreamTick = (stream: number, { timestampMs, price, bid, ask }: PriceTick): StreamTick => ({
  stream,
  // A price from within a second is one of its end: no boundary gets a price from after it.
  sec: Math.ceil(timestampMs / 1000),
  price: Number(price),
  bid: bid === undefined ? null : Number(bid),
  ask: ask === undefined ? null : Number(ask),
})

/** The newest price of each coin, of any of its streams. */
function anchorsOf(latest: ReadonlyMap<number, Price>): [CoinSymbol, Anchor][] {
  const newest = new Map<CoinSymbol, Anchor>()
  for (const [id, { sec, price }] of latest) {
    const symbol = STREAMS.get(id)?.symbol
    if (symbol === undefined || (newest.get(symbol)?.timestampMs ?? 0) >= sec * 1000) continue
    newest.set(symbol, { price, timestampMs: sec * 1000 })
  }
  return [...newest]
}

/** The live message of a price. `undefined`: prices of the exchange are not published. */
export function toPriceEvent(stream: Stream, tick: StreamTick): EventDraft | undefined {
  const { symbol, kind, source } = stream
  if (kind === 'binance') return undefined
  const { sec, price } = tick
  const type = 'price_feed'
  const feed = feedOf(symbol)
  const seconds = MEAN_SECONDS[kind]
  const mean = seconds === undefined ? {} : { is_twap: true, twap_window_seconds: seconds }
  const quotes = { bid: tick.bid ?? price, ask: tick.ask ?? price }
  const data = { feed, price, ...quotes, timestamp: sec, source, ...mean }
  return {
    type,
    timestampMs: sec * 1000,
    data,
    keys: { ...NO_KEYS, feed, priceSource: kind },
    // Clients expect feed, seconds and mean above the data too.
    head: { type, feed, timestamp: sec, ...mean },
  }
}
