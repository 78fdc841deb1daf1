import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.js'
import type { RowFormatName } from '../../http/row-format.js'
import type { Store } from '../../store/store.js'
import { ROW_WRITERS } from './row-writer.js'
import { TradeExport } from './trade-export.js'
import { type ExportLimits, type ExportSink, type ExportWanted, walkExport } from './walk.js'

const KEPT_MS = 5 * 60_000
/** Of all files that are kept together. The largest export has about 130 MB. */
const KEPT_BYTES_MAX = 1024 ** 3
/** Each takes a connection to the database. */
const WALKS_MAX = 2

type Deps = { store: Pick<Store, 'answers'>; clock: Clock }

/**
 * The exports that are being made, which all callers who ask for the same one share, and those of the
 * last five minutes that are whole.
 */
export class TradeExports {
  readonly #deps: Deps
  readonly #limits: ExportLimits
  readonly #inProgress = new Map<string, TradeExport>()
  readonly #kept: LRUCache<string, TradeExport>
  readonly #waiting: (() => void)[] = []
  #walks = 0

  constructor(deps: Deps, limits: ExportLimits) {
    this.#deps = deps
    this.#limits = limits
    this.#kept = new LRUCache({
      max: limits.keptMax,
      maxSize: KEPT_BYTES_MAX,
      sizeCalculation: ({ spool }) => Math.max(1, spool.bytes),
      ttl: KEPT_MS,
      ttlResolution: 0,
      perf: { now: () => deps.clock.now() },
      dispose: ({ spool }) => spool.release(),
    })
  }

  /**
   * The caller has joined the export, and must leave it. `reorg`: the last one; an export from before it may have
   * reverted trades, and is not joined.
   */
  join(wanted: ExportWanted, format: RowFormatName, reorg: bigint): { joined: TradeExport; isKept: boolean } {
    const key = JSON.stringify([wanted, format, `${reorg}`])
    this.#kept.purgeStale()
    const kept = this.#kept.get(key)
    const joined = kept ?? this.#inProgress.get(key)
    if (joined !== undefined && !joined.isStopped) {
      joined.join()
      return { joined, isKept: kept !== undefined }
    }
    const begun = new TradeExport(
      (sink, signal) => this.#walk(wanted, sink, signal),
      ROW_WRITERS[format]('address' in wanted.of ? wanted.of.address : undefined),
    )
    begun.join()
    this.#inProgress.set(key, begun)
    void this.#keep(key, begun)
    return { joined: begun, isKept: false }
  }

  close(): void {
    this.#kept.clear()
  }

  async #keep(key: string, begun: TradeExport): Promise<void> {
    // Held before its last reader can leave it.
    begun.spool.hold()
    const found = await begun.done
    if (this.#inProgress.get(key) === begun) this.#inProgress.delete(key)
    if (found?.partialReason === null) {
      this.#kept.set(key, begun)
      setTimeout(() => this.#kept.purgeStale(), KEPT_MS + 1).unref()
    } else {
      begun.spool.release()
    }
  }

  /** When it is its turn: in the order in which they came. */
  async #walk(wanted: ExportWanted, sink: ExportSink, signal: AbortSignal): Promise<void> {
    if (this.#walks < WALKS_MAX) this.#walks++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      signal.throwIfAborted()
      await walkExport(this.#deps.store.answers, wanted, this.#limits, sink, signal)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#walks--
      else next()
    }
  }
}
