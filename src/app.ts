import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { accountRoutes } from './accounts/routes.js'
import type { Context } from './context.js'
import { cacheRoutes } from './http/cached-routes.js'
import { showChainHead } from './http/chain-head.js'
import { answerBadPath, createClientFaultHandler, handleErrors } from './http/errors.js'
import { guardRoutes } from './http/guard.js'
import { acceptJsonBodies } from './http/json-body.js'
import { handleNotFound } from './http/not-found.js'
import { observeRoutes } from './http/observe.js'
import { describeApi, describeErrors } from './http/openapi.js'
import { addRequestHeaders } from './http/request-headers.js'
import { RequestTimes } from './http/request-times.js'
import { collectRoutes } from './http/routes-table.js'
import { cutSlowReaders } from './http/slow-readers.js'
import { checkUrl } from './http/url-check.js'
import { compileValidator, describeFault } from './http/validation.js'
import { cryptoMarketRoutes } from './markets/crypto/routes.js'
import { candleRoutes } from './prices/candles/routes.js'
import { tickRoutes } from './prices/ticks/routes.js'
import { windowRoutes } from './prices/windows/routes.js'
import { coverageRoutes } from './status/coverage/routes.js'
import { statusRoutes } from './status/routes.js'
import { tradeRoutes } from './trades/routes.js'

export type ApiRoutes = FastifyPluginAsync<{ ctx: Context }>

/** The REST door of every domain. */
const API: ApiRoutes[] = [
  statusRoutes,
  accountRoutes,
  coverageRoutes,
  cryptoMarketRoutes,
  tickRoutes,
  candleRoutes,
  windowRoutes,
  tradeRoutes,
]

const BODY_BYTES_MAX = 1024 * 1024
const CONNECTIONS_MAX = 10_000

// Against clients that send or read too slowly, on purpose or not.
const HEADERS_MS_MAX = 10_000
const REQUEST_MS_MAX = 30_000
const CHECK_MS = 2_000
// Longer than the minute after which proxies usually give up an idle connection.
const KEEP_ALIVE_MS_MAX = 72_000

/** Puts the HTTP door together. It does not listen yet. */
export async function buildApp(ctx: Context, routes: ApiRoutes[] = API): Promise<FastifyInstance> {
  const nextId = createRequestIds()
  const app = Fastify({
    logger: false,
    genReqId: nextId,
    trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
    bodyLimit: BODY_BYTES_MAX,
    serverFactory: (handler) => createHttpServer(handler),
    forceCloseConnections: 'idle',
    // While the service drains, open connections are still served; the answers close them.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500 },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/v3/') ? dropTrailingSlash(url) : url),
    clientErrorHandler: createClientFaultHandler(nextId, ctx.log),
    frameworkErrors: answerBadPath,
    schemaErrorFormatter: describeFault,
  })
  app.setValidatorCompiler(compileValidator)
  app.decorateRequest('caller', undefined)
  addRequestHeaders(app)

  const table = collectRoutes(app)
  const observe = observeRoutes(app, ctx, new RequestTimes(ctx.metrics.registry))
  handleErrors(app, ctx.log)
  handleNotFound(app, table, observe)
  acceptJsonBodies(app)
  await describeApi(app)

  await app.register(async (api) => {
    guardRoutes(api, ctx)
    api.addHook('preValidation', checkUrl)
    describeErrors(api)
    cacheRoutes(api, ctx)
    showChainHead(api, ctx)
    for (const plugin of routes) await api.register(plugin, { ctx })
  })
  return app
}

function createHttpServer(handler: RequestListener): Server {
  const options = {
    connectionsCheckingInterval: CHECK_MS,
    headersTimeout: HEADERS_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS_MAX,
    requireHostHeader: false,
  }
  const server = createServer(options, handler)
  server.maxConnections = CONNECTIONS_MAX
  cutSlowReaders(server)
  return server
}

/** Unique across processes and cheap: a random beginning and a counter. */
function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

function dropTrailingSlash(url: string): string {
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  const hasSlash = path.endsWith('/') && path !== '/v3/'
  return hasSlash ? path.slice(0, -1) + url.slice(path.length) : url
}
