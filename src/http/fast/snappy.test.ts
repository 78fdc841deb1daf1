import fc from 'fast-check'
import { snappyUncompress } from 'hyparquet/src/snappy.js'
import { expect, test } from 'vitest'
import { compressSnappy } from './snappy.js'

function uncompress(bytes: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length)
  snappyUncompress(bytes, output)
  return output
}

const Piece = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  // Runs and repeats, also of more bytes than one copy has and from further away than it reaches.
  fc
    .record({ byte: fc.nat(255), count: fc.nat(70_000) })
    .map(({ byte, count }) => new Uint8Array(count).fill(byte)),
  fc
    .record({ unit: fc.uint8Array({ minLength: 1, maxLength: 70 }), count: fc.nat(200) })
    .map(({ unit, count }) => Buffer.concat(Array.from({ length: count }, () => unit))),
)

test('what was compressed is read back', () => {
  fc.assert(
    fc.property(fc.array(Piece, { maxLength: 12 }), (pieces) => {
      const input = new Uint8Array(Buffer.concat(pieces))
      const compressed = compressSnappy(input)
      expect(Buffer.compare(uncompress(compressed, input.length), input)).toBe(0)
      expect(compressed.length).toBeLessThanOrEqual(input.length + input.length / 8 + 16)
    }),
    { numRuns: 200 },
  )
})

test('repeats take less room', () => {
  const text = Buffer.from('0x1234567890abcdef1234567890abcdef12345678,'.repeat(1_000))
  expect(compressSnappy(text).length).toBeLessThan(text.length / 15)
})
