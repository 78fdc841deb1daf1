import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.js'
import { nextUtcDay, utcDay } from '../core/unix-time.js'
import type { Pool } from '../store/connection.js'
import type { Caller } from './key-ring.js'
import type { Meter } from './plans.js'
import {
  addOperationUsage,
  addUsage,
  NOTHING_USED,
  noteKeyUse,
  type OperationUsage,
  type UsageBatch,
  type UsageDay,
} from './usage-queries.js'

/** How often `flush` should run: what a crash can lose. */
export const FLUSH_MS = 2_000

type Account = Pick<Caller, 'accountId' | 'keyId'>

/** What usage is counted by: one of a small fixed set, because each is a row for the account and day. */
export type UsageSource = {
  /** The operation of the API, or the meter of sockets. */
  operation: string
  /** The group that the operation belongs to. */
  family: string
}

/** `refused`: by a limit. `failed`: by a fault of the service. */
export type RequestOutcome = 'counted' | 'refused' | 'failed'

type Amount = {
  family: string
  requests: number
  refused: number
  failed: number
  answerBytes: number
  socketBytes: number
}
/** What an account used, in the month's meters and by key and operation. */
type Counts = { meters: Partial<Record<Meter, number>>; keys: Map<number, Map<string, Amount>> }
type Day = { day: string; accounts: Map<number, Counts> }

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
  #sent: Day[] = []
  #sealedMs = 0
  #gathered: Day[] = []
  #current: Day | undefined
  #dayEndsAtMs = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> | undefined

  constructor(store: { readonly sql: Pool }, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Counts a request and the bytes of its answer. Only what is neither refused nor failed is metered. */
  addRequest(
    { accountId, keyId }: Account,
    source: UsageSource,
    outcome: RequestOutcome,
    answerBytes: number,
  ): void {
    const { meters, keys } = this.#countsOf(accountId)
    const amount = amountOf(operationsOf(keys, keyId), source)
    amount.answerBytes += answerBytes
    if (outcome === 'counted') {
      meters.api_requests = (meters.api_requests ?? 0) + 1
      amount.requests++
    } else amount[outcome]++
  }

  /** Counts payload of sockets under the name of its meter. */
  addTransfer({ accountId, keyId }: Account, meter: 'ws_market' | 'ws_onchain', bytes: number): void {
    const { meters, keys } = this.#countsOf(accountId)
    meters[meter] = (meters[meter] ?? 0) + bytes
    const source = { operation: meter, family: meter }
    amountOf(operationsOf(keys, keyId), source).socketBytes += bytes
  }

  /** Notes that a key is in use, for something that is not counted. */
  note({ accountId, keyId }: Account): void {
    operationsOf(this.#countsOf(accountId).keys, keyId)
  }

  /** What this process has counted for an account in a month, `YYYY-MM-01`, and not written yet. */
  pending(accountId: number, month: string, meter: Meter): number {
    return [...this.#sent, ...this.#gathered]
      .filter(({ day }) => monthOfDay(day) === month)
      .reduce((sum, { accounts }) => sum + (accounts.get(accountId)?.meters[meter] ?? 0), 0)
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
      months: this.#sent.flatMap(toMonths),
      days: this.#sent.flatMap(toDays),
      operations: this.#sent.flatMap(toOperations),
    })
    const keyIds = this.#sent.flatMap(({ accounts }) =>
      [...accounts.values()].flatMap(({ keys }) => [...keys.keys()]),
    )
    await noteKeyUse(this.#store.sql, keyIds, this.#sealedMs)
    this.#sent = []
  }

  #seal(): void {
    this.#sent = this.#gathered
    this.#sealedMs = this.#clock.now()
    this.#gathered = []
    this.#current = undefined
    this.#batch++
  }

  #countsOf(accountId: number): Counts {
    const { accounts } = this.#today()
    let counts = accounts.get(accountId)
    if (counts === undefined) {
      counts = { meters: {}, keys: new Map() }
      accounts.set(accountId, counts)
    }
    return counts
  }

  #today(): Day {
    const nowMs = this.#clock.now()
    if (this.#current === undefined || nowMs >= this.#dayEndsAtMs) {
      this.#current = { day: utcDay(nowMs), accounts: new Map() }
      this.#gathered.push(this.#current)
      this.#dayEndsAtMs = nextUtcDay(nowMs)
    }
    return this.#current
  }
}

function operationsOf(keys: Counts['keys'], keyId: number): Map<string, Amount> {
  let operations = keys.get(keyId)
  if (operations === undefined) {
    operations = new Map()
    keys.set(keyId, operations)
  }
  return operations
}

function amountOf(operations: Map<string, Amount>, { operation, family }: UsageSource): Amount {
  let amount = operations.get(operation)
  if (amount === undefined) {
    amount = { family, requests: 0, refused: 0, failed: 0, answerBytes: 0, socketBytes: 0 }
    operations.set(operation, amount)
  }
  return amount
}

const monthOfDay = (day: string): string => `${day.slice(0, 7)}-01`

/** The UTC month of a time, as the first day of that month. */
export const monthOf = (ms: number): string => monthOfDay(utcDay(ms))

export const monthStart = (ms: number): number => Date.parse(monthOf(ms))

export function monthEnd(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

function toMonths({ day, accounts }: Day): UsageBatch['months'] {
  const month = monthOfDay(day)
  return [...accounts].flatMap(([accountId, { meters }]) =>
    Object.entries(meters).map(([meter, amount]) => ({ accountId, month, meter, amount })),
  )
}

/** By key and family: the requests that count, and what sockets sent. */
function toDays({ day, accounts }: Day): UsageBatch['days'] {
  return [...accounts].flatMap(([accountId, { keys }]) =>
    [...keys].flatMap(([keyId, operations]) => {
      const families = new Map<string, UsageDay>()
      for (const { family, requests, socketBytes } of operations.values()) {
        if (requests + socketBytes === 0) continue
        const sum = families.get(family) ?? { accountId, keyId, day, family, requests: 0, bytes: 0 }
        families.set(family, {
          ...sum,
          requests: sum.requests + requests,
          bytes: sum.bytes + socketBytes,
        })
      }
      return [...families.values()]
    }),
  )
}

/** By operation, of all keys together. */
function toOperations({ day, accounts }: Day): UsageBatch['operations'] {
  return [...accounts].flatMap(([accountId, { keys }]) => {
    const sums = new Map<string, OperationUsage>()
    for (const operations of keys.values()) {
      for (const [operation, { answerBytes, socketBytes, ...amount }] of operations) {
        const used = { ...amount, bytes: answerBytes + socketBytes }
        sums.set(operation, addOperationUsage(sums.get(operation) ?? NOTHING_USED, used))
      }
    }
    return [...sums].map(([operation, sum]) => ({ accountId, day, operation, ...sum }))
  })
}
