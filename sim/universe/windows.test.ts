import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COINS, coinFacts } from './coins.js'
import type { Coin, Interval } from './market.js'
import {
  INTERVALS,
  windowAt,
  windowOrdinal,
  windowSeries,
  windowSlug,
  windowSource,
  windowTitle,
} from './windows.js'

const HOUR_MS = 3_600_000
const coin = fc.constantFrom(...COINS.map((facts) => facts.coin))
const interval = fc.constantFrom(...INTERVALS.map((facts) => facts.interval))
const moment = fc.date({
  min: new Date('2026-04-20T00:00:00Z'),
  max: new Date('2028-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const at = (of: Coin, length: Interval, time: string) => windowAt(of, length, Date.parse(time))

describe('a window', () => {
  test('contains its moment, and the next begins where it ends', () => {
    fc.assert(
      fc.property(coin, interval, moment, (of, length, date) => {
        const window = windowAt(of, length, +date)
        expect(window.startMs).toBeLessThanOrEqual(+date)
        expect(window.endMs).toBeGreaterThan(+date)
        expect(windowAt(of, length, window.endMs).startMs).toBe(window.endMs)
        expect(windowAt(of, length, window.endMs - 1)).toEqual(window)
      }),
    )
  })

  test('of a day has 23 hours in March once, and 25 in November', () => {
    const hours = (time: string) => {
      const { startMs, endMs } = at('btc', '1d', time)
      return (endMs - startMs) / HOUR_MS
    }
    expect(hours('2026-03-08T00:00:00Z')).toBe(23)
    expect(hours('2026-03-09T00:00:00Z')).toBe(24)
    expect(hours('2026-11-01T00:00:00Z')).toBe(25)
    expect(hours('2026-11-02T00:00:00Z')).toBe(24)
  })

  test('has a number of its own', () => {
    const numbers = new Set<number>()
    let windows = 0
    for (const facts of COINS) {
      for (const { interval: length } of INTERVALS) {
        const endMs = Date.parse('2026-11-05T00:00:00Z')
        for (let atMs = Date.parse('2026-10-30T00:00:00Z'); atMs < endMs; windows++) {
          const window = windowAt(facts.coin, length, atMs)
          numbers.add(windowOrdinal(window))
          atMs = window.endMs
        }
      }
    }
    expect(numbers.size).toBe(windows)
  })
})

describe('slugs and titles', () => {
  test.each([
    ['eth', '5m', '2026-10-03T04:00:00Z', 'eth-updown-5m-1791000000'],
    ['btc', '15m', '2026-10-03T04:14:59Z', 'btc-updown-15m-1791000000'],
    ['hype', '4h', '2026-10-03T04:00:00Z', 'hype-updown-4h-1791000000'],
    ['btc', '1h', '2026-03-03T14:10:00Z', 'bitcoin-up-or-down-march-3-2026-9am-et'],
    ['doge', '1h', '2026-07-21T16:00:00Z', 'dogecoin-up-or-down-july-21-2026-12pm-et'],
    ['sol', '1h', '2026-07-21T04:00:00Z', 'solana-up-or-down-july-21-2026-12am-et'],
    ['xrp', '1h', '2027-01-01T04:30:00Z', 'xrp-up-or-down-december-31-2026-11pm-et'],
    ['hype', '1d', '2026-07-20T16:00:00Z', 'hyperliquid-up-or-down-on-july-21-2026'],
    ['bnb', '1d', '2026-12-31T17:00:00Z', 'bnb-up-or-down-on-january-1-2027'],
  ] as const)('%s %s at %s is %s', (of, length, time, slug) => {
    expect(windowSlug(at(of, length, time))).toBe(slug)
  })

  test.each([
    ['btc', '5m', '2026-07-22T01:15:00Z', 'Bitcoin Up or Down - July 21, 9:15PM-9:20PM ET'],
    ['eth', '5m', '2026-10-03T04:00:00Z', 'Ethereum Up or Down - October 3, 12:00AM-12:05AM ET'],
    ['sol', '15m', '2026-07-21T15:45:00Z', 'Solana Up or Down - July 21, 11:45AM-12:00PM ET'],
    ['hype', '4h', '2026-07-21T16:00:00Z', 'Hyperliquid Up or Down - July 21, 12:00PM-4:00PM ET'],
    ['btc', '1h', '2026-07-21T13:00:00Z', 'Bitcoin Up or Down - July 21, 9AM ET'],
    ['xrp', '1h', '2026-07-21T04:00:00Z', 'XRP Up or Down - July 21, 12AM ET'],
    ['doge', '1d', '2026-07-20T18:00:00Z', 'Dogecoin Up or Down on July 21?'],
  ] as const)('%s %s at %s is "%s"', (of, length, time, title) => {
    expect(windowTitle(at(of, length, time))).toBe(title)
  })

  test('the hour that comes twice in November has two of each', () => {
    const first = at('btc', '1h', '2026-11-01T05:00:00Z')
    expect(windowSlug(first)).toBe('bitcoin-up-or-down-november-1-2026-1am-et')
    const second = at('btc', '1h', '2026-11-01T06:00:00Z')
    expect(windowSlug(second)).toBe('bitcoin-up-or-down-november-1-2026-1am-est')
    expect(windowTitle(second)).toBe('Bitcoin Up or Down - November 1, 1AM EST')
  })

  test('each names the source that settles it', () => {
    expect(windowSource(at('btc', '5m', '2026-07-21T13:00:00Z'))).toBe(
      'https://data.chain.link/streams/btc-usd-twap-60s-streams',
    )
    expect(windowSource(at('btc', '1d', '2026-07-21T13:00:00Z'))).toContain('binance.com')
  })
})

test.each([
  ['btc', '5m', '10684', 'btc-up-or-down-5m', '5m'],
  ['btc', '15m', '10192', 'btc-up-or-down-15m', '15m'],
  ['eth', '1h', undefined, 'eth-up-or-down-hourly', 'hourly'],
  ['sol', '1h', undefined, 'solana-up-or-down-hourly', 'hourly'],
  ['sol', '5m', undefined, 'sol-up-or-down-5m', '5m'],
  ['sol', '1d', undefined, 'solana-up-or-down-daily', 'daily'],
  ['doge', '1d', undefined, 'dogecoin-up-or-down-daily', 'daily'],
  ['doge', '1h', undefined, 'doge-up-or-down-hourly', 'daily'],
  ['xrp', '4h', undefined, 'xrp-up-or-down-4h', 'daily'],
  ['bnb', '5m', undefined, 'bnb-up-or-down-5m', 'daily'],
] as const)('the series of %s %s', (of, length, id, slug, recurrence) => {
  const series = windowSeries(coinFacts(of), length, [], 0)
  expect(series).toMatchObject({ slug, recurrence })
  if (id !== undefined) expect(series.id).toBe(id)
})
