import { ApiError, tooManyRequests } from '../core/errors.js'
import { countWait, type Stopwatch } from '../lib/stopwatch.js'

type Limits = {
  /** Of one account. */
  accountMax: number
  /** Of all accounts together: they must leave connections to the database for other requests. */
  totalMax: number
  waitMsMax: number
}

const LIMITS: Limits = { accountMax: 2, totalMax: 6, waitMsMax: 750 }

const BUSY = 'wallet_pnl_busy'
const ACCOUNT_SCOPE = 'v3_pnl_account_concurrency'
const SERVICE_SCOPE = 'v3_pnl_global_concurrency'

type Asking = { caller: { accountId: number }; stopwatch?: Stopwatch | undefined }

type Waiter = { accountId: number; begin: () => void }

/**
 * Bounds the calculations of P&L that run at once.
 *
 *   running  while the account and the service have a place
 *   waiting  when one of them has none. The next place goes to the one that came first and may have it.
 *   refused  after 750 ms: 429 where the account's own calculations take its places, else 503
 */
export class PnlPlaces {
  readonly #limits: Limits
  readonly #running = new Map<number, number>()
  readonly #waiters = new Set<Waiter>()
  #total = 0

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Runs a calculation when it has a place, or throws the refusal. */
  async run<Result>(
    { caller: { accountId }, stopwatch }: Asking,
    calculate: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#hasPlace(accountId)) this.#begin(accountId)
    else await countWait(stopwatch, this.#wait(accountId))
    try {
      return await calculate()
    } finally {
      this.#end(accountId)
    }
  }

  #wait(accountId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter = {
        accountId,
        begin: () => {
          leave()
          this.#begin(accountId)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        leave()
        reject(this.#refuse(accountId))
      }, this.#limits.waitMsMax)
      this.#waiters.add(waiter)
    })
  }

  #begin(accountId: number): void {
    this.#total++
    this.#running.set(accountId, this.#runningOf(accountId) + 1)
  }

  #end(accountId: number): void {
    this.#total--
    const left = this.#runningOf(accountId) - 1
    if (left === 0) this.#running.delete(accountId)
    else this.#running.set(accountId, left)
    this.#findNext()?.begin()
  }

  #findNext(): Waiter | undefined {
    return [...this.#waiters].find((waiter) => this.#hasPlace(waiter.accountId))
  }

  #hasPlace(accountId: number): boolean {
    return this.#total < this.#limits.totalMax && this.#hasOwnPlace(accountId)
  }

  #hasOwnPlace(accountId: number): boolean {
    return this.#runningOf(accountId) < this.#limits.accountMax
  }

  #runningOf(accountId: number): number {
    return this.#running.get(accountId) ?? 0
  }

  #refuse(accountId: number): ApiError {
    return this.#hasOwnPlace(accountId)
      ? new ApiError(503, BUSY, { scope: SERVICE_SCOPE }, { retryAfterSeconds: 1 })
      : tooManyRequests(BUSY, 1_000, { scope: ACCOUNT_SCOPE })
  }
}
