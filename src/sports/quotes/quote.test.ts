import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LiveBook } from '../../books/live-book.js'
import { NO_QUOTE, quoteOfBook, quoteOfClob, quoteOfGamma } from './quote.js'

const clob = (buy?: string, sell?: string, midpoint?: string, spread?: string) =>
  quoteOfClob({ prices: { buy, sell }, midpoint, spread })

test.each([
  ['both sides', clob('0.41', '0.42', '0.415', '0.01'), ['0.41', '0.42', '0.415', '0.01']],
  ['sides the other way round', clob('0.42', '0.41'), ['0.41', '0.42', '0.415', '0.01']],
  ['no bid', clob('0', '0.3'), [null, '0.3', '0.15', '0.3']],
  ['no ask', clob('0.3', undefined), ['0.3', null, '0.65', '0.7']],
  ['no orders', clob('0', '1', '0.5', '1'), [null, null, '0.5', '1']],
  ['prices with zeros', clob('0.410', '0.50'), ['0.41', '0.5', '0.455', '0.09']],
])('of %s', (_what, quote, [bestBid, bestAsk, midpoint, spread]) => {
  expect(quote).toEqual({ bestBid, bestAsk, midpoint, spread })
})

test('of a token without a book there is none', () => {
  const none = { prices: undefined, midpoint: '0.5', spread: '1' }
  expect(quoteOfClob(none)).toBe(NO_QUOTE)
  expect(quoteOfGamma({ bestBid: 0.5 }, 0)).toBe(NO_QUOTE)
  const book = new LiveBook('1')
  book.isAbsent = true
  expect(quoteOfBook(book)).toBe(NO_QUOTE)
})

test('what Gamma shows of a market fits both of its outcomes', () => {
  const e4 = fc.integer({ min: 0, max: 10_000 })
  fc.assert(
    fc.property(e4, e4, (a, b) => {
      const [bid, ask] = [Math.min(a, b) / 10_000, Math.max(a, b) / 10_000]
      const market = { bestBid: bid, bestAsk: ask }
      const [first, second] = [quoteOfGamma(market, 0), quoteOfGamma(market, 1)]
      expect(first).toEqual(clob(String(bid), String(ask)))
      expect(second.spread).toBe(first.spread)
      expect(Number(first.midpoint) + Number(second.midpoint)).toBeCloseTo(1, 8)
      if (first.bestBid !== null) expect(Number(first.bestBid) + Number(second.bestAsk)).toBeCloseTo(1, 8)
      for (const text of [...Object.values(first), ...Object.values(second)])
        expect(text ?? '0').toMatch(/^\d(\.\d{0,5}[1-9])?$/)
    }),
  )
})
