import { ApiError, type Fields } from '../../errors.js'
import type { Plan } from '../plans.js'

/** One allowance: how many requests in which time, counted for a key or for a whole account. */
export type Bucket = {
  windowMs: number
  counts: 'key' | 'account'
  limit: (plan: Plan) => number
  refuse: (refusal: Refusal) => ApiError
}

/** When the next request will be allowed. */
export type Refusal = { resetAt: number; retryAfterMs: number }

const MINUTE_MS = 60_000

const tooMany = (message: string, fields: Fields, { retryAfterMs }: Refusal) =>
  new ApiError(429, message, fields, { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) })

const refusePlainly = (refusal: Refusal) =>
  tooMany(`Rate limit exceeded. Retry after ${refusal.resetAt}.`, {}, refusal)

const refuseInScope = (scope: string, message: string) => (refusal: Refusal) =>
  tooMany(
    message,
    { scope, reset_at: refusal.resetAt, retryAfterMs: refusal.retryAfterMs },
    refusal,
  )

/** Every bucket that a route may name; all buckets of a route are checked, the strictest decides. */
export const BUCKETS = {
  rest: {
    windowMs: MINUTE_MS,
    counts: 'key',
    limit: (plan) => plan.restPerMinute,
    refuse: refusePlainly,
  },
  v3: {
    windowMs: MINUTE_MS,
    counts: 'account',
    limit: (plan) => plan.v3PerMinute,
    refuse: refusePlainly,
  },
  v3_heavy: {
    windowMs: MINUTE_MS,
    counts: 'account',
    limit: (plan) => plan.v3HeavyPerMinute,
    refuse: (refusal) =>
      tooMany('rate limit exceeded', { scope: 'v3_heavy', reset_at: refusal.resetAt }, refusal),
  },
  social_rate: {
    windowMs: 1_000,
    counts: 'key',
    limit: () => 1,
    refuse: refuseInScope('social_rate', 'At most 1 social request per second.'),
  },
  search_online: {
    windowMs: 10_000,
    counts: 'key',
    limit: () => 3,
    refuse: refuseInScope('search_online', 'At most 3 online searches per 10 seconds.'),
  },
} satisfies Record<string, Bucket>

export type BucketName = keyof typeof BUCKETS
