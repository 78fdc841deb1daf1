import { ApiError } from '../core/errors.js'
import type { Caller } from './key-ring.js'
import { BUCKETS, type BucketName } from './limits/buckets.js'
import type { Charge } from './limits/limiter.js'
import { PLANS, type Plan, type PlanId } from './plans.js'

/** Who may use a route and which allowances a request is charged to: data on the route. */
export type Access = 'public' | KeyedAccess

export type KeyedAccess = {
  buckets: readonly [BucketName, ...BucketName[]]
  /** The lowest plan that may pass, and the status that lower ones get. */
  plan?: { from: PlanId; refusal: 402 | 403 }
}

const PAID = { from: 'starter', refusal: 402 } as const

export const STANDARD: KeyedAccess = { buckets: ['rest'] }
export const V3: KeyedAccess = { buckets: ['v3'], plan: PAID }
export const V3_HEAVY: KeyedAccess = { buckets: ['v3', 'v3_heavy'], plan: PAID }

/** Whether the caller's plan is good enough for the route. */
export const mayPass = ({ plan }: Caller, access: KeyedAccess): boolean =>
  access.plan === undefined || plan.rank >= PLANS[access.plan.from].rank

/** Throws when it is not. */
export function checkPlan(caller: Caller, access: KeyedAccess, upgradeUrl: () => string): void {
  const { plan } = caller
  const needed = access.plan
  if (needed === undefined || mayPass(caller, access)) return
  if (needed.refusal === 402) {
    throw new ApiError(402, 'A paid plan is required for this endpoint.', {
      tier: plan.id,
      upgrade_url: upgradeUrl(),
    })
  }
  throw new ApiError(
    403,
    `This endpoint needs the ${needed.from} plan or above; this key is on the ${plan.id} plan.`,
  )
}

/** What a route's buckets come to under one plan. */
export type Tariff = {
  bucket: BucketName
  counts: 'key' | 'account'
  limit: number
  windowMs: number
}[]

export const tariffOf = ({ buckets }: KeyedAccess, plan: Plan): Tariff =>
  buckets.map((bucket) => {
    const { windowMs, counts, limit } = BUCKETS[bucket]
    return { bucket, counts, limit: limit(plan), windowMs }
  })

export function chargesOf({ keyId, accountId }: Caller, tariff: Tariff): Charge[] {
  return tariff.map(({ bucket, counts, limit, windowMs }) => {
    const subject = counts === 'key' ? keyId : accountId
    return { bucket, subject, limit, windowMs }
  })
}
