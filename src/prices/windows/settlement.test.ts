import { expect, test } from 'vitest'
import { kindsAt, lookbackSecOf, WINDOW_INTERVALS } from './window.js'

const MEAN_60 = ['twap60', 'spot']
const MEAN_30 = ['twap30', 'spot']
const SPOT = ['spot']
const EXCHANGE = ['binance', 'spot']

test.each([
  ['2020-01-01T00:00:00Z', [SPOT, SPOT, EXCHANGE, SPOT]],
  ['2026-08-06T23:59:59Z', [SPOT, SPOT, EXCHANGE, SPOT]],
  ['2026-08-07T00:00:00Z', [MEAN_30, MEAN_60, EXCHANGE, MEAN_60]],
  ['2026-08-13T23:55:00Z', [MEAN_30, MEAN_60, EXCHANGE, MEAN_60]],
  ['2026-08-14T00:00:00Z', [MEAN_60, MEAN_60, EXCHANGE, MEAN_60]],
  ['2030-01-01T00:00:00Z', [MEAN_60, MEAN_60, EXCHANGE, MEAN_60]],
])('at %s windows of 5m, 15m, 1h and 4h settle on %j', (time, expected) => {
  const kinds = WINDOW_INTERVALS.map((interval) => kindsAt(interval, Date.parse(time) / 1000))
  expect(kinds).toEqual(expected)
})

test('the mean that counts is requested from the site', () => {
  expect(lookbackSecOf(['twap60', 'spot'])).toBe(60)
  expect(lookbackSecOf(['twap30', 'spot'])).toBe(30)
  expect(lookbackSecOf(['spot'])).toBeUndefined()
  expect(lookbackSecOf(['binance', 'spot'])).toBeUndefined()
})
