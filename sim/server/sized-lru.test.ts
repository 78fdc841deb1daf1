import { expect, test } from 'vitest'
import { SizedLru } from './sized-lru.js'

test('what was not used longest goes first, and the size is never over the limit', () => {
  const lru = new SizedLru<string, number>(100)
  for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) lru.set(key, index, 25)
  lru.get('a')
  lru.set('e', 4, 20)
  expect(lru.get('b')).toBeUndefined()
  expect(lru.get('a')).toBe(0)
  expect(lru.size).toBe(95)
})

test('an entry that is set again counts once', () => {
  const lru = new SizedLru<string, number>(100)
  lru.set('a', 1, 10)
  lru.set('a', 2, 20)
  expect(lru.get('a')).toBe(2)
  expect(lru.size).toBe(20)
})

test('a giant is not kept', () => {
  const lru = new SizedLru<string, number>(100)
  lru.set('a', 1, 26)
  expect(lru.get('a')).toBeUndefined()
  expect(lru.size).toBe(0)
})
