import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.js'
import { ApiError } from '../../core/errors.js'
import type { RowFormatName } from '../../http/row-format.js'
import { FairSemaphore } from '../../lib/fair-semaphore.js'
import { EXPORT_CONNECTIONS, type Store } from '../../store/store.js'
import { ROW_WRITERS, type RowWriter } from './row-writer.js'
import { Spool } from './spool.js'
import {
  type ExportLimits,
  type ExportSink,
  type ExportWanted,
  type FoundTrades,
  streamExport,
} from './stream-export.js'

const KEPT_MS = 5 * 60_000
/** Of all files that are kept together. The largest export has about 130 MB. */
const KEPT_BYTES_MAX = 1024 ** 3
/** The exports of all accounts wait in one queue: callers share an export that another one began. */
const QUEUE = { owner: 0, ownMax: EXPORT_CONNECTIONS }

type Deps = { store: Pick<Store, 'heavyAnswers'>; clock: Clock }

/**
 * The exports that are being made, which all callers who ask for the same one share, and those of the
 * last five minutes that are whole.
 */
export class TradeExports {
  readonly #deps: Deps
  readonly #limits: ExportLimits
  readonly #inProgress = new Map<string, TradeExport>()
  readonly #kept: LRUCache<string, TradeExport>
  readonly #slots = new FairSemaphore({ totalMax: EXPORT_CONNECTIONS })

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
      (sink, signal) =>
        this.#slots.run({ ...QUEUE, signal }, () =>
          streamExport(this.#deps.store.heavyAnswers, wanted, this.#limits, sink, signal),
        ),
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
    // Held at once: the spool is closed when its last reader leaves.
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
}

type Stream = (sink: ExportSink, signal: AbortSignal) => Promise<void>

/** One export: it is read and written once, for all its readers. When the last one leaves, the reading stops. */
export class TradeExport {
  readonly spool = new Spool()
  /** Rejects when the reading fails before. */
  readonly found: Promise<FoundTrades>
  /** What was found, when all of it is written; `undefined`: the reading failed or was stopped. */
  readonly done: Promise<FoundTrades | undefined>
  readonly #reading = new AbortController()
  #readers = 0
  #isWritten = false

  constructor(stream: Stream, writer: RowWriter) {
    let resolveFound = (_found: FoundTrades): void => undefined
    let rejectFound = (_error: unknown): void => undefined
    this.found = new Promise((resolve, reject) => {
      resolveFound = resolve
      rejectFound = reject
    })
    this.done = this.#write(stream, writer, resolveFound).then(
      () => this.found,
      (error: unknown) => {
        rejectFound(error)
        return undefined
      },
    )
    // A reader that has left does not look at it.
    this.found.catch(() => undefined)
  }

  join(): void {
    this.#readers++
    this.spool.hold()
  }

  leave(): void {
    this.#readers--
    if (this.#readers === 0 && !this.#isWritten) {
      this.#reading.abort(new ApiError(499, 'The client has left.'))
    }
    this.spool.release()
  }

  /** Whether its reading was stopped, so that it gets no further. */
  get isStopped(): boolean {
    return this.#reading.signal.aborted
  }

  async #write(stream: Stream, writer: RowWriter, begin: (found: FoundTrades) => void): Promise<void> {
    const { spool } = this
    let writing = spool.append(writer.begin())
    writing.catch(() => undefined)
    try {
      const write: ExportSink['write'] = async (rows) => {
        await writing
        // The database works on the next batch meanwhile.
        writing = setImmediate()
          .then(() => writer.rows(rows))
          .then((bytes) => spool.append(bytes))
        writing.catch(() => undefined)
      }
      await stream({ begin, write }, this.#reading.signal)
      await writing
      await spool.append(await writer.end())
      spool.end()
      this.#isWritten = true
    } catch (error) {
      spool.fail(error)
      await writing.catch(() => undefined)
      throw error
    } finally {
      spool.release()
    }
  }
}
