import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { tickBlockOf } from '../fast/tick-block.js'
import { packTicks } from './pack.js'
import { insertTicks } from './queries.js'
import {
  clearArchive,
  countLive,
  firstTicks,
  makeTick,
  makeTicks,
  NOON_SEC,
  readPacked,
  readState,
} from './test-archive.js'

/** The first time at which the block that begins at noon is packed. */
const PACKED_MS = (NOON_SEC + 300 + 120) * 1000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => clearArchive(database.sql))

const insert = (...ticks: Parameters<typeof insertTicks>[1]) => insertTicks(database.sql, ticks)
const pack = (nowMs = PACKED_MS) => packTicks(database.sql, nowMs)
const packed = () => readPacked(database.sql)

describe('ticks', () => {
  test('stay where they are until their block is over and two minutes have passed', async () => {
    const ticks = makeTicks(NOON_SEC, 301)
    await insert(...ticks)
    await pack(PACKED_MS - 1)
    expect(await countLive(database.sql)).toBe(301)
    await pack()
    expect(await countLive(database.sql)).toBe(1)
    expect(await packed()).toEqual(ticks.slice(0, 300))
    expect(await readState(database.sql)).toEqual({
      packedUntil: tickBlockOf(NOON_SEC) + 1,
      revision: 0,
    })
  })

  test('keep prices and quotes to the last bit, of each stream for itself', async () => {
    const quoted = { price: 0.1 + 0.2, bid: 5e-324, ask: 1.7976931348623157e308 }
    const ticks = firstTicks([
      makeTick(NOON_SEC, quoted),
      makeTick(NOON_SEC, { source: 'oracle_data_streams', price: 1e-7 }),
      makeTick(NOON_SEC + 1, { symbol: 'HYPE', kind: 'twap60', price: 2 ** 53 + 2 }),
    ])
    await insert(...ticks)
    await pack()
    expect(await packed()).toEqual(ticks)
  })

  test('of one second: the first one stays, in one batch, in two, and after packing', async () => {
    await insert(makeTick(NOON_SEC, { price: 1 }), makeTick(NOON_SEC, { price: 2 }))
    await insert(makeTick(NOON_SEC, { price: 3 }))
    await pack()
    await insert(makeTick(NOON_SEC, { price: 4 }))
    await pack()
    expect(await packed()).toEqual([makeTick(NOON_SEC, { price: 1 })])
    expect(await countLive(database.sql)).toBe(0)
  })

  test('are all moved, however many wait', async () => {
    const { sql } = database
    const count = 20_400
    await sql`
      insert into live_ticks (stream, sec, price)
      select 0, sec, 5 from generate_series(${NOON_SEC - count}::int, ${NOON_SEC - 1}) as sec`
    await pack()
    expect(await countLive(sql)).toBe(0)
    expect(await sql`select 1 from tick_blocks`).toHaveLength(count / 300)
    const [row] = await sql`select sum(seconds)::int as seconds from tick_hours`
    expect(row).toEqual({ seconds: count })
    expect(await readState(sql)).toEqual({ packedUntil: tickBlockOf(NOON_SEC) + 1, revision: 0 })
  })

  test('are moved once by two processes at the same time', async () => {
    const ticks = makeTicks(NOON_SEC, 300)
    await insert(...ticks)
    await Promise.all([pack(), pack(), pack()])
    expect(await packed()).toEqual(ticks)
    const [hour] = await database.sql`select seconds from tick_hours`
    expect(hour).toEqual({ seconds: 300 })
  })
})

describe('late ticks', () => {
  beforeEach(async () => {
    await insert(...makeTicks(NOON_SEC, 10))
    await pack()
  })

  test('join their block, and the revision moves', async () => {
    const late = makeTick(NOON_SEC + 20, { price: 9, bid: 8, ask: 10 })
    await insert(late)
    await pack()
    expect(await packed()).toEqual([...makeTicks(NOON_SEC, 10), late])
    expect(await readState(database.sql)).toMatchObject({ revision: 1 })
  })

  test('of a block without any tick move the revision, too', async () => {
    await insert(makeTick(NOON_SEC - 3_000))
    await pack()
    expect(await readState(database.sql)).toMatchObject({ revision: 1 })
  })

  test('that are there already change nothing', async () => {
    const before = await readState(database.sql)
    await insert(...makeTicks(NOON_SEC, 10, { price: 77 }))
    await pack()
    expect(await packed()).toEqual(makeTicks(NOON_SEC, 10))
    expect(await readState(database.sql)).toEqual(before)
    expect(await countLive(database.sql)).toBe(0)
  })

  test('are none where the block was not over before', async () => {
    await insert(makeTick(NOON_SEC + 300))
    await pack(PACKED_MS + 300_000)
    expect(await readState(database.sql)).toEqual({
      packedUntil: tickBlockOf(NOON_SEC) + 2,
      revision: 0,
    })
  })

  test('are none for a clock that goes back', async () => {
    await pack(PACKED_MS - 600_000)
    expect(await readState(database.sql)).toEqual({
      packedUntil: tickBlockOf(NOON_SEC) + 1,
      revision: 0,
    })
  })
})
