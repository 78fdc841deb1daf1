import { type Counter, Gauge, type Registry } from 'prom-client'
import type { Caller } from '../accounts/key-ring.js'
import { ApiError, tooManyRequests } from '../core/errors.js'
import { onAbort } from '../lib/abort.js'
import { FairSemaphore } from '../lib/fair-semaphore.js'

type LargeRequester = Pick<Caller, 'accountId' | 'plan'>

type Limits = {
  /** Of all accounts together. A compressed stream takes up to two megabytes. */
  inProgressMax: number
  waitingMax: number
  waitMsMax: number
}

const LIMITS: Limits = { inProgressMax: 32, waitingMax: 128, waitMsMax: 10_000 }

/** How many answers of an account may wait for each one that its plan allows in progress. */
const WAITING_PER_SLOT = 3

/** By then one of the answers in progress is normally out. */
const RETRY_AFTER_MS = 2_000

type Metrics = { registry: Registry; rateLimited: Counter<'bucket'> }

/**
 * Bounds the large answers in progress: those of each account by its plan, and those of all accounts. One
 * that is refused gets a 429 where the account's own answers are in its way, a 503 where those of others are.
 */
export class LargeAnswers {
  readonly #limits: Limits
  readonly #metrics: Metrics
  readonly #semaphore: FairSemaphore

  constructor(metrics: Metrics, limits: Partial<Limits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#metrics = metrics
    const { inProgressMax: totalMax, waitingMax } = this.#limits
    const semaphore = new FairSemaphore({ totalMax, waitingMax })
    this.#semaphore = semaphore
    new Gauge({
      name: 'auspex_large_answers',
      help: 'Large answers that are being sent, and those that wait for their turn',
      labelNames: ['state'] as const,
      registers: [metrics.registry],
      collect() {
        this.set({ state: 'in_progress' }, semaphore.running)
        this.set({ state: 'waiting' }, semaphore.waiting)
      },
    })
  }

  /**
   * Resolves when the answer may begin; its slot is free again when `until` aborts. Rejects with the
   * refusal, or with the reason of an abort that comes first.
   */
  async enter({ accountId, plan }: LargeRequester, until: AbortSignal): Promise<void> {
    const release = await this.#semaphore.acquire({
      owner: accountId,
      ownMax: plan.largeAnswersMax,
      ownWaitingMax: plan.largeAnswersMax * WAITING_PER_SLOT,
      waitMsMax: this.#limits.waitMsMax,
      signal: until,
      refuse: (inTheWay) => (inTheWay === 'own' ? this.#refuseAccount(plan) : this.#refuse()),
    })
    onAbort(until, release)
  }

  #refuse(): ApiError {
    const message = `The service is sending ${this.#limits.inProgressMax} large answers, the most for all accounts together. Retry in ${RETRY_AFTER_MS / 1000} seconds.`
    return new ApiError(503, message, SCOPE, { retryAfterSeconds: RETRY_AFTER_MS / 1000 })
  }

  #refuseAccount({ id, largeAnswersMax }: Caller['plan']): ApiError {
    this.#metrics.rateLimited.inc({ bucket: SCOPE.scope })
    const message = `At most ${largeAnswersMax} large answers at a time on the ${id} plan; ${largeAnswersMax * WAITING_PER_SLOT} more may wait. Retry in ${RETRY_AFTER_MS / 1000} seconds.`
    return tooManyRequests(message, RETRY_AFTER_MS, SCOPE)
  }
}

const SCOPE = { scope: 'large_answers' }
