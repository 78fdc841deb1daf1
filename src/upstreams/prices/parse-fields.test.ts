import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ParseError } from '../transport/parse-json.js'
import { formatE18, parseE18, parseE18Integer } from './parse-fields.js'

test.each([
  [3120.55, '3120.55'],
  ['65431.51234567', '65431.51234567'],
  ['41.250000000000000001', '41.250000000000000001'],
  ['0.1234567890123456789', '0.123456789012345678'],
  [1e-7, '0.0000001'],
  [1.5e21, '1500000000000000000000'],
  ['007.50', '7.5'],
])('%j is read exactly', (value, text) => {
  expect(formatE18(parseE18(value, 'value'))).toBe(text)
})

test.each([
  [0],
  [-1],
  ['-0.5'],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  ['1e-19'],
  [''],
  ['1,5'],
  ['0x10'],
  [null],
  [[1]],
  [true],
])('%j is no price', (value) => {
  expect(() => parseE18(value, 'value')).toThrow(ParseError)
})

test.each([[5], ['0'], ['-5'], ['1.5'], [''], ['1'.repeat(61)]])('%j is no integer', (value) => {
  expect(() => parseE18Integer(value, 'value')).toThrow(ParseError)
})

test('writing and reading is the identity', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 30n), (e18) => {
      expect(parseE18(formatE18(e18), 'value')).toBe(e18)
      expect(parseE18Integer(String(e18), 'value')).toBe(e18)
    }),
  )
})
