import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import type { Access } from '../accounts/access.js'
import { type Admit, type Admitted, HOW_TO_SEND, RateLimited } from '../accounts/admission.js'
import { OPERATION_COSTS } from '../accounts/costs.js'
import type { Accounts } from '../accounts/domain.js'
import type { Caller } from '../accounts/key-ring.js'
import type { Operators } from '../accounts/operators.js'
import { describeWorkLimit, type WorkOwner, type WorkShares } from '../accounts/work-shares.js'
import type { Config } from '../config/config.js'
import { ApiError, tooManyRequests } from '../core/errors.js'
import { toNetwork } from '../lib/ip-address.js'
import type { Pool } from '../store/connection.js'
import type { StatePoint } from '../store/replicas/database-state.js'
import { ADMITTED } from './connection-shares.js'
import { setHeaders } from './request-headers.js'
import { findSession } from './session-cookie.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route of the API: a route without it does not start. */
    access?: Access
  }
  interface FastifyRequest {
    /** Set on every route that needs an API key, or a session instead. */
    caller: Caller | undefined
    /**
     * The database for what the request reads. Queries wait for a connection of the caller's share, and their time is
     * charged to the caller. Answers that name a block are read from a replica that has it, where there is one, and
     * `since`: what the answer must not be older than.
     */
    readSql(since?: StatePoint | 'now'): Pool
    /** Charges the caller for work on the thread, in milliseconds, before it begins, and waits until it may. */
    admitWork(ms: number): void | Promise<void>
    /** Set on every route that needs an operator's key: its id, such as `op_1`. */
    operator: string | undefined
  }
}

/** Puts the admission before every route registered after this call. */
export function guardRoutes(app: FastifyInstance, accounts: Accounts, config: Site): void {
  app.decorateRequest('readSql', function readSql(since?: StatePoint | 'now') {
    const { dependsOnChain } = this.routeOptions.config
    const isOfReplica = dependsOnChain === true && since !== 'now'
    const need = isOfReplica ? { since, fork: this.fork } : undefined
    return accounts.reads.sqlFor(this.caller ?? strangerAt(this.ip), this.stopwatch, need)
  })
  app.decorateRequest('admitWork', function admitWork(ms: number) {
    return accounts.shares.admit(this.caller ?? strangerAt(this.ip), ms)
  })
  app.addHook('onRoute', (route) => {
    const access = route.config?.access
    if (access === undefined) throw new Error(`${route.url} does not say who may use it`)
    const guard = chooseGuard(accounts, route, access, config)
    route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
  })
}

const READING = ['GET', 'HEAD', 'OPTIONS']

type Site = Pick<Config, 'publicUrl'>

function chooseGuard(accounts: Accounts, { method }: RouteOptions, access: Access, site: Site) {
  const { admission, operators, shares } = accounts
  if (access === 'operator') return createOperatorGuard(operators)
  const cost = OPERATION_COSTS[access.cost]
  if ('public' in access) return cost === 0 ? admitAll : createPublicGuard(shares, cost)
  const isReading = [method].flat().every((each) => READING.includes(each))
  const isChange = access.isRead !== true && !isReading
  const charge = (caller: Caller) => shares.charge(caller, cost)
  const findCookie = (request: FastifyRequest) => findSession(request, site, { isChange: !isReading })
  return createGuard(admission.for(access, { isChange }), charge, findCookie)
}

// Routes with a cache overwrite this header.
const UNCACHED = 'no-store'

const admitAll: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', UNCACHED)
  done()
}

/** Of all addresses that send no key. */
const STRANGERS_PLAN = { workPerSecond: 50 }

const strangerAt = (ip: string): WorkOwner => ({ accountId: toNetwork(ip), plan: STRANGERS_PLAN })

function createPublicGuard(shares: WorkShares, cost: number): onRequestHookHandler {
  return ({ ip }, reply, done) => {
    reply.header('cache-control', UNCACHED)
    const stranger = strangerAt(ip)
    const refusedMs = shares.refusedMs(stranger)
    if (refusedMs > 0) return done(tooManyRequests(describeWorkLimit(stranger, refusedMs), refusedMs))
    const admitted = shares.admit(stranger, cost)
    if (admitted instanceof Promise) void admitted.then(() => done())
    else done()
  }
}

/** With callbacks, because the admission of a known key is synchronous. */
function createGuard(
  admit: Admit,
  charge: (caller: Caller) => void,
  findCookie: (request: FastifyRequest) => string | undefined,
): onRequestHookHandler {
  return (request, reply, done) => {
    reply.header('cache-control', UNCACHED)
    const show = ({ caller, headers }: Admitted) => {
      request.caller = caller
      request.raw.socket.emit(ADMITTED, caller.accountId)
      setHeaders(reply, headers)
    }
    const accept = (admitted: Admitted) => {
      show(admitted)
      charge(admitted.caller)
    }
    const refuse = (error: unknown) => {
      if (error instanceof RateLimited) show(error)
      done(error as Error)
    }
    try {
      const secret = findSecret(request)
      const admitted = admit(secret, request, secret === undefined ? findCookie(request) : undefined)
      if (admitted instanceof Promise) {
        const end = request.stopwatch?.beginQuery(() => 'admission')
        return void admitted
          .finally(end)
          .then(accept)
          .then(() => done(), refuse)
      }
      accept(admitted)
    } catch (error) {
      return refuse(error)
    }
    done()
  }
}

/** The account behind a request of a route that is not public. */
export function callerOf({ caller }: Pick<FastifyRequest, 'caller'>): Caller {
  if (caller === undefined) throw new Error('the route is not public')
  return caller
}

/** Admits requests with an operator's key. */
const createOperatorGuard =
  (operators: Operators): onRequestHookHandler =>
  (request, reply, done) => {
    reply.header('cache-control', UNCACHED)
    const admit = async () => {
      request.operator = await operators.identify(findSecret(request), request)
      request.raw.socket.emit(ADMITTED)
    }
    admit().then(() => done(), done)
  }

/** The API key that a request carries; `undefined`: none. Throws when it carries several. */
export function findSecret(request: { headers: IncomingHttpHeaders; query: unknown }): string | undefined {
  const { headers } = request
  const inQuery = (request.query as Record<string, unknown>).key
  // Almost every request sends the header and nothing else.
  const secret =
    inQuery === undefined && headers.authorization === undefined
      ? headers['x-api-key']
      : chooseSecret([headers['x-api-key'], readBearer(headers.authorization), inQuery].flat())
  return typeof secret === 'string' && secret !== '' ? secret : undefined
}

function chooseSecret(candidates: unknown[]): unknown {
  const [secret, second] = candidates.filter((value) => value !== undefined && value !== '')
  if (second !== undefined) throw new ApiError(401, `Send the API key once. ${HOW_TO_SEND}`)
  return secret
}

// Other schemes belong to proxies in front of the service and carry none of its keys. A header that
// names the scheme and is not one token stays whole, and is refused as malformed.
function readBearer(header: string | undefined): string | undefined {
  if (header === undefined || !/(?:^|[\s,])bearer(?:[\s,]|$)/i.test(header)) return undefined
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? header
}
