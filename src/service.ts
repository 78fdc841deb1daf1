import { setMaxListeners } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { createAccountApi } from './account-api/domain.js'
import { createAccounts } from './accounts/domain.js'
import type { Plans } from './accounts/plans.js'
import { selectPlansInUse } from './accounts/queries.js'
import type { UsageMeter } from './accounts/usage-meter.js'
import { createAdmin } from './admin/domain.js'
import { buildApp } from './app.js'
import { createArchive } from './archive/domain.js'
import { createAudit } from './audit/domain.js'
import { createBooks } from './books/domain.js'
import { createBuilders } from './builders/domain.js'
import { createCatalogue } from './catalogue/domain.js'
import { createChain } from './chain/domain.js'
import { createCombos } from './combos/domain.js'
import type { Config } from './config/config.js'
import { hasRole, ROLES } from './config/roles.js'
import { createCopyPnl } from './copy-pnl/domain.js'
import { createChainStatus, NO_NODE } from './core/chain-status.js'
import { type Clock, systemClock } from './core/clock.js'
import { isOutage } from './core/database-fault.js'
import { codeOf, OperatorError } from './core/errors.js'
import { createCrypto } from './crypto/domain.js'
import { createEvents } from './events/domain.js'
import type { Domain } from './http/domain.js'
import { LargeAnswers } from './http/large-answers.js'
import { endConnectionsWithAnswers, stopListening } from './http/server.js'
import { createIdentities } from './identities/domain.js'
import { JobLeases } from './jobs/job-leases.js'
import { createLeaderboards } from './leaderboards/domain.js'
import { faultFields } from './lib/fault-fields.js'
import type { Log } from './lib/log.js'
import { withTimeout } from './lib/timeout.js'
import { pause, pollUntil, systemTiming, type Timing } from './lib/timing.js'
import { createMarkets } from './markets/domain.js'
import { createMcp } from './mcp/domain.js'
import { createPlatform, type Platform } from './platform.js'
import { createPositions } from './positions/domain.js'
import { createPrices } from './prices/domain.js'
import { createReplay } from './replay/domain.js'
import { createRewards } from './rewards/domain.js'
import { createScores } from './scores/domain.js'
import { createSearch } from './search/domain.js'
import { SocialQuota } from './sessions/social-quota.js'
import { SocketSessions } from './sessions/socket-sessions.js'
import { createSocial } from './social/domain.js'
import { createSports } from './sports/domain.js'
import { createStatus } from './status/domain.js'
import { readiness, STOPPING } from './status/readiness.js'
import type { Target } from './store/connection.js'
import { writeServiceUpstreams } from './store/data-folder.js'
import { type Database, openDatabase } from './store/database.js'
import { selectDatabaseId } from './store/dataset.js'
import { Store } from './store/store.js'
import { createStoredCache } from './store/stored-cache.js'
import { createTrades } from './trades/domain.js'
import { createUnsupported } from './unsupported/domain.js'
import { OnlineSearch } from './upstreams/searxng/online-search.js'
import { createUpstreamMetrics } from './upstreams/transport/metrics.js'
import { Upstreams } from './upstreams/upstreams.js'
import { createWallets } from './wallets/domain.js'
import { createWebhooks } from './webhooks/domain.js'

export type Service = {
  url: string
  platform: Platform
  domains: Domains
  /** Resolves when the database answers for the first time, with its schema up to date. */
  databaseReady: Promise<void>
  /** Resolves when the service can do its work for the first time. */
  ready: Promise<void>
  /** Rejects when the service cannot go on; it recovers from all other faults. */
  failed: Promise<never>
  /** `hurry` ends the time for which the service still serves. */
  stop(hurry?: AbortSignal): Promise<void>
}

export type ServiceOptions = {
  command: string
  log: Log
  clock?: Clock
  fresh?: boolean
  /** An open database; closed with the service. */
  database?: Database
  /** Resolves when the upstreams can be asked; absent: at once. A node can be asked for blocks before. */
  opened?: Promise<void>
  /** Ends the wait for another process to leave the data folder. */
  signal?: AbortSignal
}

type DomainOptions = {
  /** The database, for the connections of the ingest's own. */
  target: Target
  opened?: Promise<void> | undefined
  /** Of waits for upstreams, and for the next social request of a key. Absent: that of the system. */
  timing?: Timing | undefined
}

export type Domains = ReturnType<typeof createDomains>

/** Makes the domains, and hands to each what it needs of others. A new domain is a line here. */
export function createDomains(platform: Platform, { target, opened, timing = systemTiming }: DomainOptions) {
  const { config, store, clock, log, floodLog, metrics: registry, statusParts } = platform
  const upstreamMetrics = createUpstreamMetrics(registry)
  const upstreams = new Upstreams(config, {
    metrics: upstreamMetrics,
    clock,
    log,
    opened,
    timing,
  })
  const chain = createChainStatus()
  const accounts = createAccounts(platform)
  const { plans, admission, rateLimited } = accounts
  const socketSessions = new SocketSessions(store, clock)
  const socialQuota = new SocialQuota({ store, clock, log })
  const largeAnswers = new LargeAnswers({ registry, rateLimited })
  const fallbackCache = createStoredCache({ store, clock, log })
  const onlineSearch = new OnlineSearch({ upstreams, clock })

  const catalogue = createCatalogue(platform, { chain, upstreams })
  const events = createEvents(platform, { markets: catalogue.catalogue })
  const prices = createPrices(platform, { upstreams })
  const books = createBooks(platform, { upstreams })
  const scores = createScores(platform, { upstreams })
  const ingest = createChain(platform, { target, upstreams, live: events.live, chain })
  const replay = createReplay(platform, { ...events, priceBus: prices.priceBus, scoreBus: scores.scoreBus })
  const social = { upstreams, admission, socialQuota, timing }
  const sports = { ...social, books: books.books, scores: scores.scores, fallbackCache, onlineSearch }

  const all: readonly Domain[] = [
    ingest,
    createAccountApi(platform, { accounts, socketSessions }),
    createAdmin(platform, accounts),
    events,
    replay,
    catalogue,
    createCrypto(platform, { catalogue: catalogue.deps, largeAnswers, upstreams }),
    createMarkets(platform, { chain, upstreams, fallbackCache }),
    prices,
    books,
    scores,
    createTrades(platform, { largeAnswers }),
    createPositions(platform, { admission }),
    createWallets(platform, { chain, upstreams }),
    createRewards(platform, { upstreams }),
    createIdentities(platform, { upstreams }),
    createSports(platform, sports),
    createSocial(platform, social),
    createSearch(platform, { onlineSearch }),
    createBuilders(platform, { chain, upstreams }),
    createCombos(platform, { chain }),
    createLeaderboards(platform, { chain, upstreams }),
    createCopyPnl(platform, { chain }),
    createStatus(platform, { chain, health: upstreamMetrics.health }),
    createWebhooks(platform, { plans, bus: events.bus, largeAnswers }),
    createAudit(platform, { upstreams }),
    createArchive(platform, { target }),
    createMcp(platform),
    createUnsupported(),
  ]
  const { bus, eventLog } = events
  return {
    all,
    routes: all.flatMap(({ probes = [], routes = [] }) => [
      ...probes,
      ...(config.roles.includes('api') ? routes : []),
    ]),
    lead: ingest.lead,
    accounts,
    chain,
    upstreams,
    largeAnswers,
    catalogue: catalogue.deps,
    sports,
    stream: {
      config,
      clock,
      log,
      floodLog,
      store,
      get answerSql() {
        return store.answers
      },
      metrics: registry,
      statusParts,
      ...accounts,
      socketSessions,
      bus,
      eventLog,
      priceBus: prices.priceBus,
      scoreBus: scores.scoreBus,
      scores: scores.scores,
      books: books.books,
      catalogue: catalogue.catalogue,
      replayRecord: replay.replayRecord,
    },
  }
}

// Together with the database's own shutdown, a stop stays under 5 s whatever hangs.
const DRAIN_MS_MAX = 1_500
const LAST_JOB_MS_MAX = 500
const LAST_FLUSH_MS_MAX = 500
const ASK_AGAIN_MS = 200

/** Opens the database, listens, and starts everything that runs beside the requests. */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const { log } = options
  if (options.database === undefined) log.info('opening the database')
  const database = options.database ?? (await openDatabase(config, { ...options, isService: true }))
  if (config.databaseUrl === undefined) writeServiceUpstreams(config.dataDir, config)
  const store = new Store({
    target: database.target,
    dataset: config.dataset,
    connectionsMax: config.databaseConnections,
    readUrls: config.databaseReadUrls,
    log,
  })
  const { clock = systemClock, opened } = options
  const platform = createPlatform({ config, log, store, clock })
  const domains = createDomains(platform, { target: database.target, opened })
  let app: FastifyInstance
  let url: string
  try {
    app = await buildApp(platform, domains)
    url = await listen(app, config)
  } catch (error) {
    await store.close()
    await database.close()
    throw error
  }
  log.info({ url, roles: config.roles.join(',') }, 'listening')
  if (config.databaseUrl === undefined) writeServiceUpstreams(config.dataDir, { ...config, url })
  if (config.polygonUrl === undefined && config.roles.includes('ingest')) log.warn(NO_NODE)
  return { url, platform, domains, ...run({ platform, domains, app, store, database }) }
}

type Running = {
  platform: Platform
  domains: Domains
  app: FastifyInstance
  store: Store
  database: Database
}

function run(running: Running) {
  const { platform, domains, app, store, database } = running
  const stopping = new AbortController()
  // Every job waits on it, which Node.js would report as a leak.
  setMaxListeners(0, stopping.signal)
  let watching: Promise<void> = Promise.resolve()
  const storeReady = new Promise<void>((resolve) => {
    watching = store.run(resolve)
  })
  let working: Promise<unknown> = Promise.resolve()
  let onWorkFailed = (_error: unknown): void => undefined
  const workFailed = new Promise<never>((_, reject) => {
    onWorkFailed = reject
  })
  const ready = storeReady.then(() => {
    working = startJobs(running, stopping.signal)
    working.catch(onWorkFailed)
    return untilReady(platform, stopping.signal)
  })
  const failed = Promise.race([
    watching.then(() => new Promise<never>(() => undefined)),
    database.lost,
    workFailed,
  ])
  const broken = new AbortController()
  failed.catch(() => broken.abort())

  const stop = async (hurry = broken.signal): Promise<void> => {
    platform.statusParts.push(STOPPING)
    await leaveLoadBalancers({ platform, app }, AbortSignal.any([broken.signal, hurry]))
    await drain(app)
    stopping.abort()
    await withTimeout(working, LAST_JOB_MS_MAX, 'jobs hang').catch(() => undefined)
    await domains.accounts.redisLimiter?.giveBackAll()
    platform.redis?.close()
    await flushUsage(platform, domains.accounts.usage)
    domains.stream.books.close()
    await domains.upstreams.close()
    await store.close()
    await watching.catch(() => undefined)
    await database.close()
    platform.floodLog.flush()
    platform.log.info('stopped')
  }
  return { databaseReady: storeReady, ready, failed, stop }
}

/** Starts everything that runs beside the requests, until the signal aborts. */
async function startJobs(
  { platform, domains, database: { target } }: Running,
  signal: AbortSignal,
): Promise<void> {
  const { config, jobs: runner, statusParts, log } = platform
  for (const { jobs = [], status } of domains.all) {
    runner.add(jobs.filter(({ roles }) => hasRole(config.roles, roles)))
    if (status !== undefined && hasRole(config.roles, status.roles ?? ROLES)) statusParts.push(status)
  }
  await untilAnswered(() => refuseUnknownPlans(platform, domains.accounts.plans), signal)
  await Promise.all([
    runRedis(platform, signal),
    runner.runEverywhere(signal),
    runner.runShared((role) => new JobLeases({ target, log, role }), signal),
    domains.lead(signal),
  ])
}

/** The database may go away while the service starts, as at any other time. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isOutage(error) || signal.aborted) throw error
      await pause(ASK_AGAIN_MS, signal)
    }
  }
}

async function runRedis(platform: Platform, signal: AbortSignal): Promise<void> {
  const { redis } = platform
  if (redis === undefined) return
  await redis.run(await untilAnswered(() => selectDatabaseId(platform.sql), signal), signal)
}

/** Keys of accounts on a plan that the operator's file has no more would stop working one by one. */
async function refuseUnknownPlans({ sql, config }: Platform, plans: Plans): Promise<void> {
  const unknown = (await selectPlansInUse(sql)).filter((id) => plans.find(id) === undefined)
  if (unknown.length === 0) return
  throw new OperatorError(
    `Accounts are on plans that are not known: ${unknown.join(', ')}. Add them to ` +
      `${config.plansFile ?? 'a file that AUSPEX_PLANS names'}, or move the accounts with \`auspex accounts set-plan\`.`,
  )
}

/** Resolves when the service can do its work for the first time. */
async function untilReady(platform: Platform, signal: AbortSignal): Promise<void> {
  if (!(await pollUntil(() => readiness(platform).isReady, { everyMs: 50, signal }))) return
  platform.log.info({ seconds: Math.round(process.uptime()) }, 'ready')
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port, listenTextResolver: () => '' })
  } catch (error) {
    await app.close()
    if (codeOf(error) === 'EADDRINUSE') {
      throw new OperatorError(
        `Port ${port} on ${host} is in use. Choose another with --port <number>; 0 takes a free one.`,
      )
    }
    if (codeOf(error) === 'EACCES') {
      throw new OperatorError(`Port ${port} needs rights that this user lacks. Take one above 1023.`)
    }
    if (codeOf(error) === 'EADDRNOTAVAIL' || codeOf(error) === 'ENOTFOUND') {
      throw new OperatorError(`${host} is not an address of this machine. Change --host.`)
    }
    throw error
  }
}

/**
 * Serves on while load balancers find out from `/readyz` that the process stops. They have half of the time; in the
 * other half WebSockets are sent to other processes, by a load balancer that chooses this one no more.
 */
async function leaveLoadBalancers(
  { platform, app }: Pick<Running, 'platform' | 'app'>,
  hurry: AbortSignal,
): Promise<void> {
  const seconds = platform.config.drainSeconds
  if (seconds === 0 || hurry.aborted) return
  platform.log.info({ seconds }, 'stopping: load balancers leave first')
  endConnectionsWithAnswers(app.server)
  const halfMs = (seconds * 1000) / 2
  await pause(halfMs, hurry)
  await Promise.all([app.dismissSockets(halfMs, hurry), pause(halfMs, hurry)])
}

/** Lets running requests finish for a while, then cuts them off. */
async function drain(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS_MAX)
  await stopListening(app.server)
  await app.close()
  clearTimeout(cutOff)
}

// Twice: a batch that is being sent again goes first, and what has gathered after it second.
async function flushUsage({ log }: Platform, usage: UsageMeter): Promise<void> {
  const flushes = usage.flush().then(() => usage.flush())
  await withTimeout(flushes, LAST_FLUSH_MS_MAX, 'the database does not answer').catch((error) =>
    log.error(faultFields(error), 'last usage counts are lost'),
  )
}

type Moments = {
  onStart?: () => Promise<void>
  onStopping?: () => void
  /** Aborts when the service shall stop without serving on. */
  hurry?: AbortSignal
}

/** Waits until the signal aborts or the service fails, and then stops the service. */
export async function untilStopped(
  service: Service,
  signal: AbortSignal,
  { onStart = async () => undefined, onStopping = () => undefined, hurry }: Moments = {},
): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
  try {
    const started = onStart().then(() => asked)
    await Promise.race([asked, started, service.failed])
  } finally {
    onStopping()
    await service.stop(hurry)
  }
}
