import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { BLOCK_SEC } from '../fast/tick-block.js'
import { selectLatest } from './latest.js'
import { packTicks } from './pack.js'
import { insertTicks } from './queries.js'
import { clearArchive, firstTicks, idOf, makeTick, NOON_SEC } from './test-archive.js'

const STREAMS = [idOf(), idOf({ source: 'oracle_data_streams' }), idOf({ symbol: 'ETH' })]
const SPAN_SEC = 6 * BLOCK_SEC

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const ticks = () =>
  fc.array(
    fc
      .tuple(fc.nat(SPAN_SEC - 1), fc.constantFrom(...STREAMS), fc.nat(9))
      .map(([at, stream, price]) => ({ ...makeTick(NOON_SEC + at, { price: price + 1 }), stream })),
    { maxLength: 12 },
  )

test('the last tick of a span is found, whether it is in a block or not', async () => {
  const moments = () => fc.nat(SPAN_SEC + 200)
  await fc.assert(
    fc.asyncProperty(
      ...([ticks(), ticks(), moments(), moments(), moments()] as const),
      async (first, second, packAt, from, to) => {
        const { sql } = database
        await clearArchive(sql)
        await insertTicks(sql, first)
        await packTicks(sql, (NOON_SEC + packAt) * 1000)
        await insertTicks(sql, second)

        const span = { fromSec: NOON_SEC + from - 100, toSec: NOON_SEC + to - 100 }
        const within = firstTicks([...first, ...second]).filter(
          ({ sec }) => sec >= span.fromSec && sec <= span.toSec,
        )
        const expected = new Map(within.map(({ stream, sec, price }) => [stream, { sec, price }]))
        const found = [...(await selectLatest(sql, STREAMS, span))]
        const prices = found.map(([stream, { sec, price }]) => [stream, { sec, price }] as const)
        expect(new Map(prices)).toEqual(expected)
      },
    ),
    { numRuns: 40 },
  )
})

test('a second that came again later keeps its first price', async () => {
  const { sql } = database
  await clearArchive(sql)
  await insertTicks(sql, [makeTick(NOON_SEC, { price: 1 })])
  await packTicks(sql, (NOON_SEC + 600) * 1000)
  await insertTicks(sql, [makeTick(NOON_SEC, { price: 2 })])
  const span = { fromSec: NOON_SEC, toSec: NOON_SEC }
  expect(await selectLatest(sql, STREAMS, span)).toEqual(new Map([[idOf(), { sec: NOON_SEC, price: 1 }]]))
})
