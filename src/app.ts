import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import type { Accounts } from './accounts/domain.js'
import type { ChainStatus } from './core/chain-status.js'
import { awaitDatabase } from './http/await-database.js'
import { cacheRoutes } from './http/cached-routes.js'
import { showChainHead } from './http/chain-head.js'
import { Compressor } from './http/compression.js'
import { ConnectionShares } from './http/connection-shares.js'
import { announceDeprecations } from './http/deprecation.js'
import { listOperations } from './http/docs/list-operations.js'
import { showGuides } from './http/docs/routes.js'
import { answerBadPath, createClientFaultHandler, handleErrors } from './http/errors.js'
import { guardRoutes } from './http/guard.js'
import { handleNotFound } from './http/not-found.js'
import { observeRoutes } from './http/observe.js'
import { describeApi, describeErrors } from './http/openapi.js'
import { showPages } from './http/pages.js'
import { addRequestHeaders } from './http/request-headers.js'
import { createHttpServer, createRequestIds, dropTrailingSlash } from './http/server.js'
import { logSlowRequests } from './http/slow-requests.js'
import {
  acceptJsonBodies,
  buildSerializers,
  checkUrl,
  compileValidator,
  describeFault,
} from './http/validation.js'
import { showLlmsTexts } from './mcp/routes.js'
import type { Platform } from './platform.js'
import { createSamples } from './status/samples.js'
import { describeStreams } from './stream/asyncapi/document.js'
import { listStreamMessages } from './stream/asyncapi/page.js'
import { showStreamDocs } from './stream/asyncapi/routes.js'
import type { StreamDeps } from './stream/deps.js'
import { type CreateProtocol, SocketDoor } from './stream/door.js'
import { Protocols } from './stream/protocols.js'
import { upstreamTitle } from './upstreams/upstreams.js'
import { describeWebhooks } from './webhooks/openapi.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Has all WebSockets connect to other processes, spread over this time. */
    dismissSockets(spreadMs: number, hurry: AbortSignal): Promise<void>
  }
}

export type AppDeps = {
  accounts: Accounts
  chain: ChainStatus
  /** Of all domains, as far as they are of the roles of the process. */
  routes: readonly FastifyPluginAsync[]
  stream: StreamDeps
  /** What WebSockets speak, in place of the protocols of the service. */
  createProtocol?: CreateProtocol | undefined
}

/** Puts the doors for HTTP and WebSockets together. They do not listen yet. */
export async function buildApp(platform: Platform, deps: AppDeps): Promise<FastifyInstance> {
  const { config, floodLog } = platform
  const { accounts, chain } = deps
  const nextId = createRequestIds()
  const { trustedProxies } = config
  const shares = new ConnectionShares({ trustedProxies, metrics: platform.metrics })
  const app = Fastify({
    logger: false,
    genReqId: nextId,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: 1024 * 1024,
    serverFactory: (handler) => createHttpServer(handler, shares),
    forceCloseConnections: 'idle',
    // While the service drains, open connections are still served; the answers close them.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500 },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/v3/') ? dropTrailingSlash(url) : url),
    clientErrorHandler: createClientFaultHandler(nextId, floodLog),
    frameworkErrors: answerBadPath,
    schemaErrorFormatter: describeFault,
    schemaController: { compilersFactory: { buildSerializer: buildSerializers } },
  })
  app.setValidatorCompiler(compileValidator)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('operator', undefined)
  addRequestHeaders(app, config)
  logSlowRequests(app, platform)

  const observe = observeRoutes(app, platform, accounts.usage)
  handleErrors(app, platform, { chain, titleOf: upstreamTitle })
  const { roles } = config
  const isApi = roles.includes('api')
  handleNotFound(app, observe, roles)
  acceptJsonBodies(app)
  const compressor = new Compressor()
  if (isApi) {
    showPages(app)
    const webhooks = describeWebhooks()
    await describeApi(app, { compressor, webhooks, readSamples: createSamples(platform) })
    showStreamDocs(app, compressor, accounts.plans)
    showLlmsTexts(app, compressor)
    showGuides(app, {
      compressor,
      listReferences: () => [...listOperations(app.swagger()), ...listStreamMessages(describeStreams())],
    })
  }

  await app.register(async (api) => {
    awaitDatabase(api, platform)
    guardRoutes(api, accounts, config)
    api.addHook('preValidation', checkUrl)
    describeErrors(api)
    announceDeprecations(api)
    cacheRoutes(api, platform, { compressor, chain })
    showChainHead(api, platform, chain)
    for (const plugin of deps.routes) await api.register(plugin)
  })
  app.decorate('dismissSockets', roles.includes('stream') ? serveSockets(app, deps) : async () => undefined)
  return app
}

/** Returns what sends the sockets away. */
function serveSockets(app: FastifyInstance, { stream, createProtocol }: AppDeps) {
  const protocols = new Protocols(stream)
  const sockets = new SocketDoor(app.server, stream, createProtocol ?? protocols.create)
  app.addHook('preClose', async () => {
    await sockets.close()
    protocols.close()
  })
  return (spreadMs: number, hurry: AbortSignal) => sockets.dismiss(spreadMs, hurry)
}
