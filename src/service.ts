import type { FastifyInstance } from 'fastify'
import { FREE_KEY_PERIOD_MS } from './accounts/free-keys.js'
import { SYNC_MS } from './accounts/key-ring.js'
import { deleteGrants, deleteUsageWriters } from './accounts/queries.js'
import { FLUSH_MS } from './accounts/usage-meter.js'
import { buildApp } from './app.js'
import type { Config } from './config.js'
import { type Context, createContext } from './context.js'
import { codeOf, OperatorError } from './errors.js'
import { type Clock, systemClock } from './lib/clock.js'
import { repeat } from './lib/repeat.js'
import { withTimeout } from './lib/timeout.js'
import type { Log } from './log.js'
import { type Database, openDatabase } from './store/database.js'
import { Store } from './store/store.js'

export type Service = {
  url: string
  ctx: Context
  /** Resolves when the service can do its work for the first time. */
  ready: Promise<void>
  /** Rejects when the service cannot go on; what else may happen, it rides out. */
  failed: Promise<never>
  stop(): Promise<void>
}

export type ServiceOptions = { command: string; log: Log; clock?: Clock; fresh?: boolean }

// Together with the database's own shutdown, a stop stays under 5 s whatever hangs.
const DRAIN_MS_MAX = 1_500
const LAST_JOB_MS_MAX = 300
const LAST_FLUSH_MS_MAX = 500
const TIDY_MS = 60 * 60 * 1000

/** Opens the database, listens, and starts everything that runs beside the requests. */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const { log } = options
  const database = await openDatabase(config, { ...options, isService: true })
  const store = new Store({
    target: database.target,
    connectionsMax: config.databaseConnections,
    log,
  })
  const ctx = createContext({ config, log, store, clock: options.clock ?? systemClock })
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
  return { url, ctx, ...run(ctx, app, store, database) }
}

function run(ctx: Context, app: FastifyInstance, store: Store, database: Database) {
  const stopping = new AbortController()
  let becomeReady = (): void => undefined
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve
  })
  const watching = store.run(becomeReady)
  const jobs = [
    runJob(ctx, stopping.signal, SYNC_MS, 'key sync', () => ctx.keyRing.sync()),
    runJob(ctx, stopping.signal, FLUSH_MS, 'usage flush', () => ctx.usage.flush()),
    runJob(ctx, stopping.signal, TIDY_MS, 'tidying', () => tidy(ctx)),
  ]
  const failed = Promise.race([
    watching.then(() => new Promise<never>(() => undefined)),
    database.lost,
  ])
  failed.catch(() => undefined)

  const stop = async (): Promise<void> => {
    await drain(app)
    stopping.abort()
    await withTimeout(Promise.all(jobs), LAST_JOB_MS_MAX, 'jobs hang').catch(() => undefined)
    await flushUsage(ctx)
    await store.close()
    await watching.catch(() => undefined)
    await database.close()
    ctx.log.info('stopped')
  }
  return { ready, failed, stop }
}

/** A job needs the database and waits for it; what it cannot do now it does at its next turn. */
function runJob(
  ctx: Context,
  signal: AbortSignal,
  intervalMs: number,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  return repeat(intervalMs, signal, async () => {
    if (ctx.store.problem !== undefined) return
    try {
      await work()
    } catch (error) {
      ctx.log.warn({ err: error, job: name }, 'job failed')
    }
  })
}

async function tidy(ctx: Context): Promise<void> {
  const nowMs = ctx.clock.now()
  await deleteGrants(ctx.sql, nowMs - FREE_KEY_PERIOD_MS)
  await deleteUsageWriters(ctx.sql, nowMs - FREE_KEY_PERIOD_MS)
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
      throw new OperatorError(
        `Port ${port} needs rights that this user lacks. Take one above 1023.`,
      )
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
    log.error({ err: error }, 'last usage counts are lost'),
  )
}
