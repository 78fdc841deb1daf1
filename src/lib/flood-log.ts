import type { Log } from './log.js'

type Level = 'error' | 'warn' | 'info'
type Kind = { level: Level; message: string; kind: string; repeated: number }

const REPORT_MS = 60_000
/** Further kinds of a message count as one. */
const KINDS_MAX = 1_000

/**
 * The log for lines that a client or an upstream can cause as often as it likes. The first line of a
 * kind is written at once. Those that follow are written at debug level and counted; once a minute
 * the count becomes one line, until a minute passes without any.
 */
export class FloodLog {
  readonly #log: Log
  readonly #kinds = new Map<string, Kind>()
  #timer: NodeJS.Timeout | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Lines with the same message and kind are of one kind. `fields` is called when the line is written. */
  write(level: Level, message: string, fields: () => object, kind = ''): void {
    const key = this.#keyOf(message, kind)
    const known = this.#kinds.get(key)
    if (known !== undefined) known.repeated++
    else this.#kinds.set(key, { level, message, kind, repeated: 0 })
    this.#timer ??= setTimeout(() => this.flush(), REPORT_MS).unref()
    const shownAt = known === undefined ? level : 'debug'
    if (this.#log.isLevelEnabled(shownAt)) this.#log[shownAt](fields(), message)
  }

  /** Writes the counts now. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [key, known] of this.#kinds) {
      const { level, message, kind, repeated } = known
      if (repeated === 0) this.#kinds.delete(key)
      else this.#log[level]({ ...(kind !== '' && { kind }), repeated }, message)
      known.repeated = 0
    }
    if (this.#kinds.size > 0) this.#timer = setTimeout(() => this.flush(), REPORT_MS).unref()
  }

  #keyOf(message: string, kind: string): string {
    const key = `${message}: ${kind}`
    return this.#kinds.size < KINDS_MAX || this.#kinds.has(key) ? key : message
  }
}
