import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presentRecurrence, presentTime } from './present.js'

describe('presentRecurrence', () => {
  test.each([
    ['btc-up-or-down-5m', '5m', '5m'],
    ['xrp-up-or-down-15m', 'daily', '15m'],
    ['solana-up-or-down-hourly', 'daily', '1h'],
    ['hype-up-or-down-4h', 'daily', '4h'],
    ['dogecoin-up-or-down-daily', null, 'daily'],
    ['ethereum-neg-risk-weekly', 'monthly', 'weekly'],
    ['bitcoin-hit-price-monthly', null, 'monthly'],
    ['bitcoin-every-now-and-then', 'annual', 'annual'],
    ['bitcoin-in-the-hour', 'hourly', '1h'],
    ['bitcoin-weekly-events', null, ''],
  ])('%s, stated as %s, is %s', (slug, stated, expected) => {
    expect(presentRecurrence(slug, stated)).toBe(expected)
  })
})

describe('presentTime', () => {
  test.each([
    ['2026-11-01T05:20:27.791222Z', '2026-11-01T05:20:27.791222Z'],
    ['2026-11-01T05:20:27.500000Z', '2026-11-01T05:20:27.5Z'],
    ['2026-11-01T05:20:00.000010Z', '2026-11-01T05:20:00.00001Z'],
    ['2026-11-01T05:20:00.000000Z', '2026-11-01T05:20:00Z'],
    [null, ''],
  ])('%s becomes %j', (time, expected) => {
    expect(presentTime(time)).toBe(expected)
  })

  test('never changes the time', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0) }), (date) => {
        const text = presentTime(date.toISOString().replace('Z', '000Z'))
        expect(new Date(text)).toEqual(date)
      }),
    )
  })
})
