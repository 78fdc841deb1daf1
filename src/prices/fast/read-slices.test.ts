import fc from 'fast-check'
import type { Static } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import type { Tick } from '../../crypto/prices/schemas.js'
import type { Sql } from '../../store/connection.js'
import { packTicks } from '../archive/pack.js'
import { insertTicks, type StreamTick } from '../archive/queries.js'
import { clearArchive, firstTicks, makeTick, makeTicks, NOON_SEC } from '../archive/test-archive.js'
import { TICK_SOURCES } from '../streams.js'
import { showTicks, watchQueries } from '../ticks/test-tick-app.js'
import { readSlices, type TickRange } from './read-slices.js'
import { RenderedBlocks } from './rendered-blocks.js'

/** Long enough for several reads. */
const SPAN_SEC = 5 * 3_600
const RANGE: TickRange = {
  symbol: 'BTC',
  kind: 'spot',
  source: undefined,
  limit: 100_000,
  fromSec: NOON_SEC,
  toSec: NOON_SEC + SPAN_SEC - 1,
}

let database: TestDatabase
/** Every reading comes a second after the one before. */
let nowMs = Date.UTC(2027, 0)
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => clearArchive(database.sql))

async function read(sql: Sql, cache: RenderedBlocks, range = RANGE): Promise<Static<typeof Tick>[]> {
  nowMs += 1_000
  let text = ''
  let count = 0
  for await (const slice of readSlices(sql, cache, range, nowMs)) {
    text += slice.bytes.toString()
    count += slice.count
  }
  const ticks = JSON.parse(`[${text.slice(1)}]`)
  expect(ticks).toHaveLength(count)
  return ticks
}

const pack = (sec: number) => packTicks(database.sql, sec * 1000)
const newCache = () => new RenderedBlocks(50_000_000)

describe('blocks that are over', () => {
  const ticks = makeTicks(NOON_SEC, 700)
  let queries: string[]
  let sql: Sql
  beforeEach(async () => {
    await insertTicks(database.sql, ticks)
    await pack(NOON_SEC + SPAN_SEC + 600)
    queries = []
    sql = watchQueries(database.sql, (text) => void queries.push(text))
  })

  test('are read once, several at a time, and again when a late tick has changed one', async () => {
    const cache = newCache()
    expect(await read(sql, cache)).toEqual(showTicks(ticks))
    expect(queries).toHaveLength(1 + 3)
    expect(await read(sql, cache)).toEqual(showTicks(ticks))
    expect(queries).toHaveLength(1 + 3 + 1)

    const late = makeTick(NOON_SEC + 3_000)
    await insertTicks(database.sql, [late])
    expect(await read(sql, cache)).toEqual(showTicks([...ticks, late]))
    await pack(NOON_SEC + SPAN_SEC + 600)
    expect(await read(sql, cache)).toEqual(showTicks([...ticks, late]))
    expect(queries).toHaveLength(1 + 3 + 1 + 2 + 4)
  })

  test('are not read beyond the limit', async () => {
    const first = await read(sql, newCache(), { ...RANGE, limit: 650 })
    expect(first).toEqual(showTicks(ticks).slice(0, 650))
    expect(queries).toHaveLength(1 + 1)
  })

  test('are remembered for each source, kind and coin apart', async () => {
    const other = makeTicks(NOON_SEC, 3, { source: 'oracle_data_streams', price: 7 })
    await insertTicks(database.sql, other)
    await pack(NOON_SEC + SPAN_SEC + 600)
    const cache = newCache()
    for (const _ of [1, 2]) {
      const of = (changes: Partial<TickRange>) => read(sql, cache, { ...RANGE, ...changes })
      expect(await of({ source: 'platform_oracle' })).toEqual(showTicks(ticks))
      expect(await of({ source: 'oracle_data_streams' })).toEqual(showTicks(other))
      expect(await of({})).toEqual(showTicks([...ticks, ...other]))
      expect(await of({ kind: 'twap30' })).toEqual([])
      expect(await of({ symbol: 'ETH' })).toEqual([])
    }
  })
})

type Step = { ticks: StreamTick[]; packSec: number | null }

const steps = (minLength: number): fc.Arbitrary<Step[]> => {
  const tick = fc
    .tuple(fc.nat(SPAN_SEC - 1), fc.constantFrom(...TICK_SOURCES), fc.integer({ min: 1, max: 9 }))
    .map(([at, source, price]) => makeTick(NOON_SEC + at, { source, price }))
  const step = fc.record({
    ticks: fc.array(tick, { maxLength: 20, size: 'max' }),
    packSec: fc.option(fc.nat(SPAN_SEC + 600).map((at) => NOON_SEC + at)),
  })
  return fc.array(step, { minLength, maxLength: 5 })
}

test('ticks that come or move while they are read are neither lost nor shown twice', async () => {
  await fc.assert(
    fc.asyncProperty(steps(1), steps(3), async (before, during) => {
      await clearArchive(database.sql)
      const inserted: StreamTick[] = []
      const take = async ({ ticks, packSec }: Step) => {
        await insertTicks(database.sql, ticks)
        inserted.push(...ticks)
        if (packSec !== null) await pack(packSec)
      }
      const expected = () => showTicks(firstTicks(inserted))
      const cache = newCache()
      for (const step of before) {
        await take(step)
        expect(await read(database.sql, cache)).toEqual(expected())
      }

      const known = new Set(expected().map(({ id }) => id))
      const coming = [...during]
      const answer = await read(
        watchQueries(database.sql, async () => {
          const step = coming.shift()
          if (step !== undefined) await take(step)
        }),
        cache,
      )
      const shown = new Set(answer.map(({ id }) => id))
      expect(answer).toEqual(expected().filter(({ id }) => shown.has(id)))
      for (const id of known) expect(shown).toContain(id)
      expect(await read(database.sql, cache)).toEqual(expected())
    }),
    { numRuns: 15 },
  )
})
