import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AbsentKeys, KeyFilter } from './absent-keys.js'

const BITS = 2 ** 16
const ADDED = Math.floor(BITS / 10)
const keyOf = (index: number): number => (index % 97) * 2 ** 27 + index

describe('the Bloom filter', () => {
  test('has every key that was added, and few others', () => {
    const filter = new KeyFilter(BITS)
    for (let index = 0; index < ADDED; index++) filter.add(keyOf(index))
    let mistaken = 0
    for (let index = 0; index < ADDED; index++) {
      expect(filter.has(keyOf(index))).toBe(true)
      if (filter.has(keyOf(index + ADDED))) mistaken++
    }
    expect(mistaken / ADDED).toBeLessThan(0.03)
  })

  test('is full when too many answers would be wrong, and adding a key again does not fill it', () => {
    const filter = new KeyFilter(1_024)
    for (let index = 0; index < 1_000; index++) filter.add(keyOf(index % 100))
    expect(filter.isFull).toBe(false)
    for (let index = 0; index < 1_000; index++) filter.add(keyOf(index))
    expect(filter.isFull).toBe(true)
  })
})

test('absent are the keys of new ids that were not evicted, as a plain set says', () => {
  const ids = fc.tuple(fc.nat(30), fc.nat(30))
  fc.assert(
    fc.property(fc.array(ids), fc.array(ids), fc.nat(30), fc.nat(30), (evicted, requested, a, b) => {
      const absent = new AbsentKeys(1_000)
      absent.addNewFirst(a)
      absent.addNewSecond(b)
      const twin = new Set<number>()
      for (const [first, second] of evicted) {
        absent.evict(first, second, first * 100 + second)
        twin.add(first * 100 + second)
      }
      for (const [first, second] of requested) {
        const expected = (first >= a || second >= b) && !twin.has(first * 100 + second)
        // With this few keys in this many bits the filter makes no mistake.
        expect(absent.has(first, second, first * 100 + second)).toBe(expected)
      }
      absent.clear()
      expect(absent.has(30, 30, 3_030)).toBe(false)
    }),
  )
})
