import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { transact } from '../../store/transaction.js'
import { packTicks } from './pack.js'
import { insertTicks } from './queries.js'
import {
  clearArchive,
  countLive,
  makeTick,
  makeTicks,
  NOON_SEC,
  readPacked,
  readState,
} from './test-archive.js'

/** Some are packed, some wait, and one came late. */
const FIRST = makeTicks(NOON_SEC, 10)
const WAITING = [...makeTicks(NOON_SEC + 300, 20), makeTick(NOON_SEC + 50)]
const ALL = [...FIRST, ...WAITING].sort((a, b) => a.sec - b.sec)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql.unsafe(`
    create function fail() returns trigger language plpgsql
    as $$ begin raise exception 'the disk is full'; end $$`)
})
afterAll(() => database.drop())
beforeEach(async () => {
  await clearArchive(database.sql)
  await insertTicks(database.sql, FIRST)
  await packTicks(database.sql, (NOON_SEC + 420) * 1000)
  await insertTicks(database.sql, WAITING)
})

const pack = () => packTicks(database.sql, (NOON_SEC + 720) * 1000)

const snapshot = async () => ({
  packed: await readPacked(database.sql),
  live: await countLive(database.sql),
  state: await readState(database.sql),
  hours: await database.sql`select * from tick_hours order by stream, hour`,
})

/** Nothing has happened so far, and the next attempt does all. */
async function expectUntouched(before: Awaited<ReturnType<typeof snapshot>>): Promise<void> {
  expect(await snapshot()).toEqual(before)
  await pack()
  expect(await snapshot()).toMatchObject({ packed: ALL, live: 0, state: { revision: 1 } })
}

describe('packing that dies', () => {
  test.each([
    ['while blocks are written', 'insert on tick_blocks'],
    ['while hours are counted', 'insert on tick_hours'],
    ['while ticks are taken away', 'delete on live_ticks'],
    ['at the very end', 'update on tick_state'],
  ])('%s loses nothing', async (_when, event) => {
    const before = await snapshot()
    await database.sql.unsafe(`create trigger failing after ${event} execute function fail()`)
    await expect(pack()).rejects.toThrow('the disk is full')
    await database.sql.unsafe(`drop trigger failing on ${event.split(' on ')[1]}`)
    await expectUntouched(before)
  })

  test('with its connection loses nothing', async () => {
    const before = await snapshot()
    const { sql } = database
    await transact(sql, async (blocker) => {
      await blocker`lock table tick_hours`
      const failing = expect(pack()).rejects.toThrow()
      await vi.waitFor(async () => {
        const ended = await sql`
          select pg_terminate_backend(pid)
            from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`
        expect(ended).toHaveLength(1)
      })
      await failing
    })
    await expectUntouched(before)
  })
})
