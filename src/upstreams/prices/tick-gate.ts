import type { PriceKind, PriceTick, StoredStreams } from './source.js'

/** How many moments of a stream are remembered: more than any snapshot repeats. */
const MOMENTS_MAX = 900

/** Moments that a stream left out: those between two that came. */
export type Hole = { coin: string; kind: PriceKind; afterMs: number; beforeMs: number }

export type TickGateOptions = {
  /** Ticks of other coins are left out. */
  coins: readonly string[]
  /** A stream that jumps by more than this has a hole. */
  stepMsMax: number
  /** Asked once for each stream, with its first tick. Absent: a stream begins with that. */
  stored?: StoredStreams | undefined
  onTick: (tick: PriceTick) => void
  /** Called before the tick that comes after the hole. */
  onHole: (hole: Hole) => void
}

type Stream = {
  kind: PriceKind
  /** Up to here every moment came, or was reported. */
  settledMs: number
  moments: Set<number>
}

/**
 * Everything that a source receives passes here on its way up: of each stream, a coin and a kind,
 * every moment once. A repeated frame, a snapshot or a replay brings only what is new.
 */
export class TickGate {
  readonly #options: TickGateOptions
  readonly #coins: ReadonlySet<string>
  readonly #streams = new Map<string, Stream>()
  #lastTickMs: number | undefined
  #lastTimestampMs: number | undefined

  constructor(options: TickGateOptions) {
    this.#options = options
    this.#coins = new Set(options.coins)
  }

  get lastTickMs(): number | undefined {
    return this.#lastTickMs
  }

  /** The newest moment of any stream. */
  get lastTimestampMs(): number | undefined {
    return this.#lastTimestampMs
  }

  /** Whether it would pass: the coin is wanted, and the moment did not come before. */
  isNew({ coin, kind, timestampMs }: PriceTick): boolean {
    const known = this.#streams.get(keyOf(coin, kind))?.moments
    return this.#coins.has(coin) && !known?.has(timestampMs)
  }

  pass(tick: PriceTick): void {
    if (!this.isNew(tick)) return
    const stream = this.#streamOf(tick)
    remember(stream.moments, tick.timestampMs)
    this.#settle(tick, stream)
    this.#lastTickMs = tick.receivedMs
    this.#lastTimestampMs = Math.max(this.#lastTimestampMs ?? 0, tick.timestampMs)
    this.#options.onTick(tick)
  }

  /**
   * A gap up to that moment is being reported, of one kind or of all: what it covers is no hole any
   * more. Streams that were silent long before have a hole of their own, which their next tick shows.
   * Returns from when on ticks may be missing; `undefined` when none ever came.
   */
  closeGap(toMs: number, kind?: PriceKind): number | undefined {
    const ofKind = [...this.#streams.values()].filter(
      (stream) => kind === undefined || stream.kind === kind,
    )
    const newestMs = Math.max(...ofKind.map(({ settledMs }) => settledMs))
    const current = ofKind.filter(
      ({ settledMs }) => newestMs - settledMs <= this.#options.stepMsMax,
    )
    if (current.length === 0) return undefined
    const fromMs = Math.min(...current.map(({ settledMs }) => settledMs))
    for (const stream of current) stream.settledMs = Math.max(stream.settledMs, toMs)
    return fromMs
  }

  #streamOf({ coin, kind, timestampMs }: PriceTick): Stream {
    const key = keyOf(coin, kind)
    let stream = this.#streams.get(key)
    if (stream === undefined) {
      const settledMs = this.#options.stored?.(coin, kind)?.untilMs ?? timestampMs
      stream = { kind, settledMs, moments: new Set() }
      this.#streams.set(key, stream)
    }
    return stream
  }

  #settle({ coin, kind, timestampMs: beforeMs }: PriceTick, stream: Stream): void {
    const afterMs = stream.settledMs
    if (beforeMs <= afterMs) return
    stream.settledMs = beforeMs
    if (beforeMs - afterMs > this.#options.stepMsMax)
      this.#options.onHole({ coin, kind, afterMs, beforeMs })
  }
}

const keyOf = (coin: string, kind: PriceKind): string => `${coin} ${kind}`

function remember(moments: Set<number>, ms: number): void {
  moments.add(ms)
  if (moments.size <= MOMENTS_MAX) return
  for (const oldest of moments) {
    moments.delete(oldest)
    break
  }
}
