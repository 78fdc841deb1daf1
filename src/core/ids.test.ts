import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBytes32, parseTokenId, toTokenId } from './ids.js'

test('the decimal and the hex text of a token are the same number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (id) => {
      const token = parseTokenId(String(id)) ?? ''
      expect(parseBytes32(token.toUpperCase().replace('0X', '0x'))).toBe(token)
      expect(BigInt(token)).toBe(id)
      expect(toTokenId(token)).toBe(String(id))
    }),
  )
})

test.each(['', '-1', '1.5', '0x10', 'x', String(2n ** 256n)])('%j is no token id', (text) => {
  expect(parseTokenId(text)).toBeUndefined()
})
