import { Gauge, type Registry } from 'prom-client'
import { ApiError, tooManyRequests } from '../core/errors.js'
import { FairSemaphore, type SlotRequest } from '../lib/fair-semaphore.js'
import type { Stopwatch } from '../lib/stopwatch.js'
import type { Pool } from '../store/connection.js'
import { type QuerySlots, watchQueries } from '../store/query-times.js'
import type { Store } from '../store/store.js'
import { describeWorkLimit, type WorkOwner, type WorkShares } from './work-shares.js'

/** Queries of one account that may wait for a connection. */
const WAITING_PER_ACCOUNT_MAX = 2_000
/** The same of an account that is held back. */
const HELD_BACK_WAITING_MAX = 100
const WAITING_MAX = 5_000
const WAIT_MS_MAX = 8_000
const RETRY_AFTER_MS = 2_000
/** How soon a query begins when the allowance of its account is refilled. */
const REFILL_CHECK_MS = 20

type ReadStore = Pick<Store, 'answers' | 'heavyAnswers' | 'readsMax'>

type DatabaseReadsDeps = { store: ReadStore; shares: WorkShares; registry: Registry }

/**
 * Shares the database connections of answers between accounts. Those of accounts that are held back are apart from
 * those of all others, who never wait for them, and their queries wait for the refill of the allowance; of the others
 * an account has at most a quarter while anybody else reads. The time of queries is charged to the account.
 */
export class DatabaseReads {
  readonly #store: ReadStore
  readonly #shares: WorkShares
  readonly #light: FairSemaphore
  readonly #heavy: FairSemaphore
  #refillCheck: NodeJS.Timeout | undefined

  constructor({ store, shares, registry }: DatabaseReadsDeps) {
    this.#store = store
    this.#shares = shares
    const { light, heavy } = store.readsMax
    this.#light = new FairSemaphore({ totalMax: light, waitingMax: WAITING_MAX })
    this.#heavy = new FairSemaphore({ totalMax: heavy, waitingMax: WAITING_MAX })
    const lanes = { light: this.#light, heavy: this.#heavy }
    new Gauge({
      name: 'auspex_database_reads',
      help: 'Queries of answers by connections (light, heavy: of accounts that are held back) and state (running, waiting)',
      labelNames: ['connections', 'state'] as const,
      registers: [registry],
      collect() {
        for (const [connections, { running, waiting }] of Object.entries(lanes)) {
          this.set({ connections, state: 'running' }, running)
          this.set({ connections, state: 'waiting' }, waiting)
        }
      },
    })
  }

  /** The database for one request or message of an account. Its queries wait for their turn. */
  sqlFor(owner: WorkOwner, stopwatch?: Stopwatch): Pool {
    const { light, heavy } = this.#store.readsMax
    const isHeavy = this.#shares.isHeldBack(owner)
    const slots = isHeavy
      ? this.#slotsOf(this.#heavy, owner, {
          ownMax: () => (this.#shares.isHeldBack(owner) ? 0 : heavy),
          ownWaitingMax: HELD_BACK_WAITING_MAX,
        })
      : this.#slotsOf(this.#light, owner, {
          ownMax: () => this.#ownLightMax(owner, light),
          ownWaitingMax: WAITING_PER_ACCOUNT_MAX,
        })
    const pool = isHeavy ? this.#store.heavyAnswers : this.#store.answers
    return watchQueries(pool, { stopwatch, slots })
  }

  /** Some are always left for an account that comes, and more while others are there already. */
  #ownLightMax(owner: WorkOwner, light: number): number {
    const standing = this.#shares.standingOf(owner)
    if (standing === 'held_back') return 1
    return Math.max(2, Math.floor(standing === 'alone' ? (3 * light) / 4 : light / 4))
  }

  #slotsOf(
    lane: FairSemaphore,
    owner: WorkOwner,
    bounds: Pick<SlotRequest, 'ownMax' | 'ownWaitingMax'>,
  ): QuerySlots {
    const request: SlotRequest = {
      owner: owner.accountId,
      ...bounds,
      waitMsMax: WAIT_MS_MAX,
      refuse: (inTheWay) => (inTheWay === 'own' ? this.#refuseAccount(owner) : refuseService()),
    }
    const begin = (release: () => void) => {
      const before = performance.eventLoopUtilization()
      return () => {
        release()
        // While the thread worked for others, the answer of the database may have waited for it.
        this.#shares.charge(owner, performance.eventLoopUtilization(before).idle)
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

  /** No query ends when an allowance is refilled, so those that wait for it are looked at now and then. */
  #watchRefill(): void {
    if (this.#refillCheck !== undefined || this.#heavy.waiting === 0) return
    this.#refillCheck = setTimeout(() => {
      this.#refillCheck = undefined
      this.#heavy.startWaiting()
      this.#watchRefill()
    }, REFILL_CHECK_MS).unref()
  }
}

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
