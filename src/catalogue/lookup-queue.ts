import { LRUCache } from 'lru-cache'
import { type Clock, isYoungerThan } from '../core/clock.js'
import { limitCount } from '../lib/limit-count.js'

/** Tokens and conditions, each as the hex text of 32 bytes. */
export type LookupKeys = { tokens: string[]; conditions: string[] }

type Kind = keyof LookupKeys

export type LookupLimits = {
  /** Keys that wait or are being looked up. Further keys are dropped: the next event asks for them again. */
  waitingMax: number
  /** Keys that are remembered as not found. */
  absentMax: number
}

const createLookupCounts = () => ({
  queued: 0,
  /** Keys that were put back, because the database or Gamma did not answer. */
  retried: 0,
  /** Keys that found the queue full. */
  dropped: 0,
  /** Keys that Gamma has a market for, has none for, and has one for that cannot be read. */
  found: 0,
  absent: 0,
  unreadable: 0,
  /** Calls of Gamma without an answer, with an error status, and with an answer that is no JSON. */
  requestErrors: 0,
  statusErrors: 0,
  parseErrors: 0,
})

export type LookupCounts = ReturnType<typeof createLookupCounts>

/** Delays before a key that was not found is looked up again, by how often that happened. */
const ABSENT_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]

/**
 * Keys that callers need and that the catalogue does not have in memory. A key waits, is taken by the job
 * that looks it up, and then is either found (and forgotten here), absent for a while, or put back.
 */
export class LookupQueue {
  readonly #clock: Clock
  readonly #limits: LookupLimits
  readonly #waiting = new Map<string, Kind>()
  readonly #taken = new Set<string>()
  readonly #absent: LRUCache<string, { times: number; sinceMs: number; delayMs: number }>
  /** What became of the keys since the start. */
  readonly counts = createLookupCounts()
  #wake: () => void = () => undefined

  constructor(clock: Clock, limits: LookupLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#absent = new LRUCache(limitCount(limits.absentMax))
  }

  get waiting(): number {
    return this.#waiting.size + this.#taken.size
  }

  get absent(): number {
    return this.#absent.size
  }

  add(kind: Kind, key: string): void {
    if (this.#waiting.has(key) || this.#taken.has(key)) return
    const absent = this.#absent.get(key)
    if (absent !== undefined && isYoungerThan(absent.delayMs, absent.sinceMs, this.#clock.now())) return
    if (this.waiting >= this.#limits.waitingMax) {
      this.counts.dropped++
      return
    }
    this.counts.queued++
    this.#waiting.set(key, kind)
    this.#wake()
  }

  /** Takes the keys that wait longest. Each must be passed to `settle` or `putBack`. */
  take(max: number): LookupKeys {
    const keys: LookupKeys = { tokens: [], conditions: [] }
    for (const [key, kind] of this.#waiting) {
      if (keys.tokens.length + keys.conditions.length >= max) break
      keys[kind].push(key)
      this.#waiting.delete(key)
      this.#taken.add(key)
    }
    return keys
  }

  settle(key: string, isFound: boolean): void {
    this.#taken.delete(key)
    if (isFound) {
      this.#absent.delete(key)
      return
    }
    const times = this.#absent.peek(key)?.times ?? 0
    const delayMs = ABSENT_MS[times] ?? ABSENT_MS.at(-1) ?? 0
    this.#absent.set(key, { times: times + 1, sinceMs: this.#clock.now(), delayMs })
  }

  /** Returns keys that could not be looked up now. */
  putBack({ tokens, conditions }: LookupKeys): void {
    for (const key of tokens) this.#return('tokens', key)
    for (const key of conditions) this.#return('conditions', key)
  }

  /** Resolves as soon as a key waits, or when the signal aborts. */
  async untilWaiting(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size > 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        signal.removeEventListener('abort', this.#wake)
        this.#wake = () => undefined
        resolve()
      }
      signal.addEventListener('abort', this.#wake)
    })
  }

  #return(kind: Kind, key: string): void {
    if (!this.#taken.delete(key)) return
    this.counts.retried++
    this.#waiting.set(key, kind)
  }
}
