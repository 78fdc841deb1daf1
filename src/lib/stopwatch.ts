/** What a request spends its time on. */
type Part = 'waiting' | 'database' | 'rendering' | 'sending'

type RunningQuery = { nameOf: () => string; startedMs: number }

/**
 * Splits the time of one request into parts that add up to the whole: `database` while any query of it runs,
 * else `waiting` while it waits for anything, else `rendering`, and from `startSending` on `sending`.
 */
export class Stopwatch {
  readonly #spentMs = { waiting: 0, database: 0, rendering: 0, sending: 0 }
  readonly #queries = new Set<RunningQuery>()
  #waits = 0
  #isSending = false
  #changedMs = performance.now()
  readonly #startedMs = this.#changedMs
  #slowest: { query: RunningQuery; queryMs: number } | undefined

  /** The returned function ends it. */
  beginWait(): () => void {
    this.#advance()
    this.#waits++
    return () => {
      this.#advance()
      this.#waits--
    }
  }

  /** The returned function ends it. `nameOf` is called by `read`. */
  beginQuery(nameOf: () => string): () => void {
    this.#advance()
    const query = { nameOf, startedMs: this.#changedMs }
    this.#queries.add(query)
    return () => {
      this.#advance()
      this.#queries.delete(query)
      this.#compare(query)
    }
  }

  /** The first byte of the answer goes out. */
  startSending(): void {
    this.#advance()
    this.#isSending = true
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedMs
  }

  /** The parts until now, and the slowest query, which may still run. */
  read() {
    this.#advance()
    for (const query of this.#queries) this.#compare(query)
    const slowest = this.#slowest && {
      query: this.#slowest.query.nameOf(),
      queryMs: this.#slowest.queryMs,
    }
    return { spentMs: { ...this.#spentMs }, slowest }
  }

  #advance(): void {
    const nowMs = performance.now()
    this.#spentMs[this.#part] += nowMs - this.#changedMs
    this.#changedMs = nowMs
  }

  get #part(): Part {
    if (this.#queries.size > 0) return 'database'
    if (this.#waits > 0) return 'waiting'
    return this.#isSending ? 'sending' : 'rendering'
  }

  #compare(query: RunningQuery): void {
    const queryMs = this.#changedMs - query.startedMs
    if (queryMs > (this.#slowest?.queryMs ?? -1)) this.#slowest = { query, queryMs }
  }
}

/** Counts the time until the work is done as `waiting`. */
export async function countWait<T>(stopwatch: Stopwatch | undefined, work: Promise<T>): Promise<T> {
  const end = stopwatch?.beginWait()
  try {
    return await work
  } finally {
    end?.()
  }
}
