import { Gauge, type Registry } from 'prom-client'
import { ApiError, tooManyRequests } from '../core/errors.js'
import { FairSemaphore, type SlotRequest } from '../lib/fair-semaphore.js'
import type { Stopwatch } from '../lib/stopwatch.js'
import type { Pool } from '../store/connection.js'
import { type QuerySlots, watchQueries } from '../store/query-times.js'
import type { Replica, ReplicaPools } from '../store/replicas/replica.js'
import type { ReadNeed } from '../store/replicas/replicas.js'
import type { Store } from '../store/store.js'
import { describeWorkLimit, type WorkOwner, type WorkShares } from './work-shares.js'

/** The next query of a connection is on its way when the one before it ends: point reads are a quarter more in a second. */
const LIGHT_PER_CONNECTION = 2
/** Queries of one account that may wait for a connection. */
const WAITING_PER_ACCOUNT_MAX = 2_000
/** The same of an account that is held back. */
const HELD_BACK_WAITING_MAX = 100
const WAITING_MAX = 5_000
const WAIT_MS_MAX = 8_000
const RETRY_AFTER_MS = 2_000
/** How soon a query begins when the allowance of its account is refilled. */
const REFILL_CHECK_MS = 20

type ReadStore = Pick<Store, 'answers' | 'heavyAnswers' | 'readsMax' | 'replicas'>

type DatabaseReadsDeps = { store: ReadStore; shares: WorkShares; registry: Registry }

/**
 * Shares the database connections of answers between accounts. Those of accounts that are held back are apart from
 * those of all others, who never wait for them, and their queries wait for the refill of the allowance; of the others
 * an account has at most an eighth while any other account reads. The time of queries is charged to the account.
 *
 * All of this holds on each server by itself: the primary never has more to do than without replicas, and no replica
 * more than a primary.
 */
export class DatabaseReads {
  readonly #store: ReadStore
  readonly #shares: WorkShares
  readonly #primary: Lanes
  /** A replica that was lost begins again with empty ones, because its old connections may hang. */
  readonly #lanes = new Map<ReplicaPools, Lanes>()
  #refillCheck: NodeJS.Timeout | undefined

  constructor({ store, shares, registry }: DatabaseReadsDeps) {
    this.#store = store
    this.#shares = shares
    this.#primary = createLanes(store.readsMax)
    const all = () => [this.#primary, ...this.#lanes.values()]
    new Gauge({
      name: 'auspex_database_reads',
      help: 'Queries of answers by connections (light, heavy: of accounts that are held back) and state (running, waiting)',
      labelNames: ['connections', 'state'] as const,
      registers: [registry],
      collect() {
        for (const connections of ['light', 'heavy'] as const) {
          const lanes = all().map((server) => server[connections])
          this.set({ connections, state: 'running' }, sum(lanes.map(({ running }) => running)))
          this.set({ connections, state: 'waiting' }, sum(lanes.map(({ waiting }) => waiting)))
        }
      },
    })
  }

  /**
   * The database for one request or message of an account. Its queries wait for slots. `need`: what a replica must
   * have to be read from; `undefined`: the primary is read, which alone has what was written a moment ago.
   */
  sqlFor(owner: WorkOwner, stopwatch?: Stopwatch, need?: ReadNeed): Pool {
    const { replicas } = this.#store
    const isHeavy = this.#shares.isHeldBack(owner)
    const ofPrimary = this.#slotsOf(this.#primary, owner, isHeavy)
    const isCounted = need !== undefined && replicas.all.length > 0
    const slots = isCounted ? counted(ofPrimary, () => replicas.beginPrimaryRead()) : ofPrimary
    const pool = isHeavy ? this.#store.heavyAnswers : this.#store.answers
    const primary = watchQueries(pool, { stopwatch, slots })
    const replica = need && replicas.choose(need)
    return replica === undefined ? primary : this.#sqlOf(replica, { owner, stopwatch, isHeavy, primary })
  }

  #sqlOf(
    replica: Replica,
    given: { owner: WorkOwner; stopwatch: Stopwatch | undefined; isHeavy: boolean; primary: Pool },
  ): Pool {
    const { owner, stopwatch, isHeavy, primary } = given
    const { pools } = replica
    const lanes = this.#lanes.get(pools) ?? this.#addLanes(pools)
    return watchQueries(isHeavy ? pools.heavyAnswers : pools.answers, {
      stopwatch,
      slots: counted(this.#slotsOf(lanes, owner, isHeavy), () => replica.beginRead()),
      fallback: { pool: primary, isFor: (error) => replica.isToRepeat(error) },
    })
  }

  #addLanes(pools: ReplicaPools): Lanes {
    const current = new Set(this.#store.replicas.all.map((replica) => replica.pools))
    for (const [old, { light, heavy }] of this.#lanes) {
      if (!current.has(old) && light.waiting + heavy.waiting === 0) this.#lanes.delete(old)
    }
    const lanes = createLanes(this.#store.readsMax)
    this.#lanes.set(pools, lanes)
    return lanes
  }

  /** Some are always left for an account that comes. While others are there, few: each query makes theirs slower. */
  #ownLightMax(owner: WorkOwner, light: number): number {
    const standing = this.#shares.standingOf(owner)
    if (standing === 'held_back') return 1
    return standing === 'alone'
      ? Math.max(2, Math.floor((3 * light) / 4))
      : Math.max(1, Math.floor(light / 8))
  }

  #slotsOf(lanes: Lanes, owner: WorkOwner, isHeavy: boolean): QuerySlots {
    const { light, heavy } = this.#store.readsMax
    const lane = isHeavy ? lanes.heavy : lanes.light
    const request: SlotRequest = {
      owner: owner.accountId,
      ownMax: isHeavy
        ? () => (this.#shares.isHeldBack(owner) ? 0 : heavy)
        : () => this.#ownLightMax(owner, light),
      ownWaitingMax: isHeavy ? HELD_BACK_WAITING_MAX : WAITING_PER_ACCOUNT_MAX,
      waitMsMax: WAIT_MS_MAX,
      refuse: (inTheWay) => (inTheWay === 'own' ? this.#refuseAccount(owner) : refuseService()),
    }
    const begin = (release: () => void) => {
      const before = performance.eventLoopUtilization()
      return () => {
        release()
        // While the thread was busy, the database worked on or its answer waited: neither is known, so half counts.
        const { idle, active } = performance.eventLoopUtilization(before)
        this.#shares.charge(owner, idle + active / 2)
      }
    }
    return {
      acquire: () => {
        const release = lane.acquireNow(request)
        if (release !== undefined) return begin(release)
        const acquired = lane.acquire(request)
        this.#watchRefill()
        return acquired.then(begin)
      },
    }
  }

  #refuseAccount(owner: WorkOwner): ApiError {
    const message = this.#shares.isHeldBack(owner)
      ? describeWorkLimit(owner, RETRY_AFTER_MS)
      : `Too many queries of the account wait for the database. Retry in ${RETRY_AFTER_MS / 1_000} seconds.`
    return tooManyRequests(message, RETRY_AFTER_MS, SCOPE)
  }

  /** Queries that wait for an allowance are checked on a timer, because no query ends at the moment of its refill. */
  #watchRefill(): void {
    const waiting = [this.#primary, ...this.#lanes.values()].filter(({ heavy }) => heavy.waiting > 0)
    if (this.#refillCheck !== undefined || waiting.length === 0) return
    this.#refillCheck = setTimeout(() => {
      this.#refillCheck = undefined
      for (const { heavy } of waiting) heavy.startWaiting()
      this.#watchRefill()
    }, REFILL_CHECK_MS).unref()
  }
}

/** The connections of one server. */
type Lanes = { light: FairSemaphore; heavy: FairSemaphore }

const createLanes = ({ light, heavy }: ReadStore['readsMax']): Lanes => ({
  light: new FairSemaphore({ totalMax: LIGHT_PER_CONNECTION * light, waitingMax: WAITING_MAX }),
  heavy: new FairSemaphore({ totalMax: heavy, waitingMax: WAITING_MAX }),
})

/** `begin` counts a query from its wait on, until what it returns is called. */
const counted = (slots: QuerySlots, begin: () => () => void): QuerySlots => ({
  acquire: () => {
    const end = begin()
    const ended = (release: () => void) => () => {
      release()
      end()
    }
    const slot = slots.acquire()
    if (!(slot instanceof Promise)) return ended(slot)
    return slot.then(ended, (error: unknown) => {
      end()
      throw error
    })
  },
})

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const SCOPE = { scope: 'database_time' }

const refuseService = (): ApiError =>
  new ApiError(
    503,
    `Too many queries wait for the database. Retry in ${RETRY_AFTER_MS / 1_000} seconds.`,
    SCOPE,
    {
      retryAfterSeconds: RETRY_AFTER_MS / 1_000,
    },
  )
