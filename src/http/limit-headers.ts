import { type KeyedAccess, type Tariff, tariffOf } from '../accounts/access.js'
import type { Balance, Verdict } from '../accounts/limits/limiter.js'
import { PLANS, type Plan, type PlanId } from '../accounts/plans.js'

/** What a route costs under a plan, and the header that says so. */
export type Terms = { tariff: Tariff; policy: string }
export type TermsOf = (plan: Plan) => Terms

/** The terms of a route for each plan: worked out once, the same for every request. */
export function createTerms(access: KeyedAccess): TermsOf {
  const terms = Object.values(PLANS).map((plan) => {
    const tariff = tariffOf(access, plan)
    return [plan.id, { tariff, policy: tariff.map(showPolicy).join(', ') }] as const
  })
  const byPlan = Object.fromEntries(terms) as Record<PlanId, Terms>
  return ({ id }) => byPlan[id]
}

/** The headers of every authenticated answer: names and values in turn. */
export function limitHeaders(policy: string, verdict: Verdict, nowMs: number): string[] {
  const { strictest, balances } = verdict
  let rests = ''
  for (const balance of balances) {
    rests += (rests === '' ? '' : ', ') + showBalance(balance, nowMs)
  }
  return [
    'x-ratelimit-limit',
    `${strictest.limit}`,
    'x-ratelimit-remaining',
    `${strictest.remaining}`,
    'x-ratelimit-reset',
    `${Math.ceil(strictest.resetAtMs / 1000)}`,
    'ratelimit-policy',
    policy,
    'ratelimit',
    rests,
  ]
}

// The names and letters of draft-ietf-httpapi-ratelimit-headers.
const showPolicy = ({ bucket, limit, windowMs }: Tariff[number]): string =>
  `"${bucket}";q=${limit};w=${windowMs / 1000}`

const showBalance = ({ bucket, remaining, resetAtMs }: Balance, nowMs: number): string =>
  `"${bucket}";r=${remaining};t=${Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000))}`
