import { expect, test } from 'vitest'
import { KeyFilter } from './key-filter.js'

const BITS = 2 ** 16
const ADDED = Math.floor(BITS / 10)
const keyOf = (index: number): number => (index % 97) * 2 ** 27 + index

test('knows every key that was added, and takes few others for one', () => {
  const filter = new KeyFilter(BITS)
  for (let index = 0; index < ADDED; index++) filter.add(keyOf(index))
  let mistaken = 0
  for (let index = 0; index < ADDED; index++) {
    expect(filter.has(keyOf(index))).toBe(true)
    if (filter.has(keyOf(index + ADDED))) mistaken++
  }
  expect(mistaken / ADDED).toBeLessThan(0.03)
})

test('is full when it would be mistaken too often, however often the same keys come', () => {
  const filter = new KeyFilter(1_024)
  for (let index = 0; index < 1_000; index++) filter.add(keyOf(index % 100))
  expect(filter.isFull).toBe(false)
  for (let index = 0; index < 1_000; index++) filter.add(keyOf(index))
  expect(filter.isFull).toBe(true)
})
