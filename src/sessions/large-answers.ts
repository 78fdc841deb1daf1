import { type Counter, Gauge, type Registry } from 'prom-client'
import type { Caller } from '../accounts/key-ring.js'
import { ApiError, tooManyRequests } from '../core/errors.js'
import { onAbort } from '../lib/abort.js'

type LargeRequester = Pick<Caller, 'accountId' | 'plan'>

type Limits = {
  /** Of all accounts together. A compressed stream takes up to two megabytes. */
  inProgressMax: number
  waitingMax: number
  waitMsMax: number
}

const LIMITS: Limits = { inProgressMax: 32, waitingMax: 128, waitMsMax: 10_000 }

/** How many answers of an account may wait for each one that its plan allows in progress. */
const WAITING_PER_PLACE = 3

/** By then one of the answers in progress is normally out. */
const RETRY_AFTER_MS = 2_000

/** An answer that waits for its turn. */
type Waiter = LargeRequester & { begin: () => void }

type Metrics = { registry: Registry; rateLimited: Counter<'bucket'> }

/**
 * Bounds the large answers in progress: those of each account by its plan, and those of all accounts.
 *
 *   in progress  while the account and the service have a place. Until its signal aborts.
 *   waiting      when one of them has none. The next place goes to the account with the fewest
 *                answers in progress, and of these to the answer that came first.
 *   refused      when too many wait already, or after ten seconds: 429 where the account's own answers
 *                take its places, 503 where those of others do.
 */
export class LargeAnswers {
  readonly #limits: Limits
  readonly #metrics: Metrics
  readonly #inProgress = new Map<number, number>()
  readonly #waiters = new Set<Waiter>()
  #total = 0

  constructor(metrics: Metrics, limits: Partial<Limits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#metrics = metrics
    const counts = () => ({ in_progress: this.#total, waiting: this.#waiters.size })
    new Gauge({
      name: 'auspex_large_answers',
      help: 'Large answers that are being sent, and those that wait for their turn',
      labelNames: ['state'] as const,
      registers: [metrics.registry],
      collect() {
        for (const [state, count] of Object.entries(counts())) this.set({ state }, count)
      },
    })
  }

  /**
   * Resolves when the answer may begin; its place is free again when `until` aborts. Rejects with the
   * refusal, or with the reason of an abort that comes first.
   */
  async enter(requester: LargeRequester, until: AbortSignal): Promise<void> {
    until.throwIfAborted()
    if (!this.#hasPlace(requester)) await this.#wait(requester, until)
    else this.#begin(requester)
    onAbort(until, () => this.#end(requester))
  }

  #wait(requester: LargeRequester, until: AbortSignal): Promise<void> {
    const { waitingMax, waitMsMax } = this.#limits
    if (this.#waitingOf(requester) >= requester.plan.largeAnswersMax * WAITING_PER_PLACE) {
      return Promise.reject(this.#refuseAccount(requester))
    }
    if (this.#waiters.size >= waitingMax) return Promise.reject(this.#refuse(requester))
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        stopListening()
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter = {
        ...requester,
        begin: () => {
          leave()
          this.#begin(requester)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        leave()
        reject(this.#refuse(requester))
      }, waitMsMax)
      const stopListening = onAbort(until, () => {
        leave()
        reject(until.reason)
      })
      this.#waiters.add(waiter)
    })
  }

  #begin({ accountId }: LargeRequester): void {
    this.#total++
    this.#inProgress.set(accountId, this.#inProgressOf(accountId) + 1)
  }

  #end({ accountId }: LargeRequester): void {
    this.#total--
    const left = this.#inProgressOf(accountId) - 1
    if (left === 0) this.#inProgress.delete(accountId)
    else this.#inProgress.set(accountId, left)
    this.#findNext()?.begin()
  }

  #findNext(): Waiter | undefined {
    let next: Waiter | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const waiter of this.#waiters) {
      const inProgress = this.#inProgressOf(waiter.accountId)
      if (inProgress >= fewest || !this.#hasPlace(waiter)) continue
      next = waiter
      fewest = inProgress
    }
    return next
  }

  #hasPlace(requester: LargeRequester): boolean {
    return this.#total < this.#limits.inProgressMax && this.#hasOwnPlace(requester)
  }

  #hasOwnPlace({ accountId, plan }: LargeRequester): boolean {
    return this.#inProgressOf(accountId) < plan.largeAnswersMax
  }

  #inProgressOf(accountId: number): number {
    return this.#inProgress.get(accountId) ?? 0
  }

  #waitingOf({ accountId }: LargeRequester): number {
    let count = 0
    for (const waiter of this.#waiters) if (waiter.accountId === accountId) count++
    return count
  }

  #refuse(requester: LargeRequester): ApiError {
    if (!this.#hasOwnPlace(requester)) return this.#refuseAccount(requester)
    const message = `The service is sending ${this.#limits.inProgressMax} large answers, the most for all accounts together. Retry in ${RETRY_AFTER_MS / 1000} seconds.`
    return new ApiError(503, message, SCOPE, { retryAfterSeconds: RETRY_AFTER_MS / 1000 })
  }

  #refuseAccount({ plan: { id, largeAnswersMax } }: LargeRequester): ApiError {
    this.#metrics.rateLimited.inc({ bucket: SCOPE.scope })
    const message = `At most ${largeAnswersMax} large answers at a time on the ${id} plan; ${largeAnswersMax * WAITING_PER_PLACE} more may wait. Retry in ${RETRY_AFTER_MS / 1000} seconds.`
    return tooManyRequests(message, RETRY_AFTER_MS, SCOPE)
  }
}

const SCOPE = { scope: 'large_answers' }
