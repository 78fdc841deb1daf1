import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { type CandleFill, modelCandles } from '../../../test/markets/candle-model.js'
import { blockOf, seqOf } from '../../core/seq.js'
import { selectCandles, selectWindowSides } from './queries.js'
import { CANDLE_RESOLUTIONS, type CandleWindow, type Resolution, resolveWindow } from './window.js'

const TOKEN = 7
const START = 1_792_972_800
const DAYS = 3

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** One block a second, each with at most one fill. */
const someFills: fc.Arbitrary<CandleFill[]> = fc
  .uniqueArray(
    fc.record({
      timeSec: fc.oneof(
        fc.integer({ min: START, max: START + DAYS * 86_400 - 1 }),
        fc.integer({ min: START, max: START + 1_800 }),
      ),
      isSell: fc.boolean(),
      usd: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      shares: fc.oneof({ weight: 9, arbitrary: fc.bigInt({ min: 1n, max: 10n ** 12n }) }, fc.constant(0n)),
      fee: fc.bigInt({ min: 0n, max: 10n ** 6n }),
    }),
    { selector: ({ timeSec }) => timeSec, maxLength: 80 },
  )
  .map((fills) => fills.map((fill) => ({ ...fill, seq: seqOf(fill.timeSec - START + 1, 3) })))

async function store(fills: readonly CandleFill[]): Promise<void> {
  const { sql } = database
  await sql`truncate blocks, minute_candles, hour_candles`
  for (const { seq, timeSec } of fills) {
    await sql`insert into blocks values (${blockOf(seq)}, ${timeSec}, '\\x00')`
  }
  const insert = async (table: 'minute' | 'hour', seconds: number) => {
    for (const candle of modelCandles(fills, seconds)) {
      await sql`
        insert into ${sql(`${table}_candles`)} ${sql({
          token: TOKEN,
          [table]: candle.timeSec / seconds,
          trades: candle.trades,
          open: candle.open,
          high: candle.high,
          low: candle.low,
          close: candle.close,
          first_seq: candle.first?.seq ?? 0,
          last_seq: candle.last?.seq ?? 0,
          volume: candle.volume,
          shares: candle.shares,
          buy_volume: candle.buyVolume,
          fees: candle.fees,
        })}`
    }
  }
  await insert('minute', 60)
  await insert('hour', 3_600)
}

const windowOf = (resolution: Resolution, limit: number, endSec: number): CandleWindow =>
  resolveWindow({ resolution, limit, end: endSec }, endSec)

test('candles of every resolution are those of the fills', async () => {
  await fc.assert(
    fc.asyncProperty(someFills, fc.integer({ min: 1, max: 500 }), async (fills, limit) => {
      await store(fills)
      for (const resolution of Object.keys(CANDLE_RESOLUTIONS) as Resolution[]) {
        const window = windowOf(resolution, limit, START + DAYS * 86_400 - 1)
        const isWithin = ({ timeSec }: { timeSec: number }) => timeSec >= window.firstSec
        const expected = modelCandles(fills, window.seconds).filter(isWithin)
        const candles = await selectCandles(database.sql, [TOKEN, TOKEN + 1], window)
        expect(candles).toEqual(
          expected.map(({ fees: _, vwap: __, first, last, ...candle }) => ({
            ...candle,
            token: TOKEN,
            first: { seq: first?.seq, timeSec: first?.timeSec },
            last: { seq: last?.seq, timeSec: last?.timeSec },
          })),
        )
      }
    }),
    { numRuns: 25 },
  )
})

test('the sides of a window say what is outside of it', async () => {
  await fc.assert(
    fc.asyncProperty(someFills, fc.nat(DAYS * 24), async (fills, hour) => {
      await store(fills)
      for (const resolution of ['1m', '1h', '4h'] as const) {
        const window = windowOf(resolution, 2, START + hour * 3_600)
        const older = modelCandles(fills, window.seconds).filter(({ timeSec }) => timeSec < window.firstSec)
        const [sides] = await selectWindowSides(database.sql, [TOKEN], window)
        expect(sides).toEqual({
          token: TOKEN,
          hasOlder: older.length > 0,
          hasNewer: fills.some(({ timeSec }) => timeSec >= window.lastSec + window.seconds),
          closeBefore: older.filter(({ shares }) => shares > 0n).at(-1)?.close ?? null,
        })
      }
    }),
    { numRuns: 25 },
  )
})
