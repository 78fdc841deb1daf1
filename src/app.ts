import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { accountRoutes } from './accounts/routes.js'
import { adminRoutes } from './admin/routes.js'
import { bookRoutes } from './books/routes.js'
import { builderRoutes } from './builders/routes.js'
import { comboRoutes } from './combos/routes.js'
import type { Context } from './context.js'
import { copyPnlRoutes } from './copy-pnl/routes.js'
import { cryptoMarketRoutes } from './crypto/markets/routes.js'
import { candleRoutes, tickRoutes, windowRoutes } from './crypto/prices/routes.js'
import { cacheRoutes } from './http/cached-routes.js'
import { showChainHead } from './http/chain-head.js'
import { Compressor } from './http/compression.js'
import { answerBadPath, createClientFaultHandler, handleErrors } from './http/errors.js'
import { showFrontPage } from './http/front-page.js'
import { guardRoutes } from './http/guard.js'
import { handleNotFound } from './http/not-found.js'
import { observeRoutes } from './http/observe.js'
import { describeApi, describeErrors } from './http/openapi.js'
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
import { identityRoutes } from './identities/routes.js'
import { leaderboardRoutes } from './leaderboards/routes.js'
import { marketCandleRoutes } from './markets/candles/routes.js'
import { conditionRoutes } from './markets/conditions/routes.js'
import { eventRoutes } from './markets/events/routes.js'
import { marketListRoutes } from './markets/listing/routes.js'
import { marketSearchRoutes } from './markets/search/routes.js'
import { statsRoutes } from './markets/stats/routes.js'
import { tagRoutes } from './markets/tags/routes.js'
import { tokenRoutes } from './markets/tokens/routes.js'
import { closedPositionRoutes } from './positions/closed/routes.js'
import { onchainPositionRoutes } from './positions/onchain/routes.js'
import { positionRoutes } from './positions/routes.js'
import { rewardRoutes } from './rewards/routes.js'
import { searchRoutes } from './search/routes.js'
import { socialRoutes } from './social/routes.js'
import { gameContextRoutes } from './sports/context/routes.js'
import { gameRoutes } from './sports/games/routes.js'
import { leagueRoutes } from './sports/leagues/routes.js'
import { sportsMarketTypeRoutes } from './sports/market-types/routes.js'
import { quoteRoutes } from './sports/quotes/routes.js'
import { sportsSearchRoutes } from './sports/search/routes.js'
import { statusRoutes } from './status/routes.js'
import { createSamples } from './status/samples.js'
import { showStreamDocs } from './stream/asyncapi/routes.js'
import { type CreateProtocol, SocketDoor } from './stream/door.js'
import { Protocols } from './stream/protocols.js'
import { tradeExportRoutes } from './trades/export/routes.js'
import { tradeRoutes } from './trades/routes.js'
import { activityRoutes } from './wallets/activity/routes.js'
import { walletRoutes } from './wallets/routes.js'
import { listenerRoutes } from './webhooks/listen/routes.js'
import { webhookRoutes } from './webhooks/manage/routes.js'
import { describeWebhooks } from './webhooks/openapi.js'

export type ApiRoutes = FastifyPluginAsync<{ ctx: Context }>

/** The REST door of every domain. */
const API: ApiRoutes[] = [
  statusRoutes,
  accountRoutes,
  adminRoutes,
  cryptoMarketRoutes,
  marketListRoutes,
  marketSearchRoutes,
  tokenRoutes,
  conditionRoutes,
  eventRoutes,
  tagRoutes,
  marketCandleRoutes,
  statsRoutes,
  bookRoutes,
  tickRoutes,
  candleRoutes,
  windowRoutes,
  comboRoutes,
  tradeRoutes,
  tradeExportRoutes(),
  positionRoutes,
  onchainPositionRoutes,
  closedPositionRoutes,
  activityRoutes,
  walletRoutes,
  rewardRoutes,
  builderRoutes,
  leaderboardRoutes,
  copyPnlRoutes,
  identityRoutes,
  leagueRoutes,
  sportsMarketTypeRoutes,
  socialRoutes,
  sportsSearchRoutes,
  quoteRoutes,
  searchRoutes,
  gameRoutes,
  gameContextRoutes,
  webhookRoutes,
  listenerRoutes,
]

/** Puts the doors for HTTP and WebSockets together. They do not listen yet. */
export async function buildApp(
  ctx: Context,
  routes: ApiRoutes[] = API,
  createProtocol?: CreateProtocol,
): Promise<FastifyInstance> {
  const nextId = createRequestIds()
  const app = Fastify({
    logger: false,
    genReqId: nextId,
    trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
    bodyLimit: 1024 * 1024,
    serverFactory: createHttpServer,
    forceCloseConnections: 'idle',
    // While the service drains, open connections are still served; the answers close them.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500 },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/v3/') ? dropTrailingSlash(url) : url),
    clientErrorHandler: createClientFaultHandler(nextId, ctx.floodLog),
    frameworkErrors: answerBadPath,
    schemaErrorFormatter: describeFault,
    schemaController: { compilersFactory: { buildSerializer: buildSerializers } },
  })
  app.setValidatorCompiler(compileValidator)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('operator', undefined)
  addRequestHeaders(app)
  logSlowRequests(app, ctx)

  const observe = observeRoutes(app, ctx)
  handleErrors(app, ctx)
  handleNotFound(app, observe)
  acceptJsonBodies(app)
  showFrontPage(app)
  const compressor = new Compressor()
  await describeApi(app, { compressor, webhooks: describeWebhooks(), readSamples: createSamples(ctx) })
  showStreamDocs(app, compressor, ctx.plans)

  await app.register(async (api) => {
    guardRoutes(api, ctx)
    api.addHook('preValidation', checkUrl)
    describeErrors(api)
    cacheRoutes(api, ctx, compressor)
    showChainHead(api, ctx)
    for (const plugin of routes) await api.register(plugin, { ctx })
  })
  const protocols = new Protocols(ctx)
  const sockets = new SocketDoor(app.server, ctx, createProtocol ?? protocols.create)
  app.addHook('preClose', async () => {
    await sockets.close()
    protocols.close()
  })
  return app
}
