import type { SocketGap, SocketState, SocketStatus } from '../transport/socket-options.js'
import type {
  PriceGap,
  PriceKind,
  PriceSourceHealth,
  PriceSourceName,
  PriceTick,
  StoredStreams,
} from './source.js'

/** How many timestamps of a stream are remembered: more than any snapshot repeats. */
const TIMESTAMPS_MAX = 900

/** Times between two ticks of a stream for which no tick came. */
export type TickHole = { coin: string; kind: PriceKind; afterMs: number; beforeMs: number }

export type TickDeduplicatorOptions = {
  /** Ticks of other coins are left out. */
  coins: readonly string[]
  /** A stream that jumps by more than this has a hole. */
  stepMsMax: number
  /** Asked once for each stream, with its first tick. Absent: a stream begins with that. */
  stored?: StoredStreams | undefined
  onTick: (tick: PriceTick) => void
  /** Called before the tick that comes after the hole. */
  onHole: (hole: TickHole) => void
}

type Stream = {
  kind: PriceKind
  /** Up to here every tick came, or is reported as missing. */
  settledMs: number
  timestamps: Set<number>
}

/**
 * Hands on each tick of a source once, by coin, kind and timestamp, and reports holes. Of a repeated
 * frame, a snapshot or a replay only the new ticks are handed on.
 */
export class TickDeduplicator {
  readonly #options: TickDeduplicatorOptions
  readonly #coins: ReadonlySet<string>
  readonly #streams = new Map<string, Stream>()
  #lastTickMs: number | undefined
  #lastTimestampMs: number | undefined

  constructor(options: TickDeduplicatorOptions) {
    this.#options = options
    this.#coins = new Set(options.coins)
  }

  get lastTickMs(): number | undefined {
    return this.#lastTickMs
  }

  /** The newest timestamp of any stream. */
  get lastTimestampMs(): number | undefined {
    return this.#lastTimestampMs
  }

  /** Whether `accept` would hand it on: the coin is wanted, and the timestamp did not come before. */
  isNew({ coin, kind, timestampMs }: PriceTick): boolean {
    const known = this.#streams.get(keyOf(coin, kind))?.timestamps
    return this.#coins.has(coin) && !known?.has(timestampMs)
  }

  accept(tick: PriceTick): void {
    if (!this.isNew(tick)) return
    const stream = this.#streamOf(tick)
    remember(stream.timestamps, tick.timestampMs)
    this.#settle(tick, stream)
    this.#lastTickMs = tick.receivedMs
    this.#lastTimestampMs = Math.max(this.#lastTimestampMs ?? 0, tick.timestampMs)
    this.#options.onTick(tick)
  }

  /**
   * To be called when a gap up to that time is reported, of one kind or of all: what it covers is not
   * reported as a hole again. Streams that were silent long before have a hole of their own, which
   * their next tick shows. Returns from when on ticks may be missing; `undefined` when none ever came.
   */
  closeGap(toMs: number, kind?: PriceKind): number | undefined {
    const ofKind = [...this.#streams.values()].filter((stream) => kind === undefined || stream.kind === kind)
    const newestMs = Math.max(...ofKind.map(({ settledMs }) => settledMs))
    const current = ofKind.filter(({ settledMs }) => newestMs - settledMs <= this.#options.stepMsMax)
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
      stream = { kind, settledMs, timestamps: new Set() }
      this.#streams.set(key, stream)
    }
    return stream
  }

  #settle({ coin, kind, timestampMs: beforeMs }: PriceTick, stream: Stream): void {
    const afterMs = stream.settledMs
    if (beforeMs <= afterMs) return
    stream.settledMs = beforeMs
    if (beforeMs - afterMs > this.#options.stepMsMax) this.#options.onHole({ coin, kind, afterMs, beforeMs })
  }
}

const keyOf = (coin: string, kind: PriceKind): string => `${coin} ${kind}`

function remember(timestamps: Set<number>, ms: number): void {
  timestamps.add(ms)
  if (timestamps.size <= TIMESTAMPS_MAX) return
  for (const oldest of timestamps) {
    timestamps.delete(oldest)
    break
  }
}

/** The gap in timestamps of prices, which come late: it begins at the last tick of the stream that lags most. */
export function toPriceGap(
  source: PriceSourceName,
  { fromMs, toMs, reason }: SocketGap,
  deduplicator: TickDeduplicator,
): PriceGap {
  const settledMs = deduplicator.closeGap(toMs) ?? fromMs
  return { source, fromMs: Math.min(fromMs, settledMs), toMs, reason }
}

/** `before`: the state while there is no socket yet. */
export function healthOf(
  name: PriceSourceName,
  deduplicator: TickDeduplicator | undefined,
  socket: SocketStatus | undefined,
  before: SocketState = 'closed',
): PriceSourceHealth {
  const { lastTickMs, lastTimestampMs } = deduplicator ?? {}
  const { state = before, openedMs } = socket ?? {}
  return { name, state, openedMs, lastTickMs, lastTimestampMs }
}
