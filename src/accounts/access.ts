import type { BucketName } from './buckets.js'
import type { OperationCost } from './costs.js'
import type { PlanId } from './plans.js'

/**
 * Which callers may use a route and which buckets a request is charged to: data on the route. `operator`:
 * those with an operator's key, without a limit.
 */
export type Access = PublicAccess | 'operator' | KeyedAccess

/** For everybody; the work is charged to the address. */
export type PublicAccess = { public: true; cost: OperationCost }

export type KeyedAccess = {
  buckets: readonly [BucketName, ...BucketName[]]
  /** What a request is charged before it begins. */
  cost: OperationCost
  /** The lowest plan that may use the route, and the status that callers on lower plans get. */
  plan?: { from: PlanId; refusal: 402 | 403 }
  /** A POST that changes nothing, so that a key with the scope `read` may send it. */
  isRead?: true
}

/** For probes, which are answered whatever the address has used. */
export const PROBE: PublicAccess = { public: true, cost: 'none' }
export const PUBLIC: PublicAccess = { public: true, cost: 'small' }
/** Where an upstream may be asked for a caller without a key. */
export const PUBLIC_UPSTREAM: PublicAccess = { public: true, cost: 'page' }

const PAID = { from: 'starter', refusal: 402 } as const

export const STANDARD: KeyedAccess = { buckets: ['rest'], cost: 'small' }
export const V3: KeyedAccess = { buckets: ['v3'], plan: PAID, cost: 'page' }
export const V3_HEAVY: KeyedAccess = { buckets: ['v3', 'v3_heavy'], plan: PAID, cost: 'heavy' }
/** Posts of the social network. The month's quota is no bucket: it counts answers, not requests. */
export const SOCIAL: KeyedAccess = { buckets: ['rest', 'social_rate'], plan: PAID, cost: 'page' }
/** Under `/v2`, for paid plans. */
export const PAID_STANDARD: KeyedAccess = {
  buckets: ['rest'],
  plan: { from: 'starter', refusal: 403 },
  cost: 'page',
}
const FROM_GROWTH = { from: 'growth', refusal: 403 } as const

/** Answers with everything at once. */
export const BULK: KeyedAccess = { buckets: ['rest'], plan: FROM_GROWTH, cost: 'heavy' }
export const V3_BULK: KeyedAccess = { buckets: ['v3', 'v3_heavy'], plan: FROM_GROWTH, cost: 'heavy' }
