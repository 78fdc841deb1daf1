import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../core/errors.js'
import { cacheMsOf, parseWindow, WINDOW_INTERVALS, type WindowQuery } from './window.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const NOW_SEC = NOW_MS / 1000
const LENGTHS = { '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400 }

const interval = fc.constantFrom(...WINDOW_INTERVALS)

function read(query: Partial<WindowQuery>, nowMs = NOW_MS): unknown {
  try {
    return parseWindow({ symbol: 'BTC', window: NOW_SEC - 14_400, ...query }, nowMs)
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, ...error.fields, error }
    throw error
  }
}

describe('a window', () => {
  test('is every multiple of its length that has begun, and no other time is one', () => {
    fc.assert(
      fc.property(interval, fc.integer({ min: 1_577_836_800, max: NOW_SEC }), (name, startSec) => {
        const lengthSec = LENGTHS[name]
        const found = read({ window: startSec, interval: name })
        if (startSec % lengthSec === 0) {
          const endSec = startSec + lengthSec
          expect(found).toEqual({ symbol: 'BTC', interval: name, startSec, endSec })
        } else expect(found).toMatchObject({ status: 400 })
      }),
    )
  })

  test('off the grid is answered with the two beside it, which are windows', () => {
    fc.assert(
      fc.property(interval, fc.integer({ min: 1_577_851_200, max: NOW_SEC - 14_400 }), (name, at) => {
        const lengthSec = LENGTHS[name]
        fc.pre(at % lengthSec !== 0)
        const { error } = read({ window: at, interval: name }) as { error: ApiError }
        expect(error.message).toContain(`multiples of ${lengthSec} seconds`)
        const [before = 0, after = 0] = (error.message.match(/\d{10}/g) ?? []).map(Number)
        expect(after - before).toBe(lengthSec)
        expect(before < at && at < after).toBe(true)
        expect(read({ window: before, interval: name })).not.toHaveProperty('status')
      }),
    )
  })

  test('may begin now, and not a millisecond later', () => {
    expect(read({ window: NOW_SEC })).toMatchObject({ startSec: NOW_SEC })
    expect(read({ window: NOW_SEC }, NOW_MS - 1)).toMatchObject({ status: 400 })
  })

  test('before 2020 is not known', () => {
    const firstSec = Date.UTC(2020, 0) / 1000
    expect(read({ window: firstSec })).toMatchObject({ startSec: firstSec })
    for (const window of [0, firstSec - 300]) expect(read({ window })).toMatchObject({ status: 404 })
  })
})

describe('an answer about a window', () => {
  const startSec = NOW_SEC - 3_600
  const cacheMs = (sinceStartMs: number) =>
    cacheMsOf({ symbol: 'BTC', window: startSec, interval: '15m' }, startSec * 1000 + sinceStartMs)

  test.each([
    ['at the start', 0, 1_000],
    ['ten seconds after the start, all but one millisecond', 9_999, 1_000],
    ['ten seconds after the start', 10_000, 10_000],
    ['just before the end', 899_999, 10_000],
    ['at the end', 900_000, 1_000],
    ['ten seconds after the end, all but one millisecond', 909_999, 1_000],
    ['ten seconds after the end', 910_000, 10_000],
    ['long after', 99_000_000, 10_000],
  ])('%s is served for a while', (_when, sinceStartMs, expected) => {
    expect(cacheMs(sinceStartMs)).toBe(expected)
  })

  test('without an interval is one about five minutes', () => {
    const query = { symbol: 'BTC', window: startSec } as const
    expect(cacheMsOf(query, (startSec + 300) * 1000)).toBe(1_000)
    expect(cacheMsOf(query, (startSec + 900) * 1000)).toBe(10_000)
  })
})
