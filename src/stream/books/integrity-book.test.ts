import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pn1Checksum } from '../../../test/strict-client/pn1.js'
import type { BookLevel } from '../../books/live-book.js'
import { IntegrityBook } from './integrity-book.js'

type Book = { bids: BookLevel[]; asks: BookLevel[] }

const EMPTY: Book = { bids: [], asks: [] }

const toMap = (levels: readonly BookLevel[]) => new Map(levels.map(({ price, size }) => [price, size]))

const checksumOf = ({ bids, asks }: Book) => pn1Checksum(toMap(bids), toMap(asks))

const price = fc.integer({ min: 1, max: 30 }).map((cents) => String(cents / 100))
const size = fc.integer({ min: 1, max: 5 }).map(String)
const side = (sign: number) =>
  fc
    .uniqueArray(fc.record({ price, size }), { selector: (level) => level.price, maxLength: 12 })
    .map((levels) => levels.sort((a, b) => sign * (Number(a.price) - Number(b.price))))
const book = fc.record({ bids: side(-1), asks: side(1) })

describe('a published book', () => {
  test('has the levels that it was given, the best first, and their checksum', () => {
    fc.assert(
      fc.property(book, (given) => {
        const { bids, asks, anchor } = new IntegrityBook(given)
        expect({ bids, asks }).toEqual(given)
        expect(anchor).toEqual({ seq: 1, checksum: checksumOf(given) })
      }),
    )
  })

  test('becomes any other book by the levels that differ, as one change', () => {
    fc.assert(
      fc.property(book, book, (before, after) => {
        const published = new IntegrityBook(before)
        const update = published.update(after)
        expect({ bids: published.bids, asks: published.asks }).toEqual(after)
        if (checksumOf(before) === checksumOf(after)) expect(update).toBeUndefined()
        else expect(update?.after).toEqual({ seq: 2, checksum: checksumOf(after) })
        const applied = { bids: toMap(before.bids), asks: toMap(before.asks) }
        for (const name of ['bids', 'asks'] as const) {
          for (const level of update?.[name] ?? []) {
            expect(applied[name].get(level.price)).not.toBe(level.size)
            if (level.size === '0') applied[name].delete(level.price)
            else applied[name].set(level.price, level.size)
          }
        }
        expect(pn1Checksum(applied.bids, applied.asks)).toBe(checksumOf(after))
      }),
    )
  })

  test('counts changes of a level one by one, and none that changes nothing', () => {
    const published = new IntegrityBook(EMPTY)
    const level = (size: string) => ({ bids: [{ price: '0.5', size }], asks: [] })
    const steps = [
      published.setLevel('BUY', '0.5', '0'),
      published.setLevel('BUY', '0.5', '10'),
      published.setLevel('BUY', '0.5', '10'),
      published.setLevel('BUY', '0.5', '7'),
      published.setLevel('BUY', '0.5', '0'),
    ]
    expect(steps).toEqual([
      undefined,
      { seq: 2, checksum: checksumOf(level('10')) },
      undefined,
      { seq: 3, checksum: checksumOf(level('7')) },
      { seq: 4, checksum: checksumOf(EMPTY) },
    ])
  })

  test('begins again with a new number, also when the book is the same', () => {
    const given = { bids: [{ price: '0.5', size: '10' }], asks: [{ price: '0.6', size: '20' }] }
    const published = new IntegrityBook(given)
    published.reset(given)
    // The second of the published vectors.
    const checksum = 'a1ec7486bc53e14c4294f08e9298362fe7b5c6495c474e8c447e27ea976eb93a'
    expect(published.anchor).toEqual({ seq: 2, checksum })
  })
})
