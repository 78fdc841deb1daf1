import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HISTORY_INTERVALS, readHistorySpan } from './history-span.js'

const DAY_SEC = 86_400
const nowMs = Date.UTC(2026, 10, 15, 12)
const nowSec = nowMs / 1000
const listedMs = nowMs - 2 * DAY_SEC * 1000
const times = { listedMs, nowMs }

const dayOf = (sec: number) => new Date(sec * 1000).toISOString().slice(0, 10)

test.each([
  ['nothing', {}, { interval: 'max', fidelityMinutes: 2 }],
  ['an interval', { interval: '1d' as const }, { interval: '1d', fidelityMinutes: 1 }],
  ['a fidelity', { fidelity: 60 }, { interval: 'max', fidelityMinutes: 60 }],
  [
    'a start',
    { start_ts: String(nowSec - 60) },
    { startSec: nowSec - 60, endSec: nowSec, fidelityMinutes: 1 },
  ],
  [
    'a start before the listing and an end in the future',
    { start_ts: '0', end_ts: String(nowSec + 10) },
    { startSec: listedMs / 1000, endSec: nowSec, fidelityMinutes: 2 },
  ],
  [
    'days, the last one whole',
    { start_ts: '2026-11-14', end_ts: '2026-11-14' },
    {
      startSec: Date.UTC(2026, 10, 14) / 1000,
      endSec: Date.UTC(2026, 10, 15) / 1000 - 1,
      fidelityMinutes: 1,
    },
  ],
])('of %s', (_what, query, span) => {
  expect(readHistorySpan(query, times)?.span).toEqual(span)
})

test('points of a long interval are as coarse as the exchange needs them', () => {
  const old = { listedMs: nowMs - 40 * DAY_SEC * 1000, nowMs }
  expect(readHistorySpan({}, old)?.span).toEqual({ interval: 'max', fidelityMinutes: 720 })
  const month = { interval: '1m', fidelityMinutes: 30 }
  expect(readHistorySpan({ interval: '1m' }, old)?.span).toEqual(month)
})

test('only intervals without a fidelity are usual', () => {
  for (const interval of HISTORY_INTERVALS) {
    expect(readHistorySpan({ interval }, times)?.isUsual).toBe(true)
    expect(readHistorySpan({ interval, fidelity: 60 }, times)?.isUsual).toBe(false)
  }
  expect(readHistorySpan({ start_ts: String(nowSec - 60) }, times)?.isUsual).toBe(false)
})

test.each([
  ['before the listing', { end_ts: '100' }],
  ['in the future', { start_ts: String(nowSec + 1) }],
])('no price lies %s', (_where, query) => {
  expect(readHistorySpan(query, times)).toBeUndefined()
})

describe('400', () => {
  test.each([
    ['milliseconds', { start_ts: '1793000000000' }, /^Invalid start_ts: give Unix seconds/],
    ['milliseconds at the end', { end_ts: '1793000000000' }, /^Invalid end_ts: give Unix sec/],
    ['a start after the end', { start_ts: '20', end_ts: '10' }, /^Invalid start_ts: it is after/],
    ['a day that is none', { start_ts: '2026-02-30' }, /^Invalid start_ts: there is no day/],
    ['a month that is none', { end_ts: '2026-13-01' }, /^Invalid end_ts: there is no day/],
    ['an interval and a start', { interval: '1d' as const, start_ts: '0' }, /^Give either/],
    ['an interval and an end', { interval: 'max' as const, end_ts: '0' }, /^Give either/],
  ])('%s', (_what, query, message) => {
    expect(() => readHistorySpan(query, times)).toThrow(message)
  })

  test('points that are too close, with those that are not', () => {
    const old = { listedMs: nowMs - 28 * DAY_SEC * 1000, nowMs }
    const fault = expect(() => readHistorySpan({ fidelity: 4 }, old))
    fault.toThrow('Invalid fidelity: over this time it is at least 5 minutes.')
    expect(readHistorySpan({ fidelity: 5 }, old)?.span).toMatchObject({ fidelityMinutes: 5 })
  })
})

test('a span lies within what was asked and what is there, with a bounded number of points', () => {
  const sec = fc.integer({ min: 0, max: nowSec * 2 })
  fc.assert(
    fc.property(sec, sec, sec, fc.boolean(), (a, b, listedSec, isDays) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)]
      const text = (at: number) => (isDays ? dayOf(at) : String(at))
      const query = { start_ts: text(start), end_ts: text(end) }
      const found = readHistorySpan(query, { listedMs: listedSec * 1000, nowMs })?.span
      const lastSec = isDays ? end + DAY_SEC : end
      if (found === undefined) {
        expect(start > nowSec - DAY_SEC || listedSec > Math.min(end, nowSec)).toBe(true)
        return
      }
      if ('interval' in found) throw new Error('a span was asked for')
      const { startSec, endSec, fidelityMinutes = 0 } = found
      expect(startSec).toBeLessThanOrEqual(endSec)
      expect(startSec).toBeGreaterThanOrEqual(isDays ? start - DAY_SEC : start)
      expect(startSec).toBeGreaterThanOrEqual(listedSec)
      expect(endSec).toBeLessThanOrEqual(Math.min(lastSec, nowSec))
      expect((endSec - startSec) / 60 / fidelityMinutes).toBeLessThanOrEqual(1_440)
    }),
  )
})
