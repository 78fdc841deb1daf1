import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BLOCK_SEC, type Quote, slotOf, TickBlock, tickBlockOf } from './tick-block.js'

const positive = () =>
  fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true, noDefaultInfinity: true })
const quotes = () =>
  fc.oneof(
    fc.record({ price: positive(), bid: positive(), ask: positive() }),
    positive().map((price) => ({ price, bid: null, ask: null })),
  )
const puts = () => fc.array(fc.tuple(fc.nat(BLOCK_SEC - 1), quotes()), { maxLength: 40 })

const readSlot = (block: TickBlock, slot: number) => [
  block.priceAt(slot),
  block.bidAt(slot),
  block.askAt(slot),
]

const SLOTS = Array.from({ length: BLOCK_SEC }, (_, slot) => slot)

/** What every slot must show: the first quote, or nothing. */
function expectSlots(block: TickBlock, list: readonly [number, Quote][]): void {
  const expected = SLOTS.map((slot) => {
    const first = list.find(([at]) => at === slot)?.[1]
    const price = first?.price ?? Number.NaN
    return [price, first?.bid ?? price, first?.ask ?? price]
  })
  expect(SLOTS.map((slot) => readSlot(block, slot))).toEqual(expected)
}

describe('a block', () => {
  test('keeps the first quote of a second exactly, through bytes that begin anywhere', () => {
    fc.assert(
      fc.property(puts(), fc.nat(15), (list, offset) => {
        const block = new TickBlock()
        const known = new Set<number>()
        for (const [slot, quote] of list) {
          expect(block.put(slot, quote)).toBe(!known.has(slot))
          known.add(slot)
        }
        expectSlots(block, list)

        const bytes = block.toBytes()
        const moved = Buffer.alloc(offset + bytes.length + 8, 0xff)
        moved.set(bytes, offset)
        expectSlots(new TickBlock(moved.subarray(offset, offset + bytes.length)), list)
      }),
      { numRuns: 40 },
    )
  })

  test('leaves the bytes alone that it was read from', () => {
    const empty = new TickBlock().toBytes()
    const bytes = Buffer.alloc(empty.length)
    bytes.set(empty)
    new TickBlock(bytes).put(7, { price: 1, bid: 2, ask: 3 })
    expect(bytes.equals(empty)).toBe(true)
  })

  test('needs eight bytes a second, or 24 where there are quotes', () => {
    const block = new TickBlock()
    block.put(0, { price: 5, bid: null, ask: null })
    expect(block.toBytes()).toHaveLength(2_400)
    block.put(1, { price: 6, bid: 5.5, ask: 6.5 })
    expect(block.toBytes()).toHaveLength(7_200)
    expect(readSlot(block, 0)).toEqual([5, 5, 5])
  })

  test('shows the price where only one of the quotes is there', () => {
    const block = new TickBlock()
    block.put(0, { price: 5, bid: 4, ask: null })
    expect(readSlot(block, 0)).toEqual([5, 5, 5])
  })

  test('finds the last price up to a slot', () => {
    fc.assert(
      fc.property(puts(), fc.nat(BLOCK_SEC - 1), (list, upTo) => {
        const block = new TickBlock()
        for (const [slot, quote] of list) block.put(slot, quote)
        const slots = list.map(([slot]) => slot).filter((slot) => slot <= upTo)
        expect(block.lastSlot(upTo)).toBe(Math.max(-1, ...slots))
      }),
    )
  })

  test.each([0, 1, 2_399, 4_800, 7_201])('is not made of %i bytes', (length) => {
    expect(() => new TickBlock(new Uint8Array(length))).toThrow('one column or three')
  })

  test.each([
    [-1, 5],
    [BLOCK_SEC, 5],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
  ])('takes nothing at slot %d with price %d', (slot, price) => {
    const quote = { price, bid: null, ask: null }
    expect(() => new TickBlock().put(slot, quote)).toThrow('a slot and a price')
  })
})

test('every second has a block and a slot in it', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), (sec) => {
      expect(tickBlockOf(sec) * BLOCK_SEC + slotOf(sec)).toBe(sec)
      expect(slotOf(sec)).toBeLessThan(BLOCK_SEC)
    }),
  )
})
