import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.js'
import type { Pool } from '../store/connection.js'
import type { Meter } from './plans.js'
import { addUsage, type UsageBatch } from './queries.js'

/** How often `flush` should run: what a crash can lose. */
export const FLUSH_MS = 2_000

type Counts = Partial<Record<Meter, number>>
type Month = { month: string; accounts: Map<number, Counts> }

/**
 * Counts what accounts use. Counting touches memory alone; `flush` writes what has gathered in one
 * statement. A batch keeps its number until the database has acknowledged it, so that it is added
 * exactly once even when the acknowledgement gets lost.
 */
export class UsageMeter {
  readonly #store: { readonly sql: Pool }
  readonly #clock: Clock
  readonly #writer = randomUUID()
  #batch = 0
  #sent: Month[] = []
  #gathered: Month[] = []
  #current: Month | undefined
  #monthEndsAtMs = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> | undefined

  constructor(store: { readonly sql: Pool }, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  add(accountId: number, meter: Meter, amount: number): void {
    const { accounts } = this.#thisMonth()
    let counts = accounts.get(accountId)
    if (counts === undefined) {
      counts = {}
      accounts.set(accountId, counts)
    }
    counts[meter] = (counts[meter] ?? 0) + amount
  }

  /** What this process has counted for an account and not written yet. */
  pending(accountId: number, month: string, meter: Meter): number {
    return [...this.#sent, ...this.#gathered]
      .filter((part) => part.month === month)
      .reduce((sum, { accounts }) => sum + (accounts.get(accountId)?.[meter] ?? 0), 0)
  }

  /** Writes what has gathered. Throws when the database does not take it; nothing is lost then. */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #write(): Promise<void> {
    if (this.#sent.length === 0) this.#seal()
    if (this.#sent.length === 0) return
    await addUsage(this.#store.sql, {
      writer: this.#writer,
      batch: this.#batch,
      nowMs: this.#clock.now(),
      rows: this.#sent.flatMap(toRows),
    })
    this.#sent = []
  }

  #seal(): void {
    this.#sent = this.#gathered
    this.#gathered = []
    this.#current = undefined
    this.#batch++
  }

  #thisMonth(): Month {
    const nowMs = this.#clock.now()
    if (this.#current === undefined || nowMs >= this.#monthEndsAtMs) {
      this.#current = { month: monthOf(nowMs), accounts: new Map() }
      this.#gathered.push(this.#current)
      this.#monthEndsAtMs = monthEnd(nowMs)
    }
    return this.#current
  }
}

/** The UTC month of a time, as the first day of that month. */
export const monthOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 7)}-01`

export const monthStart = (ms: number): number => Date.parse(monthOf(ms))

export function monthEnd(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

function toRows({ month, accounts }: Month): UsageBatch['rows'] {
  return [...accounts].flatMap(([accountId, counts]) =>
    Object.entries(counts).map(([meter, amount]) => ({ accountId, month, meter, amount })),
  )
}
