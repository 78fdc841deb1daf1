import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pn1Checksum, canonicalDecimal as strictDecimal } from '../../test/strict-client/pn1.js'
import { canonicalDecimal, ProvenBook } from './proven-book.js'

type Pair = [price: string, size: string]
const toLevels = (pairs: readonly Pair[]) => pairs.map(([price, size]) => ({ price, size }))

test.each<[string, Pair[], Pair[], string]>([
  ['empty', [], [], 'f9990dc511a3f5eabf06565ee7f52801621e28d7f2d3509d6fbda91e561edecf'],
  [
    'of one level each',
    [['0.50', '10.000']],
    [['0.6000', '20']],
    'a1ec7486bc53e14c4294f08e9298362fe7b5c6495c474e8c447e27ea976eb93a',
  ],
  [
    'without asks',
    [
      ['0.5', '12.500'],
      ['00.4900', '3.0'],
    ],
    [],
    '7829126b80f3eccac2ab4ecc0e999b90f061df3214db0d2717165834a57d66be',
  ],
  [
    'with a level of size 0',
    [
      ['0.31', '250'],
      ['0.30', '75.5'],
    ],
    [
      ['0.33', '1000'],
      ['0.34', '0'],
    ],
    '5d95e5ccd0ab6ce3282f3a5d0597b62935418523b56bbef74c2ebdc85c032c93',
  ],
])('the published checksum of a book %s', (_what, bids, asks, checksum) => {
  const book = new ProvenBook()
  const levels = { bids: toLevels(bids), asks: toLevels(asks) }
  expect(book.load(levels, { seq: 1, checksum })).toBe(true)
  expect(book.load(levels, { seq: 1, checksum: checksum.replace(/./, 'x') })).toBe(false)
})

test('decimals in any form', () => {
  for (const text of ['.50', '0.500', '01.000', '000', '123', '5.']) {
    expect(canonicalDecimal(text)).toBe(strictDecimal(text))
  }
})

test('whatever changes, the checksum is that of the whole book', () => {
  const price = fc.integer({ min: 1, max: 20 }).map((cents) => (cents / 100).toFixed(3))
  const size = fc.integer({ min: 0, max: 3 }).map((units) => `${units}.0`)
  const change = fc.record({ side: fc.constantFrom('bids' as const, 'asks' as const), price, size })
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 20 }), (steps) => {
      const book = new ProvenBook()
      const levels = { bids: new Map<string, string>(), asks: new Map<string, string>() }
      book.load({ bids: [], asks: [] }, { seq: 5, checksum: '' })
      for (const [index, changes] of steps.entries()) {
        for (const { side, price, size } of changes) {
          const key = strictDecimal(price) ?? ''
          if (Number(size) === 0) levels[side].delete(key)
          else levels[side].set(key, strictDecimal(size) ?? '')
        }
        const checksum = pn1Checksum(levels.bids, levels.asks)
        expect(book.change(changes, { prev_seq: 5 + index, seq: 6 + index, checksum })).toBe(true)
      }
      const prices = book.list('bids').map((level) => Number(level.price))
      expect(prices).toEqual(prices.toSorted((a, b) => b - a))
      expect(book.list('asks')).toHaveLength(levels.asks.size)
    }),
    { numRuns: 50 },
  )
})

test('a change that does not follow is refused, and one that is repeated is passed over', () => {
  const book = new ProvenBook()
  const checksum = pn1Checksum(new Map([['0.5', '1']]), new Map())
  book.load({ bids: toLevels([['0.5', '1']]), asks: [] }, { seq: 812, checksum })
  const more = [{ side: 'bids' as const, price: '0.5', size: '2' }]
  expect(book.change(more, { prev_seq: 814, seq: 815, checksum: 'x' })).toBe(false)
  expect(book.change(more, { prev_seq: 811, seq: 812, checksum })).toBe(true)
  expect(book.list('bids')).toEqual([{ price: '0.5', size: '1' }])
})
