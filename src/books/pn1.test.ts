import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LiveBook } from './live-book.js'
import { canonicalDecimal, Pn1Checksum } from './pn1.js'

type Levels = readonly (readonly [price: string, size: string])[]

/** The definition, step by step, without anything kept from one book to the next. */
function recompute(bids: Levels, asks: Levels): string {
  const sum = Buffer.alloc(32)
  const count = (letter: string, levels: Levels): number => {
    const there = levels.filter(([, size]) => canonicalDecimal(size) !== '0')
    for (const [price, size] of there) {
      const text = ['pn1:level', letter, canonicalDecimal(price), canonicalDecimal(size)].join('\0')
      const level = createHash('sha256').update(text).digest()
      for (let index = 0; index < 32; index++) sum[index] = (sum[index] ?? 0) ^ (level[index] ?? 0)
    }
    return there.length
  }
  const head = `pn1:book\0${count('B', bids)}\0${count('A', asks)}\0`
  return createHash('sha256').update(head).update(sum).digest('hex')
}

const toBook = (bids: Levels, asks: Levels) => {
  const toLevels = (levels: Levels) => levels.map(([price, size]) => ({ price, size }))
  return {
    conditionId: '0x1',
    tokenId: '1',
    timestampMs: 1,
    hash: undefined,
    tickSize: undefined,
    minOrderSize: undefined,
    negRisk: undefined,
    lastTradePrice: undefined,
    bids: toLevels(bids),
    asks: toLevels(asks),
  }
}

describe('the published vectors', () => {
  test.each<[string, Levels, Levels]>([
    ['f9990dc511a3f5eabf06565ee7f52801621e28d7f2d3509d6fbda91e561edecf', [], []],
    [
      'a1ec7486bc53e14c4294f08e9298362fe7b5c6495c474e8c447e27ea976eb93a',
      [['0.50', '10.000']],
      [['0.6000', '20']],
    ],
    [
      '7829126b80f3eccac2ab4ecc0e999b90f061df3214db0d2717165834a57d66be',
      [
        ['0.5', '12.500'],
        ['00.4900', '3.0'],
      ],
      [],
    ],
    [
      '5d95e5ccd0ab6ce3282f3a5d0597b62935418523b56bbef74c2ebdc85c032c93',
      [
        ['0.31', '250'],
        ['0.30', '75.5'],
      ],
      [
        ['0.33', '1000'],
        ['0.34', '0'],
      ],
    ],
  ])('%s', (checksum, bids, asks) => {
    const book = new LiveBook('1')
    book.replace(toBook(bids, asks))
    expect(book.checksum).toBe(checksum)
    expect(recompute(bids, asks)).toBe(checksum)
  })
})

test.each([
  ['.50', '0.5'],
  ['0.500', '0.5'],
  ['01.000', '1'],
  ['000', '0'],
  ['123', '123'],
  ['5.', '5'],
  ['0.05', '0.05'],
  ['100', '100'],
  ['0.0', '0'],
])('the shortest form of %s is %s', (text, canonical) => {
  expect(canonicalDecimal(text)).toBe(canonical)
})

test('whatever happens to a book, its checksum is that of its levels', () => {
  const side = fc.constantFrom('BUY' as const, 'SELL' as const)
  const price = fc.integer({ min: 1, max: 99 }).map((cents) => canonicalDecimal(`${cents / 100}`))
  const size = fc.integer({ min: 0, max: 5 }).map(String)
  const levels = fc.uniqueArray(fc.tuple(price, size), { selector: ([at]) => at, maxLength: 8 })
  const step = fc.oneof(
    fc.record({ side, price, size }),
    fc.record({ bids: levels, asks: levels }),
    fc.constant('clear' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const book = new LiveBook('1')
      for (const step of steps) {
        if (step === 'clear') book.clear()
        else if ('side' in step) book.setLevel(step.side, step.price, step.size)
        else book.replace(toBook(sorted(step.bids, -1), sorted(step.asks, 1)))
        const bids = book.bids.map((level) => [level.price, level.size] as const)
        const asks = book.asks.map((level) => [level.price, level.size] as const)
        expect(bids).toEqual(sorted(bids, -1))
        expect(asks).toEqual(sorted(asks, 1))
        expect(book.checksum).toBe(recompute(bids, asks))
      }
    }),
  )
})

const sorted = (levels: Levels, sign: 1 | -1): Levels =>
  levels.toSorted(([a], [b]) => sign * (Number(a) - Number(b)))

test('a level that is added and removed leaves nothing', () => {
  const checksum = new Pn1Checksum()
  const empty = checksum.text
  checksum.add('BUY', '0.5', '10')
  expect(checksum.text).not.toBe(empty)
  checksum.remove('BUY', '0.5', '10')
  expect(checksum.text).toBe(empty)
})
