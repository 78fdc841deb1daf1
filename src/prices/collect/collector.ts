import type { Registry } from 'prom-client'
import type { Bus } from '../../bus/bus.js'
import type { Clock } from '../../core/clock.js'
import type { Log } from '../../lib/log.js'
import { repeat } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import { createPriceFeed } from '../../upstreams/prices/feed.js'
import type { PriceGap, PriceSource, PriceTick } from '../../upstreams/prices/source.js'
import { type Price, selectLatest } from '../archive/latest.js'
import type { StreamTick } from '../archive/queries.js'
import { CANDLES_SEC } from '../candles/candle.js'
import { type CoinSymbol, STREAMS, type Stream, sourceOf, streamId, toSymbol } from '../streams.js'
import { type CollectMetrics, createCollectMetrics } from './metrics.js'
import { toPriceEvent } from './price-event.js'
import { type Anchor, PriceGuard } from './price-guard.js'
import { Speakers } from './speakers.js'
import { selectStored } from './stored-streams.js'
import { TickBuffer } from './tick-buffer.js'

export type CollectorOptions = {
  store: { readonly sql: Pool }
  sources: readonly PriceSource[]
  bus: Bus
  clock: Clock
  registry: Registry
  log: Log
}

/** At most so much is lost when the process dies. */
const FLUSH_MS = 1_000
/** What is older is history and not news. */
const NEWS_MS = 10_000

/**
 * Takes the ticks of all price sources into the archive and tells the bus. Any number of processes may
 * do so at once: the first tick of a second stays, and they are all the same.
 */
export class TickCollector {
  readonly #options: CollectorOptions
  readonly #buffer: TickBuffer
  readonly #metrics: CollectMetrics
  #guard = new PriceGuard()
  readonly #speakers: Speakers
  /** The newest second that was told, by feed and kind. */
  readonly #told = new Map<string, number>()
  #hasCandles = false

  constructor(options: CollectorOptions) {
    const { store, registry, sources, clock } = options
    this.#options = options
    this.#buffer = new TickBuffer(store)
    this.#metrics = createCollectMetrics(registry, () => this.#buffer.size)
    const names = sources.map(({ name }) => name)
    this.#speakers = new Speakers(names, clock.now())
  }

  /** Whether the prices that candles are made of are in the archive, as far as they can be fetched. */
  get hasCandles(): boolean {
    return this.#hasCandles
  }

  /** Ends when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, sources, clock, log } = this.#options
    const nowSec = Math.floor(clock.now() / 1000)
    const span = { fromSec: 0, toSec: nowSec }
    const latest = await selectLatest(store.sql, [...STREAMS.keys()], span)
    const storedById = await selectStored(store.sql, latest, nowSec)
    this.#guard = new PriceGuard(anchorsOf(latest))
    const feed = createPriceFeed({
      sources,
      onTick: (tick) => this.#hear(tick),
      onGap: (gap) => this.#noteGap(gap),
      stored: (coin, kind, source) => {
        const stored = storedById.get(idOf({ coin, kind, source }) ?? -1)
        return stored && { untilMs: stored.untilSec * 1000, missing: stored.missing }
      },
      log,
    })
    feed.start(signal)
    await repeat(FLUSH_MS, signal, () => this.#flush())
    await this.#flush()
  }

  #hear(tick: PriceTick): void {
    const stream = streamOf(tick)
    if (stream === undefined) return
    const nowMs = this.#options.clock.now()
    for (const heard of this.#speakers.hear(streamId(stream), tick, nowMs)) {
      this.#take(stream, heard, nowMs)
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
    this.#speakers.note(id, tick, nowMs)
    const taken = toStreamTick(id, tick)
    if (this.#buffer.add(taken)) this.#metrics.taken.inc({ source })
    else this.#metrics.refused.inc({ source, reason: 'overflow' })
    this.#tell(stream, taken, nowMs)
  }

  /**
   * At once, and not when it is written: a price is worth most in its first second, and none is ever
   * taken back. Of several sources the first one is heard.
   */
  #tell(stream: Stream, tick: StreamTick, nowMs: number): void {
    const key = `${stream.symbol} ${stream.kind}`
    const isNews = nowMs - tick.sec * 1000 <= NEWS_MS && tick.sec > (this.#told.get(key) ?? 0)
    const event = isNews ? toPriceEvent(stream, tick) : undefined
    if (event === undefined) return
    this.#told.set(key, tick.sec)
    this.#options.bus.publish([event])
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
    const { sources, clock, log } = this.#options
    const sinceMs = clock.now() - CANDLES_SEC * 1000
    const isFetching = sources.some((source) => source.isFetching?.('spot', sinceMs))
    try {
      await this.#buffer.flush()
      this.#hasCandles ||= !isFetching
    } catch (error) {
      log.warn({ err: error }, 'ticks wait to be written')
    }
  }
}

type Spoken = Pick<PriceTick, 'coin' | 'kind' | 'source'>

/** `undefined`: a coin that is not ours. */
function streamOf({ coin, kind, source }: Spoken): Stream | undefined {
  const symbol = toSymbol(coin)
  return symbol && { symbol, kind, source: sourceOf(source) }
}

function idOf(spoken: Spoken): number | undefined {
  const stream = streamOf(spoken)
  return stream && streamId(stream)
}

const toStreamTick = (stream: number, { timestampMs, price, bid, ask }: PriceTick): StreamTick => ({
  stream,
  // A price from within a second is one of its end: no boundary gets a price from after it.
  sec: Math.ceil(timestampMs / 1000),
  price: Number(price),
  bid: bid === undefined ? undefined : Number(bid),
  ask: ask === undefined ? undefined : Number(ask),
})

/** What each coin cost last, by whichever stream knows best. */
function anchorsOf(latest: ReadonlyMap<number, Price>): [CoinSymbol, Anchor][] {
  const newest = new Map<CoinSymbol, Anchor>()
  for (const [id, { sec, price }] of latest) {
    const symbol = STREAMS.get(id)?.symbol
    if (symbol === undefined || (newest.get(symbol)?.timestampMs ?? 0) >= sec * 1000) continue
    newest.set(symbol, { price, timestampMs: sec * 1000 })
  }
  return [...newest]
}
