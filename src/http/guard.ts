import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Access, chargesOf, checkPlan, type KeyedAccess } from '../accounts/access.js'
import type { Caller } from '../accounts/key-ring.js'
import { BUCKETS, type Bucket, type BucketName } from '../accounts/limits/buckets.js'
import type { Balance, Verdict } from '../accounts/limits/limiter.js'
import { isSecret } from '../accounts/secret.js'
import type { Context } from '../context.js'
import { ApiError, unavailable } from '../errors.js'
import { upgradeUrl } from './urls.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route of the API: a route that forgot it does not start. */
    access?: Access
  }
  interface FastifyRequest {
    /** Set on every route that is not public. */
    caller: Caller | undefined
  }
}

/**
 * Asks before anything else happens: key, then plan, then limit. Written with callbacks because it
 * runs for every request and mostly has nothing to wait for.
 */
export function createGuard(ctx: Context): onRequestHookHandler {
  const admit = (request: FastifyRequest, reply: FastifyReply, access: KeyedAccess) => {
    const secret = findSecret(request)
    if (ctx.store.problem !== undefined) throw unavailable('The database is not available.')
    const found = ctx.keyRing.find(secret)
    return found instanceof Promise
      ? found.then((caller) => admitCaller(request, reply, access, caller))
      : admitCaller(request, reply, access, found)
  }

  const admitCaller = (
    request: FastifyRequest,
    reply: FastifyReply,
    access: KeyedAccess,
    caller: Caller | undefined,
  ): void | Promise<void> => {
    if (caller === undefined) throw new ApiError(403, 'Invalid or inactive API key.')
    checkPlan(caller, access, () => upgradeUrl(ctx.config, request))
    request.caller = caller
    const verdict = ctx.limiter.take(chargesOf(caller, access))
    return verdict instanceof Promise
      ? verdict.then((late) => applyVerdict(reply, late))
      : applyVerdict(reply, verdict)
  }

  const applyVerdict = (reply: FastifyReply, verdict: Verdict): void => {
    const nowMs = ctx.clock.now()
    writeLimitHeaders(reply, verdict, nowMs)
    if (verdict.allowed) return
    const { bucket, resetAtMs } = verdict.strictest
    ctx.metrics.rateLimited.inc({ bucket })
    const retryAfterMs = Math.max(1, resetAtMs - nowMs)
    reply.header('retry-after', Math.ceil(retryAfterMs / 1000))
    const { refuse }: Bucket = BUCKETS[bucket as BucketName]
    throw refuse({ resetAt: Math.ceil(resetAtMs / 1000), retryAfterMs })
  }

  return (request, reply, done) => {
    // Whoever may be answered from a cache says so later.
    reply.header('cache-control', 'no-store')
    const { access } = request.routeOptions.config
    if (access === undefined || access === 'public') return done()
    try {
      const waiting = admit(request, reply, access)
      if (waiting === undefined) done()
      else waiting.then(() => done(), done)
    } catch (error) {
      done(error as Error)
    }
  }
}

const HOW_TO_SEND = 'Pass it via ?key= or the x-api-key header (or Authorization: Bearer).'

function findSecret(request: FastifyRequest): string {
  const given = [
    request.headers['x-api-key'],
    readBearer(request.headers.authorization),
    (request.query as Record<string, unknown>).key,
  ]
    .flat()
    .filter((value) => value !== undefined && value !== '')
  const [secret] = given
  if (secret === undefined) throw new ApiError(401, `Missing API key. ${HOW_TO_SEND}`)
  if (given.length > 1) throw new ApiError(401, `Send the API key once. ${HOW_TO_SEND}`)
  if (typeof secret !== 'string' || !isSecret(secret)) {
    throw new ApiError(401, `Malformed API key. ${HOW_TO_SEND}`)
  }
  return secret
}

// Other schemes belong to proxies in front of us and say nothing about our keys.
function readBearer(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^bearer +(\S+) *$/i.exec(header)
  return match?.[1]
}

function writeLimitHeaders(reply: FastifyReply, verdict: Verdict, nowMs: number): void {
  const { strictest, balances } = verdict
  reply.header('x-ratelimit-limit', strictest.limit)
  reply.header('x-ratelimit-remaining', strictest.remaining)
  reply.header('x-ratelimit-reset', Math.ceil(strictest.resetAtMs / 1000))
  reply.header('ratelimit-policy', balances.map(showPolicy).join(', '))
  reply.header('ratelimit', balances.map((balance) => showBalance(balance, nowMs)).join(', '))
}

// The names and letters of draft-ietf-httpapi-ratelimit-headers.
const showPolicy = ({ bucket, limit, windowMs }: Balance): string =>
  `"${bucket}";q=${limit};w=${windowMs / 1000}`

const showBalance = ({ bucket, remaining, resetAtMs }: Balance, nowMs: number): string =>
  `"${bucket}";r=${remaining};t=${Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000))}`
