import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { transact } from '../../store/transaction.js'
import { tickBlockOf } from '../fast/tick-block.js'
import { packTicks } from './pack.js'
import { dropOldMonths, ensureTickPartitions } from './partitions.js'
import { insertGap, insertTicks, lockArchiveState } from './queries.js'
import { clearArchive, makeTick, readPacked, readState } from './test-archive.js'

const OCTOBER_MS = Date.UTC(2026, 9)
const NOVEMBER_MS = Date.UTC(2026, 10)
const NOVEMBER_SEC = NOVEMBER_MS / 1000
const LATER_MS = Date.UTC(2037, 11)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await dropOldMonths(database.sql, LATER_MS)
  await clearArchive(database.sql)
})

/** The months that have a partition. */
const partitions = async (): Promise<string[]> => {
  const rows = await database.sql<{ name: string }[]>`
    select relid::text as name from pg_partition_tree('tick_blocks') where isleaf order by 1`
  return rows.map(({ name }) => name).filter((name) => name !== 'tick_blocks')
}

const packAt = async (secs: readonly number[], nowMs = LATER_MS) => {
  await insertTicks(
    database.sql,
    secs.map((sec) => makeTick(sec)),
  )
  await packTicks(database.sql, nowMs)
}

const packedSecs = async () => (await readPacked(database.sql)).map(({ sec }) => sec)

describe('partitions', () => {
  test('are calendar months, made where a tick needs one', async () => {
    await packAt([NOVEMBER_SEC - 1, NOVEMBER_SEC])
    expect(await partitions()).toEqual(['tick_blocks_2026_10', 'tick_blocks_2026_11'])
    for (const name of await partitions())
      expect(await database.sql`select 1 from only ${database.sql(name)}`).toHaveLength(1)
  })

  test('take the first and the last second of their month, also in a leap year', async () => {
    const months = Array.from({ length: 15 }, (_, index) => Date.UTC(2027, index + 10) / 1000)
    await packAt(months.flatMap((sec) => [sec - 1, sec]))
    const rows = await database.sql<{ name: string; month: string }[]>`
      select tableoid::regclass::text as name,
             to_char(to_timestamp(block * 300::float8) at time zone 'UTC',
                     '"tick_blocks_"YYYY_MM') as month
        from tick_blocks`
    expect(rows).toHaveLength(30)
    for (const { name, month } of rows) expect(name).toBe(month)
  })

  test('are made by two at once without a conflict', async () => {
    const blocks = [tickBlockOf(NOVEMBER_SEC - 1), tickBlockOf(NOVEMBER_SEC)]
    const ensure = () => transact(database.sql, (tx) => ensureTickPartitions(tx, blocks))
    await Promise.all([ensure(), ensure(), ensure()])
    expect(await partitions()).toHaveLength(2)
  })
})

describe('a partition that was taken out', () => {
  test('is not there any more, and late ticks of its month are kept in another', async () => {
    const { sql } = database
    await packAt([NOVEMBER_SEC - 9, NOVEMBER_SEC])
    await sql`alter table tick_blocks detach partition tick_blocks_2026_10`
    expect(await packedSecs()).toEqual([NOVEMBER_SEC])
    await packAt([NOVEMBER_SEC - 8])
    expect(await packedSecs()).toEqual([NOVEMBER_SEC - 8, NOVEMBER_SEC])
    expect(await partitions()).toEqual(['tick_blocks_2026_10_2', 'tick_blocks_2026_11'])

    await dropOldMonths(sql, NOVEMBER_MS)
    expect(await partitions()).toEqual(['tick_blocks_2026_11'])
    expect(await sql`select 1 from tick_blocks_2026_10`).toHaveLength(1)
    await sql`drop table tick_blocks_2026_10`
  })

  test('is spared by one who was about to drop it', async () => {
    const { sql } = database
    await packAt([NOVEMBER_SEC - 9, NOVEMBER_SEC])
    let dropping: Promise<void> | undefined
    await transact(sql, async (tx) => {
      await lockArchiveState(tx)
      dropping = dropOldMonths(sql, NOVEMBER_MS)
      await vi.waitFor(async () => {
        const [row] = await sql`select count(*)::int as waiting from pg_locks where not granted`
        expect(row?.waiting).toBeGreaterThan(0)
      })
      await tx`alter table tick_blocks detach partition tick_blocks_2026_10`
    })
    await dropping
    expect(await sql`select 1 from tick_blocks_2026_10`).toHaveLength(1)
    await sql`drop table tick_blocks_2026_10`
  })
})

describe('old months', () => {
  const SEPTEMBER_SEC = Date.UTC(2026, 8, 3) / 1000
  const OCTOBER_SEC = Date.UTC(2026, 9, 9) / 1000

  const hours = async () => {
    const rows = await database.sql<{ hour: number }[]>`select hour from tick_hours order by hour`
    return rows.map(({ hour }) => hour * 3600)
  }
  const addGap = (fromSec: number, toSec: number) =>
    insertGap(database.sql, { upstream: 'rtds', stream: null, fromSec, toSec, reason: 'closed' })
  const gapEnds = async () => {
    const rows = await database.sql<{ toSec: number }[]>`select to_sec from tick_gaps order by 1`
    return rows.map(({ toSec }) => toSec)
  }

  test('are dropped whole, with their hours and their gaps', async () => {
    await packAt([SEPTEMBER_SEC, OCTOBER_SEC, NOVEMBER_SEC])
    await addGap(SEPTEMBER_SEC, SEPTEMBER_SEC + 5)
    await addGap(OCTOBER_SEC, NOVEMBER_SEC - 1)
    await addGap(NOVEMBER_SEC - 9, NOVEMBER_SEC)
    await dropOldMonths(database.sql, Date.UTC(2026, 10, 29))
    expect(await partitions()).toEqual(['tick_blocks_2026_11'])
    expect(await packedSecs()).toEqual([NOVEMBER_SEC])
    expect(await hours()).toEqual([NOVEMBER_SEC])
    expect(await gapEnds()).toEqual([NOVEMBER_SEC])
  })

  test('are those that ended before the time, to the millisecond', async () => {
    await packAt([OCTOBER_SEC, NOVEMBER_SEC])
    await addGap(OCTOBER_SEC, OCTOBER_SEC)
    await dropOldMonths(database.sql, NOVEMBER_MS - 1)
    expect(await partitions()).toHaveLength(2)
    expect(await hours()).toEqual([OCTOBER_SEC, NOVEMBER_SEC])
    expect(await gapEnds()).toEqual([OCTOBER_SEC])
    await dropOldMonths(database.sql, NOVEMBER_MS)
    expect(await partitions()).toEqual(['tick_blocks_2026_11'])
    expect(await gapEnds()).toEqual([])
  })

  test('are forgotten by those who remember blocks: the revision moves', async () => {
    await packAt([OCTOBER_SEC, NOVEMBER_SEC])
    expect(await readState(database.sql)).toMatchObject({ revision: 0 })
    await dropOldMonths(database.sql, OCTOBER_MS)
    expect(await readState(database.sql)).toMatchObject({ revision: 0 })
    await dropOldMonths(database.sql, NOVEMBER_MS)
    expect(await readState(database.sql)).toMatchObject({ revision: 1 })
  })

  test('can have ticks again that come late', async () => {
    await packAt([OCTOBER_SEC])
    await dropOldMonths(database.sql, NOVEMBER_MS)
    await packAt([OCTOBER_SEC + 1])
    expect(await packedSecs()).toEqual([OCTOBER_SEC + 1])
  })

  test('are left alone where an operator attached a table', async () => {
    const { sql } = database
    await sql`create table years_before partition of tick_blocks for values from (0) to (1000)`
    await dropOldMonths(sql, LATER_MS)
    expect(await partitions()).toEqual(['years_before'])
    await sql`drop table years_before`
  })
})
