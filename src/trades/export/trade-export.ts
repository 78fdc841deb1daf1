import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../core/errors.js'
import type { RowWriter } from './row-writer.js'
import { Spool } from './spool.js'
import type { ExportSink, FoundTrades } from './walk.js'

type Walk = (sink: ExportSink, signal: AbortSignal) => Promise<void>

/** One export: it is walked and written once, for all its readers. When the last one leaves, the walk stops. */
export class TradeExport {
  readonly spool = new Spool()
  /** Rejects when the walk fails before. */
  readonly found: Promise<FoundTrades>
  /** What was found, when all of it is written; `undefined`: the walk failed or was stopped. */
  readonly done: Promise<FoundTrades | undefined>
  readonly #walk = new AbortController()
  #readers = 0
  #isWritten = false

  constructor(walk: Walk, writer: RowWriter) {
    let resolveFound = (_found: FoundTrades): void => undefined
    let rejectFound = (_error: unknown): void => undefined
    this.found = new Promise((resolve, reject) => {
      resolveFound = resolve
      rejectFound = reject
    })
    this.done = this.#write(walk, writer, resolveFound).then(
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
      this.#walk.abort(new ApiError(499, 'The client has left.'))
    }
    this.spool.release()
  }

  /** Whether its walk was stopped, so that it gets no further. */
  get isStopped(): boolean {
    return this.#walk.signal.aborted
  }

  async #write(walk: Walk, writer: RowWriter, begin: (found: FoundTrades) => void): Promise<void> {
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
      await walk({ begin, write }, this.#walk.signal)
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
