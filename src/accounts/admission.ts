import type { Counter } from 'prom-client'
import type { Config } from '../config/config.js'
import type { Clock } from '../core/clock.js'
import { ApiError, databaseLost, tooManyRequests } from '../core/errors.js'
import type { KeyedAccess } from './access.js'
import { AddressThrottle } from './address-throttle.js'
import { BUCKETS, type Bucket, type BucketName } from './buckets.js'
import { type Caller, type KeyRing, SESSION_ENDED, UNKNOWN_KEY } from './key-ring.js'
import type { Balance, Charge, Limiter, Verdict } from './limiter.js'
import { DEFAULT_PLANS, type Plan } from './plans.js'
import { digestSecret, digestSession, isSessionDigest } from './secret.js'

/** The client's end of a connection; a Fastify request is one. */
export type Client = { readonly ip: string; readonly protocol: string; readonly host: string }

/** A request that may go on, and the limit headers of its answer: names and values alternate. */
export type Admitted = { caller: Caller; headers: readonly string[] }

/**
 * Decides on one request. Throws an `ApiError` when it is refused. A promise comes back only where
 * the database or another process has to decide: not for a key that is in the ring. `session`: the token of a
 * browser that is signed in, where there is no secret.
 */
export type Admit = (
  secret: string | undefined,
  client: Client,
  session?: string | undefined,
) => Admitted | Promise<Admitted>

type AdmissionDeps = {
  config: Pick<Config, 'publicUrl' | 'upgradeUrl'>
  store: { readonly problem: string | undefined }
  keyRing: KeyRing
  limiter: Limiter
  rateLimited: Counter<'bucket'>
  clock: Clock
}

export const HOW_TO_SEND = 'Pass it via ?key= or the x-api-key header (or Authorization: Bearer).'

/** Each unknown key costs a query. One that exists costs none, however often it is used. */
const UNKNOWN_KEYS_PER_MINUTE_MAX = 300

/** The one check of key, plan and limits, in this order, for every door of the service. */
export class Admission {
  readonly #deps: AdmissionDeps
  readonly #unknownKeys: AddressThrottle

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
    this.#unknownKeys = new AddressThrottle(deps.clock, UNKNOWN_KEYS_PER_MINUTE_MAX)
  }

  /** The check for one route or channel; made once, when it is registered. `isChange`: not for keys that read alone. */
  for(access: KeyedAccess, { isChange = false } = {}): Admit {
    const termsOf = createTerms(access)
    const admitCaller = (caller: Caller, client: Client) => {
      if (isChange && caller.scope === 'read') throw readOnly()
      checkPlan(caller, access, () => this.#upgradeUrl(client))
      const { tariff, policy } = termsOf(caller.plan)
      const verdict = this.#deps.limiter.take(chargesOf(caller, tariff))
      return verdict instanceof Promise
        ? verdict.then((late) => this.#judge(caller, policy, late))
        : this.#judge(caller, policy, verdict)
    }
    // Without `async`: it runs for every request and mostly has nothing to wait for.
    return (secret, client, session) => {
      const caller = this.identify(secret, client, session)
      return caller instanceof Promise
        ? caller.then((late) => admitCaller(late, client))
        : admitCaller(caller, client)
    }
  }

  /** The check of key or session alone, for doors that have limits of their own. Throws like the checks of routes. */
  identify(
    secret: string | undefined,
    client: Pick<Client, 'ip'>,
    session?: string | undefined,
  ): Caller | Promise<Caller> {
    const digest = secret === undefined ? digestSessionOf(session) : digestSecret(secret)
    if (digest === undefined) throw new ApiError(401, `Malformed API key. ${HOW_TO_SEND}`)
    const { store, keyRing } = this.#deps
    if (store.problem !== undefined) throw databaseLost()
    return keyRing.recall(digest) ?? this.#lookUp(digest, client)
  }

  /** Charges a caller that is admitted already for something more that its request does. */
  async charge(caller: Caller, bucket: BucketName): Promise<Verdict> {
    return await this.#deps.limiter.take(chargesOf(caller, [toTariff(bucket, caller.plan)]))
  }

  /** Like `charge`; throws when the bucket is full. */
  async chargeOrRefuse(caller: Caller, bucket: BucketName): Promise<void> {
    const verdict = await this.charge(caller, bucket)
    if (!verdict.allowed) throw toRefusal(verdict, this.#deps.clock.now())
  }

  /** What buckets have left for a caller, in the order of their names. Costs nothing of them. */
  async look(
    caller: Caller,
    buckets: readonly BucketName[],
  ): Promise<(Balance & { counts: Bucket['counts'] })[]> {
    const tariff = buckets.map((bucket) => toTariff(bucket, caller.plan))
    const balances = await this.#deps.limiter.look(chargesOf(caller, tariff))
    return balances.map((balance, index) => ({ ...balance, counts: tariff[index]?.counts ?? 'account' }))
  }

  async #lookUp(digest: string, { ip }: Pick<Client, 'ip'>): Promise<Caller> {
    const { keyRing } = this.#deps
    if (keyRing.recallRefusal(digest) === undefined) {
      this.#checkUnknownKeys(ip)
      const caller = await keyRing.find(digest)
      if (caller !== undefined) return caller
      this.#unknownKeys.add(ip)
    }
    const refusal = keyRing.recallRefusal(digest)
    // The pages ask their reader to sign in again when the service answers 401, whatever ended the session.
    if (isSessionDigest(digest)) throw new ApiError(401, refusal ?? SESSION_ENDED)
    throw new ApiError(403, refusal ?? UNKNOWN_KEY)
  }

  /** Throws when the address has sent too many unknown keys lately. */
  #checkUnknownKeys(ip: string): void {
    const waitMs = this.#unknownKeys.waitMs(ip)
    if (waitMs === 0) return
    const freeAt = Math.ceil((this.#deps.clock.now() + waitMs) / 1000)
    throw tooManyRequests(`Too many unknown API keys. Retry after ${freeAt}.`, waitMs)
  }

  #judge(caller: Caller, policy: string, verdict: Verdict): Admitted {
    const nowMs = this.#deps.clock.now()
    const headers = limitHeaders(policy, verdict, nowMs)
    if (verdict.allowed) return { caller, headers }
    this.#deps.rateLimited.inc({ bucket: verdict.strictest.bucket })
    throw new RateLimited(toRefusal(verdict, nowMs), { caller, headers })
  }

  #upgradeUrl({ protocol, host }: Client): string {
    const { upgradeUrl, publicUrl = `${protocol}://${host}` } = this.#deps.config
    return upgradeUrl ?? `${publicUrl}/v1/plans`
  }
}

function digestSessionOf(session: string | undefined): string {
  if (session === undefined) throw new ApiError(401, `Missing API key. ${HOW_TO_SEND}`)
  const digest = digestSession(session)
  if (digest === undefined) throw new ApiError(401, SESSION_ENDED)
  return digest
}

const readOnly = () =>
  new ApiError(403, 'This API key may read alone; the request needs one with the scope `full`.')

/** The refusal of a known caller: its answer carries the limit headers too. */
export class RateLimited extends ApiError {
  override name = 'RateLimited'
  readonly caller: Caller
  readonly headers: readonly string[]

  constructor(refusal: ApiError, { caller, headers }: Admitted) {
    const { status, message, fields, retryAfterSeconds = 1 } = refusal
    super(status, message, fields, { retryAfterSeconds })
    this.caller = caller
    this.headers = headers
  }
}

/** Of several buckets that are used up the last one speaks, the narrowest of the route; the longest wait counts. */
function toRefusal({ balances, strictest }: Verdict, nowMs: number): ApiError {
  const { resetAtMs } = strictest
  const { bucket } = balances.findLast(({ remaining }) => remaining === 0) ?? strictest
  const { refuse }: Bucket = BUCKETS[bucket as BucketName]
  const retryAfterMs = Math.max(1, resetAtMs - nowMs)
  return refuse({ resetAt: Math.ceil(resetAtMs / 1000), retryAfterMs })
}

function checkPlan({ plan }: Caller, access: KeyedAccess, upgradeUrl: () => string): void {
  const needed = access.plan
  if (needed === undefined || plan.rank >= DEFAULT_PLANS[needed.from].rank) return
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

/** What a route's buckets come to under one plan, and the header that says so. */
type Terms = { tariff: Tariff; policy: string }
type Tariff = (Pick<Bucket, 'counts' | 'windowMs'> & {
  bucket: BucketName
  limit: number
  isShared: boolean
  isLasting: boolean
})[]

/** The terms of a route for each plan and agreement: computed once, the same for every request. */
function createTerms({ buckets }: KeyedAccess): (plan: Plan) => Terms {
  const byPlan = new WeakMap<Plan, Terms>()
  return (plan) => {
    const known = byPlan.get(plan)
    if (known !== undefined) return known
    const tariff = buckets.map((bucket) => toTariff(bucket, plan))
    const terms = { tariff, policy: tariff.map(showPolicy).join(', ') }
    byPlan.set(plan, terms)
    return terms
  }
}

function toTariff(bucket: BucketName, plan: Plan): Tariff[number] {
  const { windowMs, counts, limit, isShared = false, isLasting = false }: Bucket = BUCKETS[bucket]
  return { bucket, counts, limit: limit(plan), windowMs, isShared, isLasting }
}

function chargesOf({ keyId, accountId }: Caller, tariff: Tariff): Charge[] {
  return tariff.map(({ bucket, counts, limit, windowMs, isShared, isLasting }) => {
    const subject = counts === 'key' ? keyId : accountId
    return { bucket, subject, limit, windowMs, isShared, isLasting }
  })
}

/** The headers of every authenticated answer: names and values alternate. */
function limitHeaders(policy: string, verdict: Verdict, nowMs: number): string[] {
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
