import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newYorkNoonMs, newYorkTime } from './new-york.js'

const HOUR_MS = 3_600_000

/** What the time zone database says. */
const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
})

function known(atMs: number) {
  const parts = Object.fromEntries(clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const { year, month = 0, day, hour, minute } = parts
  return { year, month: month - 1, day, hour, minute }
}

const moment = fc.date({
  min: new Date('2024-01-01T00:00:00Z'),
  max: new Date('2031-01-01T00:00:00Z'),
  noInvalidDate: true,
})

describe('the clocks of New York', () => {
  test('show what the time zone database says', () => {
    fc.assert(
      fc.property(moment, (date) => {
        expect(newYorkTime(+date)).toEqual(known(+date))
      }),
    )
  })

  test.each([
    ['2026-03-08T06:59:59Z', 1],
    ['2026-03-08T07:00:00Z', 3],
    ['2026-11-01T05:59:59Z', 1],
    ['2026-11-01T06:00:00Z', 1],
    ['2027-03-14T07:00:00Z', 3],
    ['2027-11-07T06:00:00Z', 1],
  ])('at %s it is %i o’clock', (time, hour) => {
    expect(newYorkTime(Date.parse(time)).hour).toBe(hour)
    expect(known(Date.parse(time)).hour).toBe(hour)
  })
})

describe('the last noon', () => {
  test('is noon there, and less than a day of 25 hours ago', () => {
    fc.assert(
      fc.property(moment, (date) => {
        const noonMs = newYorkNoonMs(+date)
        expect(known(noonMs)).toMatchObject({ hour: 12, minute: 0 })
        expect(noonMs).toBeLessThanOrEqual(+date)
        expect(+date - noonMs).toBeLessThan(25 * HOUR_MS)
      }),
    )
  })

  test.each([
    ['2026-03-07T17:00:00Z', 23],
    ['2026-03-08T16:00:00Z', 24],
    ['2026-10-31T16:00:00Z', 25],
    ['2026-11-01T17:00:00Z', 24],
  ])('the one after %s comes %i hours later', (time, hours) => {
    const noonMs = Date.parse(time)
    expect(newYorkNoonMs(noonMs)).toBe(noonMs)
    expect(newYorkNoonMs(noonMs + hours * HOUR_MS - 1)).toBe(noonMs)
    expect(newYorkNoonMs(noonMs + hours * HOUR_MS)).toBe(noonMs + hours * HOUR_MS)
  })
})
