import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { createLog } from '../lib/log.js'
import { claimDatabase, selectDatabaseId } from './dataset.js'
import { Store } from './store.js'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

describe('the dataset of a database', () => {
  test('is the one of the service that came first, for good', async () => {
    const { sql } = database
    await claimDatabase(sql, 'polymarket')
    await claimDatabase(sql, 'polymarket')
    await expect(claimDatabase(sql, 'simulation of seed 1')).rejects.toThrow(
      /holds the dataset "polymarket", and this service reads the dataset "simulation of seed 1".*\n.*--data <folder>.*DATABASE_URL/,
    )
    expect(await sql`select name, chain_id from dataset`).toEqual([{ name: 'polymarket', chainId: 137 }])
  })

  test('is one when services with two of them start at once', async () => {
    const names = ['a', 'b', 'a', 'b', 'a', 'b']
    const claims = await Promise.allSettled(names.map((name) => claimDatabase(database.sql, name)))
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('of another chain is refused', async () => {
    await database.sql`insert into dataset (name, chain_id) values ('polymarket', 80002)`
    await expect(claimDatabase(database.sql, 'polymarket')).rejects.toThrow(/of chain 80002/)
  })

  test('keeps a service with another one from becoming ready', async () => {
    await claimDatabase(database.sql, 'simulation of seed 1')
    const log = createLog('silent', process.stdout)
    const { target } = database
    const store = new Store({ target, dataset: 'polymarket', connectionsMax: 2, log })
    let isReady = false
    const running = store.run(() => {
      isReady = true
    })
    await expect(running).rejects.toThrow(/holds the dataset "simulation of seed 1"/)
    await store.close()
    expect(isReady).toBe(false)
    expect(store.problem).toBe('starting')
  })
})

test('a database has an id that no other one has', async () => {
  const other = await createTestDatabase()
  const id = await selectDatabaseId(database.sql)
  expect(id).toMatch(/^[0-9a-f]{12}$/)
  expect(await selectDatabaseId(database.sql)).toBe(id)
  expect(await selectDatabaseId(other.sql)).not.toBe(id)
  await other.drop()
})
