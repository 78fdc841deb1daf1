import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complementWord, word } from './words.js'

const amount = fc.oneof(
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  fc.constantFrom(0, 1, 2 ** 24 - 1, 2 ** 24, 2 ** 48, Number.MAX_SAFE_INTEGER),
)

test('a word is the number in 64 hex digits', () => {
  fc.assert(
    fc.property(amount, (n) => {
      expect(word(n)).toBe(n.toString(16).padStart(64, '0'))
      expect(word(BigInt(n))).toBe(word(n))
    }),
  )
})

test('its complement is what is missing to 2^256 - 1', () => {
  fc.assert(
    fc.property(amount, (n) => {
      expect(BigInt(`0x${complementWord(n)}`)).toBe(2n ** 256n - 1n - BigInt(n))
    }),
  )
})
