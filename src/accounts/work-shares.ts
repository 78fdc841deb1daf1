import { LRUCache } from 'lru-cache'
import { Counter, Gauge, type Registry } from 'prom-client'
import { limitCount } from '../lib/limit-count.js'
import type { Plan } from './plans.js'

/** Who pays for work: an account, or, without a key, an address. */
export type WorkOwner = { readonly accountId: number | string; readonly plan: Pick<Plan, 'workPerSecond'> }

type OwnerId = WorkOwner['accountId']

/** `alone`: no other owner works. `within_share`: others do. `held_back`: and it has spent more than its share. */
export type Standing = 'alone' | 'within_share' | 'held_back'

/** An allowance grows to what a second brings. */
const BURST_SECONDS = 1
/** An account waits no longer for what it has spent unasked, such as the time of its queries. */
const DEBT_SECONDS_MAX = 4
/** Work that would have to wait for longer is refused. */
const WAIT_MS_MAX = 5_000
/** For how long after its last work an owner counts as one of those who share. */
const ACTIVE_MS = 2_000
/** Of what an owner has spent, less and less counts as recent: about a third after this time. */
const RECENT_MS = 5_000
/** Units of work that begin in one iteration of the event loop, before it reads the sockets again. */
const ITERATION_UNITS_MAX = 8
/** A poll this often sees that the other owners have stopped working. */
const LOOK_MS = 100
const OWNERS_MAX = 10_000
/** Owners that the metrics name. */
const NAMED_MAX = 20

type Waiting = { units: number; begin: () => void }

/** What an owner may still spend, and its work that waits for more. */
type Allowance = {
  readonly id: OwnerId
  perSecond: number
  /** Below 0: more was spent than there was. */
  units: number
  /** What it has spent recently. */
  readonly spent: RecentSum
  updatedMs: number
  readonly waiting: Waiting[]
  waitingUnits: number
}

/** A sum of which each part counts less and less. */
class RecentSum {
  #sum = 0
  #atMs = 0

  add(units: number, nowMs: number): void {
    this.#sum = this.at(nowMs) + units
    this.#atMs = nowMs
  }

  at(nowMs: number): number {
    return this.#sum * Math.exp((this.#atMs - nowMs) / RECENT_MS)
  }
}

type Options = { registry: Registry; now?: () => number }

/**
 * Shares the time of this process between accounts. Each has an allowance of units, which its plan refills and all its
 * requests and connections spend together.
 *
 *   within it   work begins, in pieces between which the sockets are read
 *   over it     the same while no other account works, or while it works less than the others on average: a busy
 *               machine makes the queries of all last longer. Else it is held back: its work waits for the refill,
 *               and is refused where that takes too long
 */
export class WorkShares {
  readonly #now: () => number
  readonly #allowances = new LRUCache<OwnerId, Allowance>(limitCount(OWNERS_MAX))
  /** Those with work that waits, in the order in which they get their next piece. */
  readonly #queue = new Set<Allowance>()
  readonly #metrics: ReturnType<typeof createWorkMetrics>
  /** When each of those who share has worked last, the longest ago first. */
  readonly #active = new Map<OwnerId, number>()
  readonly #spentByAll = new RecentSum()
  #iterationUnits = 0
  #isIterationPlanned = false
  #timer: NodeJS.Timeout | undefined

  constructor({ registry, now = () => performance.now() }: Options) {
    this.#now = now
    this.#metrics = createWorkMetrics(registry, this.#queue)
  }

  /** Spends units for work that needs no admission: it is done, or has limits of its own. */
  charge(owner: WorkOwner, units: number): void {
    const allowance = this.#allowanceOf(owner)
    const least = -allowance.perSecond * DEBT_SECONDS_MAX
    if (allowance.units > least) allowance.units = Math.max(allowance.units - units, least)
    this.#count(allowance, units)
  }

  /** Whether the owner has spent more than its share while others work. */
  isHeldBack(owner: WorkOwner): boolean {
    return this.#isHeldBack(this.#allowanceOf(owner))
  }

  /** The same, and whether others work at the moment: one call answers both, because every query needs it. */
  standingOf(owner: WorkOwner): Standing {
    const allowance = this.#allowanceOf(owner)
    if (this.#isHeldBack(allowance)) return 'held_back'
    return this.#hasOthers(allowance.id) ? 'within_share' : 'alone'
  }

  /** 0: the owner's next work may come. Else it would have to wait for too long, and may come after this time. */
  refusedMs(owner: WorkOwner): number {
    const allowance = this.#allowanceOf(owner)
    const { units, waitingUnits, perSecond } = allowance
    const waitMs = ((waitingUnits - units) / perSecond) * 1_000
    if (waitMs <= WAIT_MS_MAX || !this.#isHeldBack(allowance)) return 0
    this.#metrics.refused.inc()
    return Math.ceil(waitMs - WAIT_MS_MAX)
  }

  /** Spends units for work on the thread: it may begin at once, or when the promise resolves. */
  admit(owner: WorkOwner, units: number): void | Promise<void> {
    const allowance = this.#allowanceOf(owner)
    const isFirst = allowance.waiting.length === 0
    if (isFirst && this.#iterationUnits < ITERATION_UNITS_MAX && !this.#isHeldBack(allowance)) {
      return this.#begin(allowance, units)
    }
    this.#metrics.waits.inc()
    return new Promise((begin) => {
      allowance.waiting.push({ units, begin })
      allowance.waitingUnits += units
      this.#queue.add(allowance)
      this.#planIteration()
    })
  }

  #allowanceOf({ accountId: id, plan: { workPerSecond: perSecond } }: WorkOwner): Allowance {
    const nowMs = this.#now()
    // To the end.
    this.#active.delete(id)
    this.#active.set(id, nowMs)
    const known = this.#allowances.get(id)
    if (known !== undefined) {
      refill(known, nowMs)
      known.perSecond = perSecond
      return known
    }
    const units = perSecond * BURST_SECONDS
    const spent = new RecentSum()
    const fresh = { id, perSecond, units, spent, updatedMs: nowMs, waiting: [], waitingUnits: 0 }
    this.#allowances.set(id, fresh)
    return fresh
  }

  #isHeldBack({ id, units, spent }: Allowance): boolean {
    if (units >= 0 || !this.#hasOthers(id)) return false
    const nowMs = this.#now()
    return spent.at(nowMs) * this.#active.size > this.#spentByAll.at(nowMs)
  }

  #hasOthers(id: OwnerId): boolean {
    const activeAfterMs = this.#now() - ACTIVE_MS
    for (const [longest, atMs] of this.#active) {
      if (atMs > activeAfterMs) break
      this.#active.delete(longest)
    }
    return this.#active.size > (this.#active.has(id) ? 1 : 0)
  }

  #count({ spent }: Allowance, units: number): void {
    const nowMs = this.#now()
    spent.add(units, nowMs)
    this.#spentByAll.add(units, nowMs)
    this.#metrics.count(units)
  }

  #begin(allowance: Allowance, units: number): void {
    allowance.units -= units
    this.#iterationUnits += units
    this.#count(allowance, units)
    this.#planIteration()
  }

  /** `setImmediate` runs after the event loop has read the sockets. */
  #planIteration(): void {
    if (this.#isIterationPlanned) return
    this.#isIterationPlanned = true
    setImmediate(() => {
      this.#isIterationPlanned = false
      this.#iterationUnits = 0
      if (this.#queue.size > 0) this.#runIteration()
    })
  }

  /** Begins one piece of each owner after the other, until the iteration has its units. */
  #runIteration(): void {
    const nowMs = this.#now()
    let refillMs = LOOK_MS
    for (const allowance of [...this.#queue]) {
      if (this.#iterationUnits >= ITERATION_UNITS_MAX) break
      refill(allowance, nowMs)
      if (this.#isHeldBack(allowance)) {
        refillMs = Math.min(refillMs, (-allowance.units / allowance.perSecond) * 1_000)
        continue
      }
      // To the end of the queue.
      this.#queue.delete(allowance)
      const next = allowance.waiting.shift()
      if (allowance.waiting.length > 0) this.#queue.add(allowance)
      if (next === undefined) continue
      allowance.waitingUnits -= next.units
      this.#begin(allowance, next.units)
      next.begin()
    }
    // An iteration in which work began has planned the next one.
    if (this.#queue.size > 0 && !this.#isIterationPlanned) {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#planIteration(), refillMs).unref()
    }
  }
}

function refill(allowance: Allowance, nowMs: number): void {
  const { perSecond, units, updatedMs } = allowance
  const earned = ((nowMs - updatedMs) / 1_000) * perSecond
  allowance.units = Math.min(units + earned, perSecond * BURST_SECONDS)
  allowance.updatedMs = nowMs
}

/** What a refusal says: what is used up, and when there is more. */
export function describeWorkLimit({ plan: { workPerSecond } }: WorkOwner, waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000)
  return `The account has used up its share of the service's time, ${workPerSecond} units a second, while others work too. Retry in ${seconds} seconds.`
}

function createWorkMetrics(registry: Registry, queue: ReadonlySet<Allowance>) {
  const registers = [registry]
  new Gauge({
    name: 'auspex_work_waiting',
    help: 'Pieces of work that wait for the allowance of their account or for the thread, by account, the first 20',
    labelNames: ['account'] as const,
    registers,
    collect() {
      this.reset()
      for (const { id, waiting } of [...queue].slice(0, NAMED_MAX)) {
        this.set({ account: `${id}` }, waiting.length)
      }
    },
  })
  let units = 0
  new Counter({
    name: 'auspex_work_units_total',
    help: 'Units of work that accounts have spent; one is about a millisecond',
    registers,
    collect() {
      this.reset()
      this.inc(units)
    },
  })
  return {
    /** A plain number, because it is counted with every request. */
    count(spent: number) {
      units += spent
    },
    waits: new Counter({
      name: 'auspex_work_waits_total',
      help: 'Pieces of work that had to wait',
      registers,
    }),
    refused: new Counter({
      name: 'auspex_work_refused_total',
      help: 'Work that was refused, because its account has used up its share',
      registers,
    }),
  }
}
