import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ReadError,
  readAmount,
  readDecimal,
  readEncoded,
  readFields,
  readFineTimeMs,
  readId,
  readNumber,
  readString,
  readTimeMs,
} from './read.js'

const NOON_MS = Date.UTC(2026, 2, 3, 12, 0, 7)

describe('readTimeMs', () => {
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
    expect(readTimeMs(text, 'at')).toBe(expected)
  })

  test.each(['', 'soon', '2026-13-03', '2026-03-03T25:00:00Z', 'July 21', 1_700_000_000, null])(
    'refuses %j',
    (value) => {
      expect(() => readTimeMs(value, 'event.endDate')).toThrow(/^event.endDate must be /)
    },
  )

  test('reads back every time that JavaScript writes', () => {
    const times = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(times, (date) => {
        expect(readTimeMs(date.toISOString(), 'at')).toBe(date.getTime())
      }),
    )
  })
})

describe('readFineTimeMs', () => {
  test.each([
    ['2026-03-03T12:00:07Z', NOON_MS],
    ['2026-03-03T12:00:07.25Z', NOON_MS + 250],
    ['2026-03-03T12:00:07.2501Z', NOON_MS + 250.1],
    ['2026-03-03T12:00:07.250123Z', NOON_MS + 250.123],
    ['2026-03-03 12:00:07.250123999+00', NOON_MS + 250.123],
    ['2026-03-03', Date.UTC(2026, 2, 3)],
  ])('%s', (text, expected) => {
    expect(readFineTimeMs(text, 'at')).toBe(expected)
  })

  test.each(['', 'soon', 'soon.123456', 1_700_000_000, null])('refuses %j', (value) => {
    expect(() => readFineTimeMs(value, 'event.endDate')).toThrow(/^event.endDate must be /)
  })
})

describe('readDecimal', () => {
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
    expect(readDecimal(value, 'price')).toBe(expected)
  })

  test.each(['', '.', '-', '5.', '1e3', '0x1', ' 1', 'NaN', null, 1e300])('refuses %j', (value) => {
    expect(() => readDecimal(value, 'price')).toThrow(ReadError)
  })

  test('writes any number out so that it reads back the same', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.000001, max: 1e15, noNaN: true }), (number) => {
        expect(Number(readDecimal(number, 'size'))).toBe(number)
      }),
    )
  })
})

describe('readAmount', () => {
  test('is a decimal from zero up', () => {
    expect([readAmount('0', 'size'), readAmount(0.5, 'size')]).toEqual(['0', '0.5'])
  })

  test.each(['-0.01', -1])('refuses %j', (value) => {
    expect(() => readAmount(value, 'size')).toThrow('size must be zero or more')
  })
})

describe('readNumber', () => {
  test.each([
    [7.5, 7.5],
    ['-7.5', -7.5],
    [' .5 ', 0.5],
    ['1e-7', 1e-7],
  ])('%j', (value, expected) => {
    expect(readNumber(value, 'volume')).toBe(expected)
  })

  test.each(['', ' ', '0x10', '0b1', '1_000', '1,000', 'Infinity', '1e999', true, null, []])(
    'refuses %j',
    (value) => {
      expect(() => readNumber(value, 'volume')).toThrow(/^volume must be a number/)
    },
  )
})

describe('readId', () => {
  test('takes numbers and strings', () => {
    expect([readId(7, 'id'), readId('7', 'id')]).toEqual(['7', '7'])
  })

  test.each(['', 1.5, null, {}])('refuses %j', (value) => {
    expect(() => readId(value, 'id')).toThrow(ReadError)
  })
})

test('a field of the wrong type is quoted with its path and its value', () => {
  const fields = readFields({ price: { deep: 1 }, size: '12' }, 'body[3]')
  expect(() => fields.required('price', readNumber)).toThrow(
    'body[3].price must be a number, got {"deep":1}',
  )
  expect(() => fields.required('slug', readString)).toThrow(
    'body[3].slug must be a string, got nothing',
  )
  expect(fields.optional('slug', readString)).toBeUndefined()
  expect(fields.required('size', readNumber)).toBe(12)
  expect(() => fields.list('size', readNumber)).toThrow('body[3].size must be an array, got "12"')
  expect(fields.list('tags', readString)).toEqual([])
})

test('JSON in a string is read like JSON', () => {
  expect(readEncoded('"x"', 'at', readString)).toBe('x')
  expect(readEncoded(5, 'at', readNumber)).toBe(5)
  expect(() => readEncoded('[', 'at', readString)).toThrow(ReadError)
})
