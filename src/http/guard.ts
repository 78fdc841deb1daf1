import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Access, chargesOf, checkPlan, type KeyedAccess } from '../accounts/access.js'
import type { Caller } from '../accounts/key-ring.js'
import { BUCKETS, type Bucket, type BucketName } from '../accounts/limits/buckets.js'
import type { Verdict } from '../accounts/limits/limiter.js'
import { isSecret } from '../accounts/secret.js'
import type { Context } from '../context.js'
import { ApiError, databaseLost } from '../core/errors.js'
import { createTerms, limitHeaders } from './limit-headers.js'
import { setHeaders } from './set-headers.js'
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

/** Puts a guard before every route registered after this call, made for what the route asks. */
export function guardRoutes(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRoute', (route) => {
    const access = route.config?.access
    if (access === undefined) throw new Error(`${route.url} does not say who may use it`)
    const guard = access === 'public' ? admitEverybody : createGuard(ctx, access)
    route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
  })
}

// Whoever may be answered from a cache says so later.
const UNCACHED = 'no-store'

const admitEverybody: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', UNCACHED)
  done()
}

/**
 * Asks before anything else happens: key, then plan, then limit. Written with callbacks because it
 * runs for every request and mostly has nothing to wait for.
 */
function createGuard(ctx: Context, access: KeyedAccess): onRequestHookHandler {
  const termsOf = createTerms(access)

  const admit = (request: FastifyRequest, reply: FastifyReply) => {
    const secret = findSecret(request)
    const isStoreLost = ctx.store.problem !== undefined
    const known = isStoreLost ? undefined : ctx.keyRing.recall(secret)
    if (known !== undefined) return admitCaller(request, reply, known)
    if (!isSecret(secret)) throw new ApiError(401, `Malformed API key. ${HOW_TO_SEND}`)
    if (isStoreLost) throw databaseLost()
    return admitUnseen(request, reply, secret)
  }

  const admitUnseen = async (request: FastifyRequest, reply: FastifyReply, secret: string) => {
    if (!ctx.keyRing.isStranger(secret)) {
      ctx.strangers.check(request.ip)
      const caller = await ctx.keyRing.find(secret)
      if (caller !== undefined) return await admitCaller(request, reply, caller)
      ctx.strangers.note(request.ip)
    }
    throw new ApiError(403, 'Invalid or inactive API key.')
  }

  const admitCaller = (
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
  ): void | Promise<void> => {
    checkPlan(caller, access, () => upgradeUrl(ctx.config, request))
    request.caller = caller
    const { tariff, policy } = termsOf(caller.plan)
    const verdict = ctx.limiter.take(chargesOf(caller, tariff))
    return verdict instanceof Promise
      ? verdict.then((late) => applyVerdict(reply, policy, late))
      : applyVerdict(reply, policy, verdict)
  }

  const applyVerdict = (reply: FastifyReply, policy: string, verdict: Verdict): void => {
    const nowMs = ctx.clock.now()
    setHeaders(reply, limitHeaders(policy, verdict, nowMs))
    if (verdict.allowed) return
    const { bucket, resetAtMs } = verdict.strictest
    ctx.metrics.rateLimited.inc({ bucket })
    const retryAfterMs = Math.max(1, resetAtMs - nowMs)
    const { refuse }: Bucket = BUCKETS[bucket as BucketName]
    throw refuse({ resetAt: Math.ceil(resetAtMs / 1000), retryAfterMs })
  }

  return (request, reply, done) => {
    reply.header('cache-control', UNCACHED)
    try {
      const waiting = admit(request, reply)
      if (waiting === undefined) done()
      else waiting.then(() => done(), done)
    } catch (error) {
      done(error as Error)
    }
  }
}

const HOW_TO_SEND = 'Pass it via ?key= or the x-api-key header (or Authorization: Bearer).'

function findSecret(request: FastifyRequest): string {
  const { headers } = request
  const inQuery = (request.query as Record<string, unknown>).key
  // Almost every request sends the header and nothing else.
  const secret =
    inQuery === undefined && headers.authorization === undefined
      ? headers['x-api-key']
      : chooseSecret([headers['x-api-key'], readBearer(headers.authorization), inQuery].flat())
  if (typeof secret === 'string' && secret !== '') return secret
  throw new ApiError(401, `Missing API key. ${HOW_TO_SEND}`)
}

function chooseSecret(given: unknown[]): unknown {
  const [secret, second] = given.filter((value) => value !== undefined && value !== '')
  if (second !== undefined) throw new ApiError(401, `Send the API key once. ${HOW_TO_SEND}`)
  return secret
}

// Other schemes belong to proxies in front of us and say nothing about our keys.
function readBearer(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^bearer +(\S+) *$/i.exec(header)
  return match?.[1]
}
