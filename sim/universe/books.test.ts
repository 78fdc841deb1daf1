import { describe, expect, test } from 'vitest'
import { type Book, takesOrders } from './books.js'
import { Universe } from './universe.js'

const START_MS = Date.UTC(2026, 10, 12, 6)
const MINUTE_MS = 60_000
const universe = new Universe({ seed: 14, startMs: START_MS, intensity: 5 })
universe.advance(START_MS + 45 * MINUTE_MS)

/** Books of every third market that takes orders, with those of the other outcome. */
function readBooks(): [Book, Book][] {
  return universe.catalogue
    .events()
    .flatMap((event) => event.markets)
    .filter((market, index) => index % 3 === 0 && takesOrders(market, universe.nowMs))
    .map(({ tokens }) => {
      const [first, second] = tokens.map((token) => universe.books.book(token))
      if (first === undefined || second === undefined) throw new Error('no book')
      return [first, second]
    })
}

describe('order books', () => {
  const books = readBooks()

  test('there are many', () => {
    expect(books.length).toBeGreaterThan(50)
  })

  test('are sorted with the best level first, on the grid, and never crossed', () => {
    for (const { bids, asks, tickE4 } of books.flat()) {
      expect([10, 100]).toContain(tickE4)
      const [bidsE4, asksE4] = [bids, asks].map((levels) => levels.map(({ priceE4 }) => priceE4))
      expect(bidsE4).toEqual([...new Set(bidsE4)].sort((a, b) => b - a))
      expect(asksE4).toEqual([...new Set(asksE4)].sort((a, b) => a - b))
      expect(bidsE4?.[0]).toBeLessThan(asksE4?.[0] ?? 0)
      for (const { priceE4, sizeE2 } of [...bids, ...asks]) {
        expect(priceE4 % tickE4).toBe(0)
        expect(priceE4).toBeGreaterThan(0)
        expect(priceE4).toBeLessThan(10_000)
        expect(Number.isInteger(sizeE2) && sizeE2 > 0).toBe(true)
      }
    }
  })

  test('of the two outcomes mirror each other', () => {
    for (const [first, second] of books) {
      const turned = ({ bids, asks }: Book) =>
        [bids, asks].map((side) => side.map(({ priceE4, sizeE2 }) => ({ priceE4: 10_000 - priceE4, sizeE2 })))
      const [asBids, asAsks] = turned(second)
      expect([first.asks, first.bids]).toEqual([asBids, asAsks])
    }
  })

  test('have the finer tick near the ends', () => {
    const fine = books.filter(([{ tickE4 }]) => tickE4 === 10)
    expect(fine.length).toBeGreaterThan(0)
    for (const [{ bids, asks }] of fine) {
      const middleE4 = ((bids[0]?.priceE4 ?? 0) + (asks[0]?.priceE4 ?? 0)) / 2
      expect(Math.min(middleE4, 10_000 - middleE4)).toBeLessThan(450)
    }
  })

  test('stand around what the outcome is worth', () => {
    for (const [{ token, bids, asks, timestampMs }] of books) {
      const fairE4 = universe.fairAt(token.of, timestampMs) * 10_000
      expect(bids[0]?.priceE4).toBeLessThan(fairE4 + 200)
      expect(asks[0]?.priceE4).toBeGreaterThan(fairE4 - 200)
    }
  })

  test('change with time, and are the same at the same time', () => {
    const before = readBooks()
    expect(readBooks()).toEqual(before)
    universe.advance(universe.nowMs + 10_000)
    const after = readBooks()
    const levelsOf = (all: [Book, Book][]) => all.map(([{ bids, asks }]) => ({ bids, asks }))
    expect(levelsOf(after)).not.toEqual(levelsOf(before))
  })
})

describe('whether a market takes orders', () => {
  const window = universe.catalogue
    .events()
    .find((event) => event.window?.interval === '5m' && event.endMs > START_MS + 5 * 3_600_000)

  test('windows do from two hours before they open until they end', () => {
    const market = window?.markets[0]
    if (market === undefined || window?.window === undefined) throw new Error('no such window')
    const { startMs, endMs } = window.window
    expect(takesOrders(market, startMs - 121 * MINUTE_MS)).toBe(false)
    expect(takesOrders(market, startMs - 120 * MINUTE_MS)).toBe(true)
    expect(takesOrders(market, endMs - 1)).toBe(true)
    expect(takesOrders(market, endMs)).toBe(false)
  })

  test('without orders there is no book', () => {
    const token = universe.catalogue
      .events()
      .flatMap((event) => event.markets)
      .find((market) => market.endMs <= universe.nowMs)?.tokens[0]
    expect(token && universe.books.book(token)).toBeUndefined()
    const combo = universe.catalogue.combos()[0]?.tokens[0]
    expect(combo && universe.books.book(combo)).toBeUndefined()
  })
})
