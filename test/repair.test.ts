import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { corruptFacts } from '../src/chain/backfill/test-corruption.js'
import { type FollowWorld, openWorld } from '../src/chain/follow/test-follow.js'
import { counts } from './counts.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { auditAll, untilBooked } from './ingest.js'
import { type Ingester, startIngester } from './ingest-processes.js'
import { startCommand } from './processes.js'
import { hashTables } from './table-hashes.js'

let world: FollowWorld
beforeAll(async () => {
  world = await openWorld({ seed: 12, historyMs: counts({ short: 6, long: 12 }) * 60_000 })
})
afterAll(() => world.close())

/** Runs a command of the built program on the database. */
function run({ target }: TestDatabase, ...args: string[]) {
  if (!('socketDir' in target)) throw new Error('test databases are reached by a socket')
  const { database, socketDir } = target
  return startCommand([...args, '--polygon-url', world.host.url], {
    DATABASE_URL: `postgres://auspex@localhost/${database}?host=${socketDir}`,
    AUSPEX_POLYGON_CALLS_PER_SECOND: '10000',
  })
}

/** Of everything but how often processes had to drop what they had in memory. */
async function hashAll({ sql }: TestDatabase): Promise<Record<string, string>> {
  const { chain_state: _, ...hashes } = await hashTables(sql)
  return hashes
}

test('an audit finds wrong facts, --again mends them beside a service, and the next audit is content', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { sql } = database
  const services: Ingester[] = []
  const startService = async () => {
    const service = startIngester(world, database, { pollMs: 20 })
    services.push(service)
    await service.until('leading')
    return service
  }
  const service = await startService()
  await untilBooked(world, database)
  const healthy = await hashAll(database)
  await corruptFacts(sql)
  await sql`update wallets set address = int4send(id) where id in (30, 50)`
  await sql`delete from tokens where id = 20`
  await sql`update conditions set since = since + 1 where id = 10`

  const before = await run(database, 'audit', '--all')
  expect(before, before.output).toMatchObject({ status: 1 })
  const nothing = await run(database, 'backfill', '--from', `${world.universe.chain.firstNumber}`)
  expect(nothing.output).toMatch(/^Nothing was missing: .*\n.*\nStored facts are not replaced\./)

  // The service ends in the middle, and another one takes over.
  const [repaired] = await Promise.all([
    run(database, 'backfill', '--again'),
    service.kill().then(startService),
  ])
  expect(repaired, repaired.output).toMatchObject({ status: 0 })
  expect(repaired.output).toMatch(
    /(^|\n)Read [\d,]+ blocks with [\d,]+ fills again in \d+s, up to block \d+\.\nCorrected rows: .*fills.*\nThe ledger was rebuilt from the facts\. /,
  )
  expect(await hashAll(database)).toEqual(healthy)

  for (let count = 0; count < 3; count++) world.makeBlock()
  await untilBooked(world, database)
  const after = await run(database, 'audit', '--all', '--against-node')
  expect(after, after.output).toMatchObject({ status: 0 })
  expect(await auditAll(database)).toEqual([])
})
