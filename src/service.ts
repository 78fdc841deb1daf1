import type { FastifyInstance } from 'fastify'
import { createAccountWork } from './accounts/jobs.js'
import { selectPlansInUse } from './accounts/queries.js'
import { buildApp } from './app.js'
import { createAuditWork } from './audit/jobs.js'
import { createBookWork } from './books/status.js'
import { createBuilderWork } from './builders/jobs.js'
import { createCatalogueWork } from './catalogue/jobs.js'
import { NO_NODE } from './chain/chain-status.js'
import { createChainWork } from './chain/jobs.js'
import { createComboWork } from './combos/jobs.js'
import type { Config } from './config/config.js'
import { type Context, createContext } from './context.js'
import { createCopyWork } from './copy-pnl/jobs.js'
import { type Clock, systemClock } from './core/clock.js'
import { codeOf, OperatorError } from './core/errors.js'
import { createCryptoMarketWork } from './crypto/markets/jobs.js'
import { createEventWork } from './events/jobs.js'
import type { DomainWork } from './jobs/job.js'
import { createBoardWork } from './leaderboards/jobs.js'
import { faultFields } from './lib/fault-fields.js'
import type { Log } from './lib/log.js'
import { withTimeout } from './lib/timeout.js'
import { pollUntil } from './lib/timing.js'
import { createStatsWork } from './markets/stats/jobs.js'
import { createTagWork } from './markets/tags/jobs.js'
import { createPriceWork } from './prices/jobs.js'
import { createScoreWork } from './scores/jobs.js'
import { createSportsWork } from './sports/jobs.js'
import { createBoardReadiness } from './status/board-readiness.js'
import { readiness } from './status/readiness.js'
import type { Target } from './store/connection.js'
import { writeServiceUpstreams } from './store/data-folder.js'
import { type Database, openDatabase } from './store/database.js'
import { Store } from './store/store.js'
import { createWebhookWork } from './webhooks/jobs.js'

export type Service = {
  url: string
  ctx: Context
  /** Resolves when the service can do its work for the first time. */
  ready: Promise<void>
  /** Rejects when the service cannot go on; it recovers from all other faults. */
  failed: Promise<never>
  stop(): Promise<void>
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

/** The jobs and the status of every domain. A new domain is a line here. */
const DOMAINS: ((ctx: Context) => DomainWork)[] = [
  createAccountWork,
  createEventWork,
  createCatalogueWork,
  createCryptoMarketWork,
  createTagWork,
  createStatsWork,
  createPriceWork,
  createBookWork,
  createScoreWork,
  createSportsWork,
  createBuilderWork,
  createComboWork,
  createBoardWork,
  createCopyWork,
  createBoardReadiness,
  createWebhookWork,
  createAuditWork,
]

// Together with the database's own shutdown, a stop stays under 5 s whatever hangs.
const DRAIN_MS_MAX = 1_500
const LAST_JOB_MS_MAX = 500
const LAST_FLUSH_MS_MAX = 500

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
    log,
  })
  const { clock = systemClock, opened } = options
  const ctx = createContext({ config, log, store, clock, opened })
  let app: FastifyInstance
  let url: string
  try {
    app = await buildApp(ctx)
    url = await listen(app, config)
  } catch (error) {
    await store.close()
    await database.close()
    throw error
  }
  log.info({ url }, 'listening')
  if (config.polygonUrl === undefined) log.warn(NO_NODE)
  return { url, ctx, ...run(ctx, app, { store, database }) }
}

type Parts = { store: Store; database: Database }

function run(ctx: Context, app: FastifyInstance, { store, database }: Parts) {
  const stopping = new AbortController()
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
    working = startJobs(ctx, database.target, stopping.signal)
    working.catch(onWorkFailed)
    return untilReady(ctx, stopping.signal)
  })
  const failed = Promise.race([
    watching.then(() => new Promise<never>(() => undefined)),
    database.lost,
    workFailed,
  ])
  failed.catch(() => undefined)

  const stop = async (): Promise<void> => {
    await drain(app)
    stopping.abort()
    await withTimeout(working, LAST_JOB_MS_MAX, 'jobs hang').catch(() => undefined)
    await flushUsage(ctx)
    ctx.books.close()
    await ctx.upstreams.close()
    await store.close()
    await watching.catch(() => undefined)
    await database.close()
    ctx.floodLog.flush()
    ctx.log.info('stopped')
  }
  return { ready, failed, stop }
}

/** Starts everything that runs beside the requests, until the signal aborts. */
async function startJobs(ctx: Context, target: Target, signal: AbortSignal): Promise<void> {
  const chain = createChainWork(ctx, target)
  for (const { jobs, status } of [chain, ...DOMAINS.map((create) => create(ctx))]) {
    ctx.jobs.add(jobs)
    if (status !== undefined) ctx.statusParts.push(status)
  }
  await refuseUnknownPlans(ctx)
  await Promise.all([
    ctx.jobs.run('every process', signal),
    chain.lead(signal, (term) => ctx.jobs.run('one process', term)),
  ])
}

/** Keys of accounts on a plan that the operator's file has no more would stop working one by one. */
async function refuseUnknownPlans({ sql, plans, config }: Context): Promise<void> {
  const unknown = (await selectPlansInUse(sql)).filter((id) => plans.find(id) === undefined)
  if (unknown.length === 0) return
  throw new OperatorError(
    `Accounts are on plans that are not known: ${unknown.join(', ')}. Add them to ` +
      `${config.plansFile ?? 'a file that AUSPEX_PLANS names'}, or move the accounts with \`auspex accounts set-plan\`.`,
  )
}

/** Resolves when the service can do its work for the first time. */
async function untilReady(ctx: Context, signal: AbortSignal): Promise<void> {
  if (!(await pollUntil(() => readiness(ctx).isReady, { everyMs: 50, signal }))) return
  ctx.log.info({ seconds: Math.round(process.uptime()) }, 'ready')
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

/** Lets running requests finish for a while, then cuts them off. */
async function drain(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS_MAX)
  await app.close()
  clearTimeout(cutOff)
}

// Twice: a batch that is being sent again goes first, and what has gathered behind it second.
async function flushUsage({ usage, log }: Context): Promise<void> {
  const flushes = usage.flush().then(() => usage.flush())
  await withTimeout(flushes, LAST_FLUSH_MS_MAX, 'the database does not answer').catch((error) =>
    log.error(faultFields(error), 'last usage counts are lost'),
  )
}

type Moments = { onStart?: () => Promise<void>; onStopping?: () => void }

/** Waits until the signal aborts or the service fails, and then stops the service. */
export async function untilStopped(
  service: Service,
  signal: AbortSignal,
  { onStart = async () => undefined, onStopping = () => undefined }: Moments = {},
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
    await service.stop()
  }
}
