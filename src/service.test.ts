import { expect, inject, onTestFinished, test } from 'vitest'
import { NO_UPSTREAMS } from '../bench/lib/no-upstreams.js'
import { createTestDatabase } from '../test/database.js'
import { until } from '../test/until.js'
import { loadConfig } from './config/config.js'
import { createLog } from './lib/log.js'
import { startService } from './service.js'
import { transact } from './store/transaction.js'

test('a database that ends connections while the service starts does not end the service', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { sql, control } = database
  const { database: name } = database.target as { database: string }
  const { config } = loadConfig({
    ...NO_UPSTREAMS,
    AUSPEX_PORT: '0',
    AUSPEX_ROLES: 'api',
    DATABASE_URL: `postgres://auspex@localhost/${name}?host=${inject('socketDir')}`,
  })
  let unlock = (): void => undefined
  const unlocked = new Promise<void>((resolve) => {
    unlock = resolve
  })
  let onLocked = (): void => undefined
  const locked = new Promise<void>((resolve) => {
    onLocked = resolve
  })
  const holding = transact(control, async (tx) => {
    await tx`lock table accounts`
    onLocked()
    await unlocked
  })
  await locked
  const service = await startService(config, { command: 'test', log: createLog('silent', process.stderr) })
  onTestFinished(() => service.stop())
  // The first query of the start waits for the table.
  const endWaiting = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where wait_event_type = 'Lock' and query like '%from accounts%' and datname = current_database()`
  await expect.poll(async () => (await endWaiting()).length, { timeout: 60_000 }).toBeGreaterThan(0)
  unlock()
  await holding
  const hasWorked = () => service.platform.jobs.records.some(({ runs }) => runs > 0)
  await Promise.race([service.failed, until(hasWorked)])
  expect(service.platform.store.problem).toBeUndefined()
})
