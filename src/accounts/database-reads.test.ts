import { setTimeout } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, storeOf, type TestDatabase } from '../../test/database.js'
import { ApiError } from '../core/errors.js'
import { transact } from '../store/transaction.js'
import { DatabaseReads } from './database-reads.js'
import { type WorkOwner, WorkShares } from './work-shares.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const ownerOf = (accountId: number): WorkOwner => ({ accountId, plan: { workPerSecond: 200 } })
const busy = ownerOf(1)
const other = ownerOf(2)

function openReads() {
  const registry = new Registry()
  const shares = new WorkShares({ registry })
  const store = { ...storeOf(database.sql), readsMax: { light: 8, heavy: 1 } }
  return { shares, registry, reads: new DatabaseReads({ store, shares, registry }) }
}

const LOCK = 4711

/** A transaction that all queries of `readBehindLock` wait for. */
async function holdLock() {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const over = transact(database.control, async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    begin()
    await held
  })
  await begun
  return async () => {
    release()
    await over
  }
}

const readBlockedByLock = (reads: DatabaseReads, owner: WorkOwner) =>
  reads.sqlFor(owner)`select pg_advisory_lock_shared(${LOCK}), pg_advisory_unlock_shared(${LOCK})`.then(
    (rows) => rows.length,
  )

const runningOf = async (registry: Registry, connections: string, state: string) => {
  const line = `auspex_database_reads{connections="${connections}",state="${state}"} `
  return Number((await registry.metrics()).split(line)[1]?.split('\n')[0])
}

test('an account has an eighth of the connections while another one reads, and three quarters alone', async () => {
  const { reads, registry, shares } = openReads()
  shares.charge(other, 0)
  const unlock = await holdLock()
  const many = Array.from({ length: 4 }, () => readBlockedByLock(reads, busy))
  await expect.poll(() => runningOf(registry, 'light', 'waiting')).toBe(3)
  expect(await reads.sqlFor(other)`select 1 as one`).toEqual([{ one: 1 }])
  await unlock()
  expect(await Promise.all(many)).toEqual([1, 1, 1, 1])

  const alone = openReads()
  const unlockAgain = await holdLock()
  const all = Array.from({ length: 8 }, () => readBlockedByLock(alone.reads, busy))
  await expect.poll(() => runningOf(alone.registry, 'light', 'running')).toBe(6)
  expect(await runningOf(alone.registry, 'light', 'waiting')).toBe(2)
  await unlockAgain()
  await Promise.all(all)
})

test('an account that is over its allowance reads over connections of its own', async () => {
  const { reads, registry, shares } = openReads()
  shares.charge(busy, 300)
  shares.charge(other, 0)
  const unlock = await holdLock()
  const many = Array.from({ length: 3 }, () => readBlockedByLock(reads, busy))
  await expect.poll(() => runningOf(registry, 'heavy', 'running')).toBe(1)
  expect(await runningOf(registry, 'heavy', 'waiting')).toBe(2)
  expect(await runningOf(registry, 'light', 'running')).toBe(0)
  await unlock()
  await Promise.all(many)
  expect(await runningOf(registry, 'heavy', 'running')).toBe(0)
})

test('429: too many queries of an account wait', async () => {
  const { reads, shares } = openReads()
  shares.charge(busy, 300)
  shares.charge(other, 0)
  const unlock = await holdLock()
  const many = Array.from({ length: 102 }, () =>
    readBlockedByLock(reads, busy).catch((error: unknown) => error as ApiError),
  )
  await unlock()
  const refused = (await Promise.all(many)).filter((result) => result instanceof ApiError)
  expect(refused).toHaveLength(2)
  expect(refused[0]).toMatchObject({ status: 429, fields: { scope: 'database_time' } })
  expect(refused[0]?.message).toContain('200 units a second')
})

test('the time of queries and of transactions is charged, also of those that fail', async () => {
  const { reads, shares } = openReads()
  shares.charge(other, 0)
  const sleep = async () => {
    await transact(reads.sqlFor(busy), (tx) => tx`select pg_sleep(0.15)`)
    await reads.sqlFor(busy)`select pg_sleep(0.15), 1 / 0 from pg_sleep(0.01)`.catch(() => undefined)
  }
  await sleep()
  shares.charge(busy, 180)
  shares.charge(other, 0)
  expect(shares.isHeldBack(busy)).toBe(true)
})

test('half the time of a query is charged while the thread is busy', async () => {
  const { reads, shares } = openReads()
  shares.charge(other, 0)
  const slept = reads.sqlFor(busy)`select pg_sleep(0.25)`.execute()
  await setTimeout(30)
  const busyUntil = performance.now() + 200
  while (performance.now() < busyUntil);
  await slept
  shares.charge(busy, 145)
  shares.charge(other, 0)
  expect(shares.isHeldBack(busy)).toBe(true)
})

test('an account alone may have hundreds of queries waiting', async () => {
  const { reads } = openReads()
  const many = Array.from({ length: 300 }, () => reads.sqlFor(busy)`select 1 as one`)
  expect(await Promise.all(many)).toHaveLength(300)
})

test('a slot is free again after a query that the database cannot run', async () => {
  const { reads, registry } = openReads()
  const many = Array.from({ length: 20 }, () => reads.sqlFor(busy)`select nothing`.catch(() => undefined))
  await Promise.all(many)
  expect(await runningOf(registry, 'light', 'running')).toBe(0)
})
