import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Book, Level } from '../universe/books.js'
import type { Token } from '../universe/market.js'
import { diffBooks } from './frames.js'

const side = fc.uniqueArray(
  fc.record({
    priceE4: fc.integer({ min: 1, max: 20 }).map((step) => step * 100),
    sizeE2: fc.integer({ min: 1, max: 5 }),
  }),
  { selector: ({ priceE4 }) => priceE4 },
)

const bookOf = (bids: Level[], asks: Level[]): Book => ({
  token: {} as Token,
  bids,
  asks,
  tickE4: 100,
  lastPriceE4: undefined,
  timestampMs: 0,
})

test('the changes turn the one book into the other, and name no level that stayed', () => {
  fc.assert(
    fc.property(side, side, side, side, (bidsBefore, asksBefore, bidsAfter, asksAfter) => {
      const before = bookOf(bidsBefore, asksBefore)
      const after = bookOf(bidsAfter, asksAfter)
      const sides = { BUY: levels(before.bids), SELL: levels(before.asks) }
      for (const { side, priceE4, sizeE2 } of diffBooks(before, after)) {
        expect(sides[side].get(priceE4)).not.toBe(sizeE2)
        if (sizeE2 === 0) expect(sides[side].delete(priceE4)).toBe(true)
        else sides[side].set(priceE4, sizeE2)
      }
      expect(sides).toEqual({ BUY: levels(after.bids), SELL: levels(after.asks) })
    }),
  )
})

const levels = (side: readonly Level[]) => new Map(side.map(({ priceE4, sizeE2 }) => [priceE4, sizeE2]))
