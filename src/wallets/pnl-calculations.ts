import { ApiError, tooManyRequests } from '../core/errors.js'
import { FairSemaphore } from '../lib/fair-semaphore.js'
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

type PnlRequest = { caller: { accountId: number }; stopwatch?: Stopwatch | undefined }

/**
 * Bounds the calculations of P&L that run at once. One that waited in vain is refused: 429 where the account's
 * own calculations are in its way, 503 where those of others are.
 */
export class PnlCalculations {
  readonly #limits: Limits
  readonly #semaphore: FairSemaphore

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#semaphore = new FairSemaphore(this.#limits)
  }

  /** Runs a calculation when it has a slot, or throws the refusal. */
  async run<Result>(
    { caller: { accountId }, stopwatch }: PnlRequest,
    calculate: () => Promise<Result>,
  ): Promise<Result> {
    const { accountMax, waitMsMax } = this.#limits
    const slot = this.#semaphore.acquire({ owner: accountId, ownMax: accountMax, waitMsMax, refuse })
    const release = await countWait(stopwatch, slot)
    try {
      return await calculate()
    } finally {
      release()
    }
  }
}

const refuse = (inTheWay: 'own' | 'others'): ApiError =>
  inTheWay === 'own'
    ? tooManyRequests(BUSY, 1_000, { scope: ACCOUNT_SCOPE })
    : new ApiError(503, BUSY, { scope: SERVICE_SCOPE }, { retryAfterSeconds: 1 })
