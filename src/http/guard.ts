import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify'
import type { Access } from '../accounts/access.js'
import { type Admit, type Admitted, HOW_TO_SEND, RateLimited } from '../accounts/admission.js'
import type { Accounts } from '../accounts/domain.js'
import type { Caller } from '../accounts/key-ring.js'
import type { Operators } from '../accounts/operators.js'
import { ApiError } from '../core/errors.js'
import { ADMITTED } from './connection-shares.js'
import { setHeaders } from './request-headers.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route of the API: a route without it does not start. */
    access?: Access
  }
  interface FastifyRequest {
    /** Set on every route that needs an API key. */
    caller: Caller | undefined
    /** Set on every route that needs an operator's key: its id, such as `op_1`. */
    operator: string | undefined
  }
}

/** Puts the admission before every route registered after this call. */
export function guardRoutes(app: FastifyInstance, accounts: Accounts): void {
  app.addHook('onRoute', (route) => {
    const access = route.config?.access
    if (access === undefined) throw new Error(`${route.url} does not say who may use it`)
    const guard = chooseGuard(accounts, route, access)
    route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
  })
}

const READING = ['GET', 'HEAD', 'OPTIONS']

function chooseGuard({ admission, operators }: Accounts, { method }: RouteOptions, access: Access) {
  if (access === 'public') return admitAll
  if (access === 'operator') return createOperatorGuard(operators)
  const isChange = access.isRead !== true && ![method].flat().every((each) => READING.includes(each))
  return createGuard(admission.for(access, { isChange }))
}

// Routes with a cache overwrite this header.
const UNCACHED = 'no-store'

const admitAll: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', UNCACHED)
  done()
}

/** With callbacks, because the admission of a known key is synchronous. */
function createGuard(admit: Admit): onRequestHookHandler {
  return (request, reply, done) => {
    reply.header('cache-control', UNCACHED)
    const accept = ({ caller, headers }: Admitted) => {
      request.caller = caller
      request.raw.socket.emit(ADMITTED, caller.accountId)
      setHeaders(reply, headers)
    }
    const refuse = (error: unknown) => {
      if (error instanceof RateLimited) accept(error)
      done(error as Error)
    }
    try {
      const admitted = admit(findSecret(request), request)
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

function chooseSecret(given: unknown[]): unknown {
  const [secret, second] = given.filter((value) => value !== undefined && value !== '')
  if (second !== undefined) throw new ApiError(401, `Send the API key once. ${HOW_TO_SEND}`)
  return secret
}

// Other schemes belong to proxies in front of the service and carry none of its keys. A header that
// names the scheme and is not one token stays whole, and is refused as malformed.
function readBearer(header: string | undefined): string | undefined {
  if (header === undefined || !/(?:^|[\s,])bearer(?:[\s,]|$)/i.test(header)) return undefined
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? header
}
