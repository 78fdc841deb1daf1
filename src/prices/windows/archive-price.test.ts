import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Price } from '../archive/latest.js'
import { streamId, TICK_SOURCES } from '../streams.js'
import { choosePrice } from './price-window.js'

const KINDS = ['twap60', 'spot'] as const
const [PLATFORM, ORACLE] = TICK_SOURCES

/** The last tick of a stream: far away and close together in time. */
const lastTicks = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom(...KINDS, 'binance' as const),
    source: fc.constantFrom(...TICK_SOURCES),
    sec: fc.integer({ min: 1_793_000_000, max: 1_793_000_003 }),
    price: fc.integer({ min: 1, max: 1_000 }),
  }),
  { selector: ({ kind, source }) => `${kind} ${source}` },
)
type LastTick = typeof lastTicks extends fc.Arbitrary<(infer T)[]> ? T : never

const toLatest = (ticks: readonly LastTick[]): Map<number, Price> =>
  new Map(
    ticks.map(({ kind, source, sec, price }) => [streamId({ symbol: 'BTC', kind, source }), { sec, price }]),
  )

describe('the price that counts', () => {
  test('is the newest of the first kind that has any, of one second that of the oracle itself', () => {
    fc.assert(
      fc.property(lastTicks, (ticks) => {
        const kind = KINDS.find((each) => ticks.some((tick) => tick.kind === each))
        const rivals = ticks.filter((tick) => tick.kind === kind)
        const [best] = rivals.sort(
          (a, b) => b.sec - a.sec || Number(b.source === ORACLE) - Number(a.source === ORACLE),
        )
        const chosen = choosePrice(toLatest(ticks), 'BTC', KINDS)
        if (kind === undefined || best === undefined) expect(chosen).toBeUndefined()
        else {
          const commonSec = Math.min(...rivals.map(({ sec }) => sec))
          expect(chosen).toEqual({ kind, price: best.price, commonSec })
        }
      }),
      { numRuns: 500 },
    )
  })

  test('is final only when both of its sources have sent it', () => {
    const platform = { kind: 'spot', source: PLATFORM, sec: 9, price: 1 } as const
    const oracle = { kind: 'spot', source: ORACLE, sec: 8, price: 2 } as const
    expect(choosePrice(toLatest([platform]), 'BTC', KINDS)).toMatchObject({
      price: 1,
      commonSec: 9,
    })
    expect(choosePrice(toLatest([platform, oracle]), 'BTC', KINDS)).toMatchObject({
      price: 1,
      commonSec: 8,
    })
  })
})
