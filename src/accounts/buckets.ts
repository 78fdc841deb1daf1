import { type ApiError, tooManyRequests } from '../core/errors.js'
import type { Plan } from './plans.js'

/** One allowance: how many requests in which time, counted for a key or for a whole account. */
export type Bucket = {
  windowMs: number
  counts: 'key' | 'account'
  limit: (plan: Plan) => number
  /** Counted in the database, for all processes together. For few requests: each costs a statement. */
  isShared?: boolean
  /** Counted in the database also where there is Redis, which may start again empty: for windows longer than a minute. */
  isLasting?: boolean
  refuse: (reset: RateLimitReset) => ApiError
}

/** When a full bucket allows the next request: in Unix seconds, and from now. */
export type RateLimitReset = { resetAt: number; retryAfterMs: number }

const PER_MINUTE = {
  windowMs: 60_000,
  refuse: ({ resetAt, retryAfterMs }: RateLimitReset) =>
    tooManyRequests(`Rate limit exceeded. Retry after ${resetAt}.`, retryAfterMs),
}

const refuseInScope =
  (scope: string, message: string) =>
  ({ resetAt, retryAfterMs }: RateLimitReset) =>
    tooManyRequests(message, retryAfterMs, { scope, reset_at: resetAt, retryAfterMs })

/** Every bucket that a route may name; all buckets of a route are checked, the strictest decides. */
export const BUCKETS = {
  rest: { ...PER_MINUTE, counts: 'key', limit: (plan) => plan.restPerMinute },
  v3: { ...PER_MINUTE, counts: 'account', limit: (plan) => plan.v3PerMinute },
  v3_heavy: {
    ...PER_MINUTE,
    counts: 'account',
    limit: (plan) => plan.v3HeavyPerMinute,
    refuse: ({ resetAt: reset_at, retryAfterMs }) =>
      tooManyRequests('rate limit exceeded', retryAfterMs, { scope: 'v3_heavy', reset_at }),
  },
  social_rate: {
    windowMs: 1_000,
    counts: 'key',
    isShared: true,
    limit: () => 1,
    refuse: refuseInScope('social_rate', 'At most 1 social request per second.'),
  },
  search_online: {
    windowMs: 10_000,
    counts: 'key',
    isShared: true,
    limit: () => 3,
    refuse: refuseInScope('search_online', 'At most 3 online searches per 10 seconds.'),
  },
  // Beside the bucket of the route, for requests that ask for the trades of holders.
  holder_trades: {
    windowMs: 60_000,
    counts: 'key',
    limit: () => 60,
    refuse: refuseInScope('holder_trades', 'At most 60 requests with includeTrades per minute.'),
  },
  copy_pnl: {
    windowMs: 5_000,
    counts: 'key',
    isShared: true,
    limit: () => 1,
    refuse: ({ retryAfterMs }) =>
      tooManyRequests('At most 1 copy-pnl request per 5 seconds.', retryAfterMs, { retryAfterMs }),
  },
  // Each key that is made stays in a table, and each that is revoked makes all processes look up all keys again.
  account_keys: {
    windowMs: 3_600_000,
    counts: 'account',
    isShared: true,
    isLasting: true,
    limit: () => 20,
    refuse: refuseInScope('account_keys', 'At most 20 keys of an account are made or revoked in an hour.'),
  },
} satisfies Record<string, Bucket>

export type BucketName = keyof typeof BUCKETS
