import { expect, inject, vi } from 'vitest'
import { simulatedEnvironment } from '../../demo/simulator.js'
import { openSimulator } from '../../sim/simulator.js'
import { Universe } from '../../sim/universe/universe.js'
import { createKey } from '../../src/accounts/accounts.js'
import { insertAccount } from '../../src/accounts/queries.js'
import { loadConfig } from '../../src/config/config.js'
import { createLog } from '../../src/lib/log.js'
import { startService } from '../../src/service.js'
import { createTestDatabase } from '../database.js'
import { ManualClock } from '../manual-clock.js'
import { contextOf } from '../test-app.js'
import { createHookClient, SECRET_KEY } from './hook-client.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
/** Soon after a window of five minutes ended: its result comes in the first seconds of the present. */
const PRESENT_MS = START_MS + 10 * 60_000 + 45_000
const TICK_MS = 50

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>

/**
 * The service as the demo runs it, in this process: its time is that of the universe, which stands still
 * until it is asked to live on.
 */
export async function openWebhookWorld({ seed, intensity }: { seed: number; intensity: number }) {
  const universe = new Universe({ seed, startMs: START_MS, presentMs: PRESENT_MS, intensity })
  universe.advance(PRESENT_MS)
  const simulator = await openSimulator(universe)
  const database = await createTestDatabase()
  const { database: name } = database.target as { database: string }
  const clock = new ManualClock(universe.nowMs)
  // Without Chainlink, whose past prices the service reads before it is ready.
  const { AUSPEX_CHAINLINK_API_KEY: _, ...upstreams } = simulatedEnvironment(simulator.upstreams)
  const { config } = loadConfig({
    ...upstreams,
    AUSPEX_PORT: '0',
    DATABASE_URL: `postgres://auspex@localhost/${name}?host=${inject('socketDir')}`,
    AUSPEX_SECRET_KEY: SECRET_KEY,
  })
  const log = createLog('error', process.stderr)
  const service = await startService(config, { command: 'test', log, clock })
  await service.ready
  await untilCatalogued(database.sql)

  const account = { name: 'a', plan: 'enterprise' as const, nowMs: clock.now() }
  const accountId = await insertAccount(database.sql, account)
  const key = { plans: service.domains.accounts.plans, accountId, name: 'k', nowMs: clock.now() }
  const { secret } = await createKey(database.sql, key)
  return {
    universe,
    simulator,
    clock,
    ctx: contextOf(service.platform, service.domains),
    hooks: createHookClient(service.url, secret),
    /** Lets this much simulated time pass, this many times as fast as real time. */
    live: async (ms: number, speed: number) => {
      for (const endMs = universe.nowMs + ms; universe.nowMs < endMs; ) {
        universe.advance(Math.min(endMs, universe.nowMs + TICK_MS * speed))
        clock.set(universe.nowMs)
        await new Promise((next) => setTimeout(next, TICK_MS))
      }
    },
    /** The job runs every half minute of real time. */
    syncMarkets: async () => {
      const record = service.platform.jobs.records.find(({ job }) => job.name === 'market sync')
      await record?.job.run(AbortSignal.timeout(20_000))
    },
    close: async () => {
      await service.stop()
      await simulator.close()
      await database.drop()
    },
  }
}

/** Markets that are met later are new. */
async function untilCatalogued(sql: Awaited<ReturnType<typeof createTestDatabase>>['sql']) {
  const check = async () => {
    const rows = await sql`select from catalogue_state where phase <> 'open'`
    expect(rows.length).toBe(1)
  }
  await vi.waitFor(check, { timeout: 60_000 })
}
