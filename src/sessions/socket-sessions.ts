import { randomUUID } from 'node:crypto'
import type { Caller as AnyCaller } from '../accounts/key-ring.js'
import type { Plan } from '../accounts/plans.js'
import type { Clock } from '../core/clock.js'
import { unavailable } from '../core/errors.js'
import { nextUtcDay, utcDay } from '../core/unix-time.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import {
  addTimes,
  deleteHolder,
  lockAccounts,
  lockHolder,
  type SessionKind,
  selectOtherCounts,
  selectTimes,
  upsertCounts,
  upsertHolder,
} from './socket-queries.js'

/** How often `beat` should run: some times within the lease. */
export const BEAT_MS = 4_000

/** One slot for an open socket or firehose that an account holds. */
export type SocketSession = {
  /** What is left of the day's allowance; `undefined`: the plan has no such limit. */
  readonly leftMs: ((nowMs: number) => number) | undefined
  close(): void
}

export type SessionRefusal = 'connection_limit' | 'session_limit'

/** How many slots of each kind a plan grants. `null`: without limit. */
const GRANTED: Record<SessionKind, (plan: Plan) => number | null> = {
  events: (plan) => plan.eventSocketsMax,
  orderbook: (plan) => plan.orderbookSocketsMax,
  firehose: (plan) => plan.firehosesMax,
  replay: (plan) => plan.replaysMax,
}
/** The time of live sockets alone is limited: a replay has a length. */
const allowedMs = (plan: Plan, kind: SessionKind): number | null =>
  kind === 'firehose' || kind === 'replay' || plan.socketSecondsPerDay === null
    ? null
    : plan.socketSecondsPerDay * 1000

const OPENINGS_PER_BATCH_MAX = 1_000

type SessionStore = { readonly sql: Pool; readonly control: Pool }
type Caller = Pick<AnyCaller, 'accountId' | 'plan'>
type Count = { accountId: number; kind: SessionKind; count: number }
type Verdict = { session: SocketSession } | { refusal: SessionRefusal }
type Opening = {
  caller: Caller
  kind: SessionKind
  resolve: (verdict: Verdict) => void
  reject: (error: unknown) => void
}

/**
 * The open sockets and firehoses of accounts, limited over all processes on a database. A process knows its
 * own slots and writes how many there are of each account; it reads those of the other processes when it
 * grants one, with the account's row locked. Many openings at once are one transaction.
 */
export class SocketSessions {
  readonly #store: SessionStore
  readonly #clock: Clock
  readonly #holder = randomUUID()
  readonly #counts = new Map<string, Count>()
  readonly #changed = new Set<string>()
  readonly #times = new Set<SocketTime>()
  #owed: OwedTime[] = []
  #openings: Opening[] = []
  #working: Promise<void> | undefined
  #hasLease = false
  #isLeaving = false

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Takes a slot of the account, or says which limit is reached. Throws when the database does not answer, and when
   * this process releases its slots.
   */
  open(caller: Caller, kind: SessionKind): Promise<Verdict> {
    if (this.#isLeaving) return Promise.reject(unavailable('This process stops. Connect again.'))
    return new Promise((resolve, reject) => {
      this.#openings.push({ caller, kind, resolve, reject })
      this.#start()
    })
  }

  /** Prolongs the lease and writes the time that has passed. Throws when the database does not answer. */
  async beat(): Promise<void> {
    const isUnwritten = this.#changed.size > 0 || this.#owed.length > 0
    if (this.#counts.size === 0 && !this.#hasLease && !isUnwritten) return
    await this.#renew()
    const nowMs = this.#clock.now()
    for (const time of this.#times) this.#owed.push(...time.take(nowMs))
    this.#start()
    await this.#working
  }

  /** Releases all slots at once, before the connections are closed. It grants none any more. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    while (this.#working !== undefined) await this.#working
    const nowMs = this.#clock.now()
    for (const time of this.#times) this.#owed.push(...time.take(nowMs))
    this.#times.clear()
    this.#counts.clear()
    this.#changed.clear()
    const owed = this.#takeOwed()
    if (owed.length > 0) await addTimes(this.#store.sql, owed)
    if (this.#hasLease) await deleteHolder(this.#store.sql, this.#holder)
    this.#hasLease = false
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      // What failed to be written waits for the next beat.
      if (this.#openings.length > 0) this.#start()
    })
  }

  async #work(): Promise<void> {
    // In the next iteration of the event loop: openings of the same moment become one batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#openings.length > 0 || this.#changed.size > 0 || this.#owed.length > 0) {
      const openings = this.#openings.splice(0, OPENINGS_PER_BATCH_MAX)
      const isWritten = await this.#runBatch(openings)
      if (!isWritten) return
    }
  }

  async #runBatch(openings: Opening[]): Promise<boolean> {
    const changed = this.#takeChanged()
    const owed = this.#takeOwed()
    const granted: { opening: Opening; session: SocketSession }[] = []
    try {
      const write = () =>
        transact(this.#store.sql, async (tx) => {
          if (!(await lockHolder(tx, this.#holder))) return undefined
          if (owed.length > 0) await addTimes(tx, owed)
          const judged = await this.#judge(tx, openings, granted)
          const keys = new Set([...changed, ...granted.map(({ opening }) => keyOf(opening))])
          const rows = [...keys].map((key) => this.#counts.get(key) ?? parseKey(key))
          if (rows.length > 0) await upsertCounts(tx, this.#holder, rows)
          return judged
        })
      let refusals = this.#hasLease ? await write() : undefined
      if (refusals === undefined) {
        // The first one, or the server has lost the row of this process when it was killed.
        await this.#renew()
        // All counts are written again with the new row: another process that reads them next must see each.
        for (const key of this.#takeChanged()) changed.add(key)
        refusals = await write()
      }
      if (refusals === undefined) throw new Error('the lease of this process was deleted at once')
      for (const { opening, session } of granted) opening.resolve({ session })
      for (const [opening, refusal] of refusals) opening.resolve({ refusal })
      return true
    } catch (error) {
      for (const { session } of granted) session.close()
      for (const key of changed) this.#changed.add(key)
      this.#owed.push(...owed)
      for (const opening of openings) opening.reject(error)
      return false
    }
  }

  /** Decides on openings in the order in which they came. Grants count at once. */
  async #judge(
    tx: Sql,
    openings: readonly Opening[],
    granted: { opening: Opening; session: SocketSession }[],
  ): Promise<Map<Opening, SessionRefusal>> {
    const refusals = new Map<Opening, SessionRefusal>()
    if (openings.length === 0) return refusals
    const accountIds = [...new Set(openings.map(({ caller }) => caller.accountId))]
    await lockAccounts(tx, accountIds)
    const others = new Map(
      (await selectOtherCounts(tx, this.#holder, accountIds)).map((row) => [keyOf(row), row.count]),
    )
    const nowMs = this.#clock.now()
    const used = new Map(
      (await selectTimes(tx, accountIds, utcDay(nowMs))).map((row) => [keyOf(row), Number(row.usedMs)]),
    )
    for (const opening of openings) {
      const { caller, kind } = opening
      const key = keyOf(opening)
      const limit = GRANTED[kind](caller.plan)
      const open = (others.get(key) ?? 0) + (this.#counts.get(key)?.count ?? 0)
      const dailyMs = allowedMs(caller.plan, kind)
      const usedMs = used.get(key) ?? 0
      if (dailyMs !== null && usedMs >= dailyMs) refusals.set(opening, 'session_limit')
      else if (limit !== null && open >= limit) refusals.set(opening, 'connection_limit')
      else granted.push({ opening, session: this.#grant(opening, dailyMs, usedMs) })
    }
    return refusals
  }

  #grant({ caller, kind }: Opening, dailyMs: number | null, usedMs: number): SocketSession {
    const { accountId } = caller
    this.#add(accountId, kind, 1)
    const nowMs = this.#clock.now()
    const time =
      dailyMs === null ? undefined : new SocketTime({ accountId, kind, allowedMs: dailyMs, usedMs, nowMs })
    if (time !== undefined) this.#times.add(time)
    let isOpen = true
    return {
      leftMs: time === undefined ? undefined : (atMs) => time.leftMs(atMs),
      close: () => {
        if (!isOpen) return
        isOpen = false
        this.#close(accountId, kind, time)
      },
    }
  }

  #close(accountId: number, kind: SessionKind, time: SocketTime | undefined): void {
    const key = keyOf({ accountId, kind })
    // After `leave` there is nothing to give back.
    if (!this.#counts.has(key)) return
    if (time !== undefined && this.#times.delete(time)) {
      this.#owed.push(...time.take(this.#clock.now()))
    }
    this.#add(accountId, kind, -1)
    this.#changed.add(key)
    this.#start()
  }

  #add(accountId: number, kind: SessionKind, change: number): void {
    const key = keyOf({ accountId, kind })
    const count = (this.#counts.get(key)?.count ?? 0) + change
    if (count > 0) this.#counts.set(key, { accountId, kind, count })
    else this.#counts.delete(key)
  }

  async #renew(): Promise<void> {
    const isNew = await upsertHolder(this.#store.control, this.#holder)
    this.#hasLease = true
    // The counts of a lease that was taken away have gone with it.
    if (isNew) for (const key of this.#counts.keys()) this.#changed.add(key)
  }

  #takeChanged(): Set<string> {
    const changed = new Set(this.#changed)
    this.#changed.clear()
    return changed
  }

  #takeOwed(): OwedTime[] {
    const sums = new Map<string, OwedTime>()
    for (const owed of this.#owed) {
      const key = `${keyOf(owed)} ${owed.day}`
      const sum = sums.get(key)
      sums.set(key, sum === undefined ? owed : { ...owed, ms: sum.ms + owed.ms })
    }
    this.#owed = []
    return [...sums.values()]
  }
}

type Keyed = { kind: SessionKind } & ({ accountId: number } | { caller: Caller })

const keyOf = (keyed: Keyed): string =>
  `${'caller' in keyed ? keyed.caller.accountId : keyed.accountId} ${keyed.kind}`

/** The count of an account that holds no slots in this process. */
function parseKey(key: string): Count {
  const [accountId, kind] = key.split(' ')
  return { accountId: Number(accountId), kind: kind as SessionKind, count: 0 }
}

const DAY_MS = 24 * 60 * 60_000

/** Time that passed on a connection and is not written yet. */
type OwedTime = { accountId: number; day: string; kind: SessionKind; ms: number }

type SocketTimeOptions = {
  accountId: number
  kind: SessionKind
  /** What the plan allows a day. */
  allowedMs: number
  /** What the account had used on the day of `nowMs`. */
  usedMs: number
  nowMs: number
}

/** The time of one connection whose plan allows this much of it per UTC day. */
export class SocketTime {
  readonly #options: SocketTimeOptions
  #day: string
  #usedMs: number
  #countedToMs: number

  constructor(options: SocketTimeOptions) {
    this.#options = options
    this.#day = utcDay(options.nowMs)
    this.#usedMs = options.usedMs
    this.#countedToMs = options.nowMs
  }

  /** What is left of the day's allowance; at midnight it is whole again. */
  leftMs(nowMs: number): number {
    const { allowedMs } = this.#options
    const isNewDay = utcDay(nowMs) !== this.#day
    const usedMs = isNewDay ? 0 : this.#usedMs
    const countedToMs = isNewDay ? nextUtcDay(nowMs) - DAY_MS : this.#countedToMs
    return allowedMs - usedMs - (nowMs - countedToMs)
  }

  /** The time since the last call, by UTC day. */
  take(nowMs: number): OwedTime[] {
    const { accountId, kind } = this.#options
    const owed: OwedTime[] = []
    while (this.#countedToMs < nowMs) {
      const toMs = Math.min(nowMs, nextUtcDay(this.#countedToMs))
      const day = utcDay(this.#countedToMs)
      const ms = toMs - this.#countedToMs
      this.#usedMs = (day === this.#day ? this.#usedMs : 0) + ms
      this.#day = day
      this.#countedToMs = toMs
      owed.push({ accountId, day, kind, ms })
    }
    return owed
  }
}
