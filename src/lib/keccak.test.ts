import fc from 'fast-check'
import { toHex, keccak256 as viemKeccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { keccak256 } from './keccak.js'

describe('keccak256', () => {
  test('bytes and their hex have one hash, which others compute as well', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const hash = viemKeccak256(bytes)
        expect(keccak256(bytes)).toBe(hash)
        expect(keccak256(toHex(bytes))).toBe(hash)
      }),
    )
  })

  test.each(['', 'ab', '0xa', '0xabxy', '0xab '])('%j is refused: it is no hex', (text) => {
    expect(() => keccak256(text)).toThrow('whole bytes')
  })
})
