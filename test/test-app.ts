import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { createKey } from '../src/accounts/accounts.js'
import type { PlanId } from '../src/accounts/plans.js'
import { insertAccount } from '../src/accounts/queries.js'
import { buildApp } from '../src/app.js'
import { type Config, loadConfig } from '../src/config/config.js'
import { moveHead } from '../src/core/chain-status.js'
import type { Job } from '../src/jobs/job.js'
import { createLog } from '../src/lib/log.js'
import type { Timing } from '../src/lib/timing.js'
import { createPlatform, type Platform } from '../src/platform.js'
import { createDomains, type Domains } from '../src/service.js'
import type { Target } from '../src/store/connection.js'
import { SecretBox } from '../src/store/secret-box.js'
import type { Store } from '../src/store/store.js'
import type { CreateProtocol } from '../src/stream/door.js'
import { createTestDatabase, storeOf, type TestDatabase } from './database.js'
import { ManualClock } from './manual-clock.js'

/** The platform and the state of the domains in one object, for tests that look into them. */
export type TestContext = Platform &
  Domains['accounts'] &
  Pick<Domains, 'chain' | 'largeAnswers'> &
  Domains['sports'] &
  Domains['stream'] & { secretBox: SecretBox }

export type TestApp = {
  app: FastifyInstance
  ctx: TestContext
  domains: Domains
  clock: ManualClock
  /** Its database. */
  target: Target
  /** Lines of the log, from debug up. */
  logged: string[]
  /** A new account with one key on this plan. */
  createCaller(plan: PlanId): Promise<{ key: string; keyId: number; accountId: number }>
  close(): Promise<void>
}

export type TestAppOptions = {
  /** In place of those of all domains. */
  routes?: FastifyPluginAsync[] | ((ctx: TestContext) => FastifyPluginAsync[])
  /** What WebSockets speak, in place of the protocols of the service. */
  createProtocol?: CreateProtocol
  config?: Partial<Config>
  /** Of calls to upstreams. */
  timing?: Timing | undefined
  /** One that has something in it; dropped with the application. */
  database?: TestDatabase
  /** In place of one pool of the database for everything. */
  store?: Store
}

/** The production app on a database of its own; only time is in the test's hands. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { routes, config, createProtocol, timing } = options
  const database = options.database ?? (await createTestDatabase())
  const clock = new ManualClock()
  const logged: string[] = []
  const log = createLog('debug', { write: (line) => logged.push(line) })
  const store = options.store ?? storeOf(database.sql)
  // A key of its own, so that no test makes a data folder.
  const settings = { ...loadConfig({}).config, secretKey: '5e'.repeat(32), ...config }
  const platform = createPlatform({ config: settings, log, store, clock })
  const domains = createDomains(platform, { target: database.target, timing })
  // As the job `chain status` does when a service starts.
  moveHead(domains.chain, { block: 0, timeSec: 0 })
  const ctx = contextOf(platform, domains)
  const app = await buildApp(platform, {
    ...domains,
    routes: typeof routes === 'function' ? routes(ctx) : (routes ?? domains.routes),
    createProtocol,
  })
  await app.ready()

  const createCaller = async (plan: PlanId) => {
    const nowMs = clock.now()
    const accountId = await insertAccount(database.sql, { name: plan, plan, nowMs })
    const { secret, id } = await createKey(database.sql, {
      plans: ctx.plans,
      accountId,
      name: plan,
      nowMs,
    })
    return { key: secret, keyId: id, accountId }
  }
  const close = async () => {
    ctx.books.close()
    await app.close()
    await database.drop()
  }
  const { target } = database
  return { app, ctx, domains, clock, target, logged, createCaller, close }
}

export function contextOf(platform: Platform, domains: Domains): TestContext {
  const { accounts, chain, largeAnswers, sports, stream } = domains
  const secretBox = new SecretBox(platform)
  return { ...platform, ...accounts, ...sports, ...stream, chain, largeAnswers, secretBox }
}

/** A job of the service, which no runner runs in tests. */
export function jobOf({ all }: Domains, name: string): Job {
  const job = all.flatMap(({ jobs = [] }) => jobs).find((each) => each.name === name)
  if (job === undefined) throw new Error(`there is no job ${name}`)
  return job
}
