import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import { limitCount } from '../lib/limit-count.js'
import type { RedisConnection } from '../redis/connection.js'
import { type Balance, type Charge, type Limiter, stricter, type Verdict } from './limiter.js'
import { endLeases, type Lease, lookAtUnits, takeUnits, type WindowState } from './redis-windows.js'

/** How long units may be lent, where the window is not short itself. */
const LEASE_MS_MAX = 1_000
/** How often leases that end before the next time are given back. */
export const LEASE_RETURN_MS = 250
const LEASE_UNITS_MAX = 50
const LEASES_PER_CALL = 100
const REQUESTS_PER_CALL = 500
const WINDOWS_MAX = 100_000
/** A clock that was set differs by more; what differs by less is the time that answers took. */
const CLOCK_STEP_MS_MIN = 1_000

type RedisLimiterOptions = {
  redis: RedisConnection
  /** Counts while Redis is lost, and what has to outlast Redis. */
  fallback: Limiter
  clock: Clock
  registry: Registry
  leaseUnitsMax?: number
  /** Replaces the clock of the Redis server. */
  serverClock?: Clock
}

/** What Redis last said of a window to this process. Times are those of the server's clock. */
type KnownWindow = WindowState & { limit: number; updatedAtMs: number }
type HeldLease = Pick<Charge, 'bucket' | 'subject'> & { lease: Lease }
type Waiter = { charges: readonly Charge[]; resolve: (verdict: Verdict | Promise<Verdict>) => void }

/**
 * Counts all charges in Redis, for all processes together. A request is decided
 * - by a lease: units that this process has taken before its requests came, as many as it used of late;
 * - by a refusal that is still true: a full window has no free unit before its oldest one leaves it;
 * - by Redis, in one call for all its charges; requests that come meanwhile wait for the next call together;
 * - by `fallback`, while Redis is lost, or when its charge is lasting.
 * Requests that come before Redis is known to answer or to be lost wait, for a second at most.
 *
 * The clock of the Redis server decides, so that processes whose clocks differ count in the same window.
 */
export class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions
  readonly #decisions: Counter<'by'>
  readonly #windows = new LRUCache<string, KnownWindow>(limitCount(WINDOWS_MAX))
  readonly #leases = new Map<string, HeldLease>()
  /** Requests that wait for Redis, by the charges that they have in common. */
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #processId = randomBytes(6).toString('base64url')
  #lastLease = 0
  /** From the clock of this process to that of the server. */
  #offsetMs = 0

  constructor(options: RedisLimiterOptions) {
    this.#options = options
    this.#decisions = createMetrics(options.registry, () => this.#countLent())
  }

  take(charges: readonly Charge[]): Verdict | Promise<Verdict> {
    if (charges.some(isLasting)) {
      assert(charges.length === 1, 'a lasting charge is alone')
      return this.#options.fallback.take(charges)
    }
    const { redis } = this.#options
    // A process that has just started would allow again what others have counted in Redis.
    if (redis.isStarting) return redis.started.then(() => this.take(charges))
    if (redis.problem !== undefined) return this.#fallBack(charges)
    return this.#decide(charges) ?? this.#wait(charges)
  }

  async look(charges: readonly Charge[]): Promise<Balance[]> {
    const { fallback } = this.#options
    const lasting = charges.filter(isLasting)
    const others = charges.filter((charge) => !isLasting(charge))
    const [kept, counted] = await Promise.all([
      fallback.look(lasting),
      this.#look(others).catch(() => fallback.look(others)),
    ])
    const balances = new Map([...kept, ...counted].map((balance) => [balance.bucket, balance]))
    return charges.flatMap(({ bucket }) => balances.get(bucket) ?? [])
  }

  async #look(charges: readonly Charge[]): Promise<Balance[]> {
    const { windows } = await lookAtUnits(this.#options.redis, this.#serverMs(), charges)
    return charges.map((charge, index) => this.#weigh(charge, windows[index]))
  }

  /** Gives back what is not used of leases that end soon. */
  async giveBackOld(): Promise<void> {
    const soonMs = this.#nowMs() + LEASE_RETURN_MS
    await this.#giveBack([...this.#leases].filter(([, { lease }]) => lease.untilMs <= soonMs))
  }

  /** Gives back all leases, for a process that stops. */
  async giveBackAll(): Promise<void> {
    await this.#giveBack([...this.#leases])
  }

  async #giveBack(held: readonly [string, HeldLease][]): Promise<void> {
    const { redis } = this.#options
    for (const [name] of held) this.#leases.delete(name)
    // What is not given back counts as used when the lease ends.
    if (redis.problem !== undefined) return
    for (let from = 0; from < held.length; from += LEASES_PER_CALL) {
      const part = held.slice(from, from + LEASES_PER_CALL).map(([, lease]) => lease)
      await endLeases(redis, part).catch(() => undefined)
    }
  }

  /** `undefined`: only Redis can decide. */
  #decide(charges: readonly Charge[]): Verdict | undefined {
    const nowMs = this.#nowMs()
    if (charges.every((charge) => this.#unitsOf(charge, nowMs) > 0)) {
      for (const charge of charges) this.#leases.get(nameOf(charge))?.lease.usedAtMs.push(nowMs)
      this.#decisions.inc({ by: 'lease' })
      return this.#toVerdict(charges, true)
    }
    if (!charges.some((charge) => this.#isFull(charge, nowMs))) return undefined
    this.#decisions.inc({ by: 'refusal' })
    return this.#toVerdict(charges, false)
  }

  #wait(charges: readonly Charge[]): Promise<Verdict> {
    const name = charges.map((charge) => `${nameOf(charge)} ${charge.limit}`).join()
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(name)
      if (waiters !== undefined) {
        waiters.push({ charges, resolve })
        return
      }
      const first = [{ charges, resolve }]
      this.#waiting.set(name, first)
      void this.#serve(name, first)
    })
  }

  async #serve(name: string, waiters: Waiter[]): Promise<void> {
    while (waiters.length > 0) {
      const undecided = waiters.splice(0, REQUESTS_PER_CALL).filter(({ charges, resolve }) => {
        const verdict = this.#options.redis.problem === undefined ? this.#decide(charges) : undefined
        if (verdict !== undefined) resolve(verdict)
        return verdict === undefined
      })
      const [first] = undecided
      if (first !== undefined) await this.#ask(first.charges, undecided)
    }
    this.#waiting.delete(name)
  }

  /** Decides requests that have the same charges. */
  async #ask(charges: readonly Charge[], waiters: readonly Waiter[]): Promise<void> {
    try {
      const granted = await this.#takeUnits(charges, waiters.length)
      this.#decisions.inc({ by: 'redis' }, waiters.length)
      for (const [index, { resolve }] of waiters.entries()) {
        resolve(this.#toVerdict(charges, index < granted))
      }
    } catch {
      for (const { resolve } of waiters) resolve(this.#fallBack(charges))
    }
  }

  async #takeUnits(charges: readonly Charge[], requests: number): Promise<number> {
    const id = `${this.#processId}.${(++this.#lastLease).toString(36)}.`
    const requested = charges.map((charge) => {
      const leaseMs = Math.min(LEASE_MS_MAX, charge.windowMs / 10)
      const leaseMax = this.#expectedUnits(charge, leaseMs, requests)
      const ended = this.#leases.get(nameOf(charge))?.lease
      this.#leases.delete(nameOf(charge))
      return { ...charge, leaseMs, leaseMax, ended }
    })
    const answer = await takeUnits(this.#options.redis, {
      nowMs: this.#serverMs(),
      requests,
      id,
      charges: requested,
    })
    this.#learnTime(answer.nowMs)
    for (const [index, { lent, ...state }] of answer.windows.entries()) {
      const charge = requested[index]
      if (charge !== undefined) this.#learn(charge, state, { ...answer, id, lent })
    }
    return answer.granted
  }

  #learn(
    charge: Charge & { leaseMs: number },
    state: WindowState,
    { id, nowMs, granted, lent }: { id: string; nowMs: number; granted: number; lent: number },
  ): void {
    const { bucket, subject, limit } = charge
    this.#windows.set(nameOf(charge), { ...state, limit, updatedAtMs: nowMs })
    if (lent === 0) return
    // The units of the requests themselves have the first members.
    const usedAtMs = Array.from({ length: granted }, () => nowMs)
    const lease = { id, size: granted + lent, usedAtMs, untilMs: nowMs + charge.leaseMs }
    this.#leases.set(nameOf(charge), { bucket, subject, lease })
  }

  /** As many as were used of late in the time of a lease. A key that asks once in a while takes none. */
  #expectedUnits(charge: Charge, leaseMs: number, requests: number): number {
    const { leaseUnitsMax = LEASE_UNITS_MAX } = this.#options
    const known = this.#windows.get(nameOf(charge))
    if (known === undefined) return 0
    const passedMs = this.#nowMs() - known.updatedAtMs
    if (passedMs >= leaseMs) return 0
    const used = requests + (this.#leases.get(nameOf(charge))?.lease.usedAtMs.length ?? 0)
    return Math.min(leaseUnitsMax, Math.floor((used * leaseMs) / Math.max(1, passedMs)))
  }

  /** What this process may use of a window without asking. */
  #unitsOf(charge: Charge, nowMs: number): number {
    const lease = this.#leases.get(nameOf(charge))?.lease
    return lease === undefined || lease.untilMs <= nowMs ? 0 : lease.size - lease.usedAtMs.length
  }

  /** Units become free when the oldest one leaves the window, or when another process returns what it was lent. */
  #isFull(charge: Charge, nowMs: number): boolean {
    const known = this.#windows.get(nameOf(charge))
    if (known === undefined || known.limit !== charge.limit || known.used < known.limit) return false
    const { freeAtMs, lentUntilMs } = known
    const untilMs = lentUntilMs === 0 ? freeAtMs : Math.min(freeAtMs, lentUntilMs)
    // A time further away than the window is of before the clock was set back.
    return nowMs < untilMs && untilMs <= nowMs + charge.windowMs
  }

  #toVerdict(charges: readonly Charge[], allowed: boolean): Verdict {
    const balances = charges.map((charge) => this.#weigh(charge, this.#windows.get(nameOf(charge))))
    return { allowed, balances, strictest: balances.reduce(stricter) }
  }

  #weigh(charge: Charge, state: WindowState | undefined): Balance {
    const { bucket, limit, windowMs } = charge
    const nowMs = this.#nowMs()
    const { used, freeAtMs } =
      state === undefined || state.used === 0 ? { used: 0, freeAtMs: nowMs + windowMs } : state
    // At that time one more has left the window, whatever this process has heard of it.
    const known = Math.max(0, limit - used + this.#unitsOf(charge, nowMs))
    const remaining = known === 0 && limit > 0 && nowMs >= freeAtMs ? 1 : known
    return { bucket, limit, windowMs, remaining, resetAtMs: Math.max(nowMs, freeAtMs) - this.#offsetMs }
  }

  #fallBack(charges: readonly Charge[]): Verdict | Promise<Verdict> {
    this.#decisions.inc({ by: 'process' })
    return this.#options.fallback.take(charges)
  }

  /** The time as the server's clock has it. */
  #nowMs(): number {
    return (this.#options.serverClock ?? this.#options.clock).now() + this.#offsetMs
  }

  /** The time that scripts get; 0: the server reads its own clock. */
  #serverMs(): number {
    return this.#options.serverClock?.now() ?? 0
  }

  /** An answer that was late makes the difference smaller, never larger: so the largest of late is the best. */
  #learnTime(serverMs: number): void {
    if (this.#options.serverClock !== undefined) return
    const measuredMs = serverMs - this.#options.clock.now()
    const isStep = Math.abs(measuredMs - this.#offsetMs) > CLOCK_STEP_MS_MIN
    this.#offsetMs = isStep ? measuredMs : Math.max(measuredMs, this.#offsetMs - 1)
  }

  #countLent(): number {
    let units = 0
    for (const { lease } of this.#leases.values()) units += lease.size - lease.usedAtMs.length
    return units
  }
}

const isLasting = ({ isLasting = false }: Charge): boolean => isLasting

const nameOf = ({ bucket, subject }: Charge): string => `${bucket} ${subject}`

function createMetrics(registry: Registry, countLent: () => number): Counter<'by'> {
  const registers = [registry]
  new Gauge({
    name: 'auspex_limit_leased_units',
    help: 'Units of rate limits that this process may use without asking Redis',
    registers,
    collect() {
      this.set(countLent())
    },
  })
  return new Counter({
    name: 'auspex_limit_decisions_total',
    help: 'Requests that were checked against their limits, by what decided: lease, refusal, redis, process (while Redis is lost)',
    labelNames: ['by'] as const,
    registers,
  })
}
