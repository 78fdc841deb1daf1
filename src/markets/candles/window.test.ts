import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../core/errors.js'
import { bucketCount, CANDLE_RESOLUTIONS, type Resolution, resolveWindow } from './window.js'

const NOW = 1_793_000_123
const HOUR = 3_600
const BUCKET = Math.floor(NOW / HOUR) * HOUR

const boundsOf = (request: object) => {
  const { firstSec, lastSec, direction } = resolveWindow({ resolution: '1h', ...request }, NOW)
  return [(firstSec - BUCKET) / HOUR, (lastSec - BUCKET) / HOUR, direction]
}

describe('the window of a request, in hours from the running one', () => {
  test.each([
    ['nothing: 120 buckets up to the running one', {}, [-119, 0, 'before']],
    ['limit', { limit: 3 }, [-2, 0, 'before']],
    ['a limit below 1', { limit: 0 }, [0, 0, 'before']],
    ['a limit above the maximum', { limit: 5_000 }, [-299, 0, 'before']],
    ['anchor_ts', { limit: 2, anchor_ts: BUCKET - 1 }, [-2, -1, 'before']],
    ['anchor_ts at a boundary', { limit: 2, anchor_ts: BUCKET }, [-1, 0, 'before']],
    ['after an anchor', { limit: 2, direction: 'after', anchor_ts: NOW }, [0, 1, 'after']],
    ['start', { limit: 3, start: BUCKET - HOUR }, [-1, 1, 'after']],
    ['start_time', { limit: 3, start_time: BUCKET - HOUR }, [-1, 1, 'after']],
    ['after', { limit: 3, after: BUCKET - HOUR }, [-1, 1, 'after']],
    ['end', { limit: 3, end: BUCKET - 1 }, [-3, -1, 'before']],
    ['end_time', { limit: 3, end_time: BUCKET - 1 }, [-3, -1, 'before']],
    ['before', { limit: 3, before: BUCKET - 1 }, [-3, -1, 'before']],
    ['start and end', { start: NOW - 200 * HOUR, end: NOW }, [-200, 0, 'before']],
    ['one second', { start: NOW, end: NOW }, [0, 0, 'before']],
    [
      'start and end over limit: the newest',
      { start: NOW - 9 * HOUR, end: NOW, limit: 2 },
      [-1, 0, 'before'],
    ],
    [
      'start and end over limit: the oldest',
      { start: NOW - 9 * HOUR, end: NOW, limit: 2, direction: 'after' },
      [-9, -8, 'after'],
    ],
  ])('%s', (_what, request, bounds) => {
    expect(boundsOf(request)).toEqual(bounds)
  })
})

test('a window does not begin before 1970', () => {
  expect(resolveWindow({ resolution: '1d', anchor_ts: 86_400 }, NOW)).toMatchObject({
    firstSec: 0,
    lastSec: 86_400,
  })
})

test.each([
  ['after without an anchor', { direction: 'after' as const }, 'anchor_ts'],
  ['two names of the start', { start: 1, after: 1 }, 'after'],
  ['two names of the end', { end: 1, end_time: 1 }, 'end_time'],
  ['an anchor beside a bound', { start: 1, anchor_ts: 1 }, 'anchor_ts'],
  ['a direction that does not fit', { start: 1, direction: 'before' as const }, 'direction'],
  ['a direction that does not fit', { end: 1, direction: 'after' as const }, 'direction'],
  ['a range that ends before it begins', { start: 2, end: 1 }, 'start'],
  ['a range over the maximum', { start: 0, end: 300 * HOUR }, 'maximum of 300'],
])('400: %s', (_what, request, named) => {
  const resolve = () => resolveWindow({ resolution: '1h', ...request }, NOW)
  expect(resolve).toThrow(ApiError)
  expect(resolve).toThrow(named)
})

test('windows beside each other share no bucket and leave none out', () => {
  const requests = fc.record({
    resolution: fc.constantFrom(...(Object.keys(CANDLE_RESOLUTIONS) as Resolution[])),
    limit: fc.integer({ min: -1, max: 600 }),
    anchor_ts: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
  })
  fc.assert(
    fc.property(requests, (request) => {
      const window = resolveWindow(request, NOW)
      const { firstSec, lastSec, seconds, limit, limitMax } = window
      expect(firstSec % seconds).toBe(0)
      expect(bucketCount(window)).toBe(limit)
      expect(limit).toBeLessThanOrEqual(limitMax)
      expect(request.anchor_ts).toBeGreaterThanOrEqual(lastSec)
      expect(request.anchor_ts).toBeLessThan(lastSec + seconds)

      const { resolution } = request
      const older = resolveWindow({ resolution, limit: request.limit, end: firstSec - 1 }, NOW)
      expect(older.lastSec).toBe(firstSec - seconds)
      const newer = resolveWindow({ resolution, limit: request.limit, start: lastSec + seconds }, NOW)
      expect(newer.firstSec).toBe(lastSec + seconds)
    }),
  )
})
