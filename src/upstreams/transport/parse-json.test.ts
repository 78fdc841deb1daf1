import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ParseError,
  parseAmount,
  parseDecimal,
  parseEncoded,
  parseFields,
  parseFineTimeMs,
  parseId,
  parseNumber,
  parseString,
  parseTimeMs,
} from './parse-json.js'

const NOON_MS = Date.UTC(2026, 2, 3, 12, 0, 7)

describe('parseTimeMs', () => {
  test.each([
    ['2026-03-03T12:00:07Z', NOON_MS],
    ['2026-03-03T12:00:07.25Z', NOON_MS + 250],
    ['2026-03-03T12:00:07.250123Z', NOON_MS + 250],
    ['2026-03-03 12:00:07+00', NOON_MS],
    ['2026-03-03 12:00:07.25+00', NOON_MS + 250],
    ['2026-03-03 12:00:07 +0000', NOON_MS],
    ['2026-03-03T07:00:07-05:00', NOON_MS],
    ['2026-03-03T12:00:07', NOON_MS],
    ['2026-03-03', Date.UTC(2026, 2, 3)],
  ])('%s', (text, expected) => {
    expect(parseTimeMs(text, 'at')).toBe(expected)
  })

  test.each(['', 'soon', '2026-13-03', '2026-03-03T25:00:00Z', 'July 21', 1_700_000_000, null])(
    'refuses %j',
    (value) => {
      expect(() => parseTimeMs(value, 'event.endDate')).toThrow(/^event.endDate must be /)
    },
  )

  test('reads back every time that JavaScript writes', () => {
    const times = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(times, (date) => {
        expect(parseTimeMs(date.toISOString(), 'at')).toBe(date.getTime())
      }),
    )
  })
})

describe('parseFineTimeMs', () => {
  test.each([
    ['2026-03-03T12:00:07Z', NOON_MS],
    ['2026-03-03T12:00:07.25Z', NOON_MS + 250],
    ['2026-03-03T12:00:07.2501Z', NOON_MS + 250.1],
    ['2026-03-03T12:00:07.250123Z', NOON_MS + 250.123],
    ['2026-03-03 12:00:07.250123999+00', NOON_MS + 250.123],
    ['2026-03-03', Date.UTC(2026, 2, 3)],
  ])('%s', (text, expected) => {
    expect(parseFineTimeMs(text, 'at')).toBe(expected)
  })

  test.each(['', 'soon', 'soon.123456', 1_700_000_000, null])('refuses %j', (value) => {
    expect(() => parseFineTimeMs(value, 'event.endDate')).toThrow(/^event.endDate must be /)
  })
})

describe('parseDecimal', () => {
  test.each([
    ['0.51', '0.51'],
    ['120', '120'],
    ['0.10', '0.10'],
    ['.48', '0.48'],
    ['-.5', '-0.5'],
    [-5.5, '-5.5'],
    [0.45, '0.45'],
    [0.0000001, '0.0000001'],
  ])('%j', (value, expected) => {
    expect(parseDecimal(value, 'price')).toBe(expected)
  })

  test.each(['', '.', '-', '5.', '1e3', '0x1', ' 1', 'NaN', null, 1e300])('refuses %j', (value) => {
    expect(() => parseDecimal(value, 'price')).toThrow(ParseError)
  })

  test('writes any number out so that it reads back the same', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.000001, max: 1e15, noNaN: true }), (number) => {
        expect(Number(parseDecimal(number, 'size'))).toBe(number)
      }),
    )
  })
})

describe('parseAmount', () => {
  test('is a decimal from zero up', () => {
    expect([parseAmount('0', 'size'), parseAmount(0.5, 'size')]).toEqual(['0', '0.5'])
  })

  test.each(['-0.01', -1])('refuses %j', (value) => {
    expect(() => parseAmount(value, 'size')).toThrow('size must be zero or more')
  })
})

describe('parseNumber', () => {
  test.each([
    [7.5, 7.5],
    ['-7.5', -7.5],
    [' .5 ', 0.5],
    ['1e-7', 1e-7],
  ])('%j', (value, expected) => {
    expect(parseNumber(value, 'volume')).toBe(expected)
  })

  test.each(['', ' ', '0x10', '0b1', '1_000', '1,000', 'Infinity', '1e999', true, null, []])(
    'refuses %j',
    (value) => {
      expect(() => parseNumber(value, 'volume')).toThrow(/^volume must be a number/)
    },
  )
})

describe('parseId', () => {
  test('takes numbers and strings', () => {
    expect([parseId(7, 'id'), parseId('7', 'id')]).toEqual(['7', '7'])
  })

  test.each(['', 1.5, null, {}])('refuses %j', (value) => {
    expect(() => parseId(value, 'id')).toThrow(ParseError)
  })
})

test('a field of the wrong type is quoted with its path and its value', () => {
  const fields = parseFields({ price: { deep: 1 }, size: '12' }, 'body[3]')
  expect(() => fields.required('price', parseNumber)).toThrow(
    'body[3].price must be a number, got {"deep":1}',
  )
  expect(() => fields.required('slug', parseString)).toThrow('body[3].slug must be a string, got nothing')
  expect(fields.optional('slug', parseString)).toBeUndefined()
  expect(fields.required('size', parseNumber)).toBe(12)
  expect(() => fields.list('size', parseNumber)).toThrow('body[3].size must be an array, got "12"')
  expect(fields.list('tags', parseString)).toEqual([])
})

test('JSON in a string is read like JSON', () => {
  expect(parseEncoded('"x"', 'at', parseString)).toBe('x')
  expect(parseEncoded(5, 'at', parseNumber)).toBe(5)
  expect(() => parseEncoded('[', 'at', parseString)).toThrow(ParseError)
})
