import { LRUCache } from 'lru-cache'
import type { Caller } from '../accounts/key-ring.js'
import { endLease, leaseUnit, type QuotaMonth } from '../accounts/shared-queries.js'
import { monthEnd, monthOf } from '../accounts/usage-meter.js'
import { selectUsage } from '../accounts/usage-queries.js'
import type { Clock } from '../core/clock.js'
import { type ApiError, messageOf, tooManyRequests } from '../core/errors.js'
import { limitCount } from '../lib/limit-count.js'
import type { Log } from '../lib/log.js'
import type { Pool } from '../store/connection.js'

/** A process that ended during a call gives its unit back after this time. No call takes as long. */
const LEASE_MS = 60_000
/** How soon to ask again while calls that may fail hold the last units. */
const BUSY_MS = 1_000
/** How long a counter that was read is shown again; other processes move it too. */
const SHOWN_MS = 1_000
const SHOWN_MAX = 10_000

type QuotaDeps = { store: { readonly answers: Pool }; clock: Clock; log: Log }

/**
 * The social calls of accounts in a UTC month, counted for all processes together. A call reserves a
 * unit, and counts when it succeeds; one that fails gives the unit back. It counts to the month in
 * which it began.
 */
export class SocialQuota {
  readonly #deps: QuotaDeps
  readonly #shown = new LRUCache<number, { month: string; used: number; atMs: number }>(limitCount(SHOWN_MAX))

  constructor(deps: QuotaDeps) {
    this.#deps = deps
  }

  /** Makes a call that counts unless it throws. Throws a 429 when the month is used up. */
  async spend<Result>(
    caller: Pick<Caller, 'accountId' | 'plan'>,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const { store, clock, log } = this.#deps
    const { accountId } = caller
    const nowMs = clock.now()
    const of = { accountId, month: monthOf(nowMs) }
    const untilMs = nowMs + LEASE_MS
    const limit = caller.plan.socialPerMonth
    const lease = await leaseUnit(store.answers, of, { limit, nowMs, untilMs })
    if (lease === undefined) throw await this.#refusal(of, limit)
    this.#show(of, lease.used)
    try {
      const result = await call()
      this.#show(of, await endLease(store.answers, of, { untilMs, isUsed: true }))
      return result
    } catch (error) {
      await endLease(store.answers, of, { untilMs, isUsed: false }).catch((fault) =>
        log.debug({ reason: messageOf(fault) }, 'quota lease left to run out'),
      )
      throw error
    }
  }

  /** What an account has used this month. */
  async usedBy(accountId: number): Promise<number> {
    const nowMs = this.#deps.clock.now()
    const month = monthOf(nowMs)
    const shown = this.#shown.get(accountId)
    const ageMs = nowMs - (shown?.atMs ?? 0)
    if (shown?.month === month && ageMs >= 0 && ageMs < SHOWN_MS) return shown.used
    return await this.#read({ accountId, month })
  }

  async #read(of: QuotaMonth): Promise<number> {
    const rows = await selectUsage(this.#deps.store.answers, of.accountId, of.month)
    const used = Number(rows.find(({ meter }) => meter === 'social')?.used ?? 0n)
    this.#show(of, used)
    return used
  }

  /** Calls that end at the same time may hear of their counts in another order: a count only grows in its month. */
  #show({ accountId, month }: QuotaMonth, used: number): void {
    const known = this.#shown.get(accountId)
    const most = known?.month === month ? Math.max(known.used, used) : used
    this.#shown.set(accountId, { month, used: most, atMs: this.#deps.clock.now() })
  }

  async #refusal(of: QuotaMonth, limit: number): Promise<ApiError> {
    const used = await this.#read(of)
    const nowMs = this.#deps.clock.now()
    const isOver = used >= limit
    const resetMs = isOver ? monthEnd(nowMs) : nowMs + BUSY_MS
    const fields = {
      scope: 'social_quota',
      reset_at: Math.ceil(resetMs / 1000),
      retryAfterMs: resetMs - nowMs,
    }
    const message = isOver
      ? `The ${limit} social requests of this month are used up.`
      : `The last of the ${limit} social requests of this month are under way.`
    return tooManyRequests(message, resetMs - nowMs, fields)
  }
}
