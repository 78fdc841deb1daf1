import type { FastifyInstance } from 'fastify'
import { createKey } from '../src/accounts/accounts.js'
import type { PlanId } from '../src/accounts/plans.js'
import { insertAccount } from '../src/accounts/queries.js'
import { type ApiRoutes, buildApp } from '../src/app.js'
import { type Config, loadConfig } from '../src/config/config.js'
import { type Context, createContext } from '../src/context.js'
import { createLog } from '../src/lib/log.js'
import type { Timing } from '../src/lib/timing.js'
import type { Target } from '../src/store/connection.js'
import type { CreateProtocol } from '../src/stream/door.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { ManualClock } from './manual-clock.js'

export type TestApp = {
  app: FastifyInstance
  ctx: Context
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
  routes?: ApiRoutes[]
  /** What WebSockets speak, in place of the protocols of the service. */
  createProtocol?: CreateProtocol
  config?: Partial<Config>
  /** Of calls to upstreams. */
  timing?: Timing | undefined
  /** One that has something in it; dropped with the application. */
  database?: TestDatabase
}

/** The production app on a database of its own; only time is in the test's hands. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { routes, config, createProtocol, timing } = options
  const database = options.database ?? (await createTestDatabase())
  const clock = new ManualClock()
  const logged: string[] = []
  const log = createLog('debug', { write: (line) => logged.push(line) })
  const store = {
    sql: database.sql,
    answers: database.sql,
    control: database.sql,
    problem: undefined,
  }
  // A key of its own, so that no test makes a data folder.
  const settings = { ...loadConfig({}).config, secretKey: '5e'.repeat(32), ...config }
  const ctx = createContext({ config: settings, log, store, clock, timing })
  const app = await buildApp(ctx, routes, createProtocol)
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
  return { app, ctx, clock, target, logged, createCaller, close }
}
