import { COINS, type CoinFacts, coinFacts } from './coins.js'
import type { Interval, Series, Tag, Window } from './market.js'
import { newYorkNoonMs, newYorkTime } from './new-york.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type IntervalFacts = {
  interval: Interval
  /** Undefined for the daily one, whose length changes with the clocks of New York. */
  lengthMs: number | undefined
  popularity: number
}

export const INTERVALS: readonly IntervalFacts[] = [
  { interval: '5m', lengthMs: 300_000, popularity: 50 },
  { interval: '15m', lengthMs: 900_000, popularity: 25 },
  { interval: '1h', lengthMs: 3_600_000, popularity: 15 },
  { interval: '4h', lengthMs: 14_400_000, popularity: 5 },
  { interval: '1d', lengthMs: undefined, popularity: 5 },
]

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
export const monthName = (month: number): string => MONTHS[month] ?? ''

/** The window that contains that moment. */
export function windowAt(coin: Window['coin'], interval: Interval, atMs: number): Window {
  const lengthMs = INTERVALS.find((entry) => entry.interval === interval)?.lengthMs
  if (lengthMs !== undefined) {
    const startMs = Math.floor(atMs / lengthMs) * lengthMs
    return { coin, interval, startMs, endMs: startMs + lengthMs }
  }
  const startMs = newYorkNoonMs(atMs)
  // A day later and a few hours: past the next noon whichever way the clocks are changed.
  return { coin, interval, startMs, endMs: newYorkNoonMs(startMs + DAY_MS + 2 * HOUR_MS) }
}

export function windowSlug({ coin, interval, startMs, endMs }: Window): string {
  const { longSlug } = coinFacts(coin)
  if (interval === '1d') {
    const { year, month, day } = newYorkTime(endMs)
    return `${longSlug}-up-or-down-on-${monthName(month).toLowerCase()}-${day}-${year}`
  }
  if (interval === '1h') {
    const { year, month, day, hour } = newYorkTime(startMs)
    const date = `${monthName(month).toLowerCase()}-${day}-${year}`
    const clock = `${showHour(hour)}-${zoneOf(startMs)}`.toLowerCase()
    return `${longSlug}-up-or-down-${date}-${clock}`
  }
  return `${coin}-updown-${interval}-${startMs / 1000}`
}

export function windowTitle({ coin, interval, startMs, endMs }: Window): string {
  const { name } = coinFacts(coin)
  if (interval === '1d') {
    const { month, day } = newYorkTime(endMs)
    return `${name} Up or Down on ${monthName(month)} ${day}?`
  }
  const { month, day, hour } = newYorkTime(startMs)
  const time = interval === '1h' ? showHour(hour) : `${showTime(startMs)}-${showTime(endMs)}`
  return `${name} Up or Down - ${monthName(month)} ${day}, ${time} ${zoneOf(startMs)}`
}

function showTime(atMs: number): string {
  const { hour, minute } = newYorkTime(atMs)
  return showHour(hour, `:${String(minute).padStart(2, '0')}`)
}

const showHour = (hour: number, minutes = ''): string =>
  `${hour % 12 === 0 ? 12 : hour % 12}${minutes}${hour < 12 ? 'AM' : 'PM'}`

/** One hour in November comes twice; the second one says so, or the two would be the same question. */
function zoneOf(startMs: number): string {
  return newYorkTime(startMs).hour === newYorkTime(startMs - HOUR_MS).hour ? 'EST' : 'ET'
}

/** A number of its own for every window of every coin since 2026, from which the ids are made. */
export function windowOrdinal({ coin, interval, startMs }: Window): number {
  const slot = Math.floor((startMs - Date.UTC(2026, 0, 1)) / 300_000)
  const coinIndex = coinFacts(coin).index
  const intervalIndex = INTERVALS.findIndex((entry) => entry.interval === interval)
  return (slot * COINS.length + coinIndex) * INTERVALS.length + intervalIndex
}

/** By the candles of an exchange; the other windows are decided by the oracle's mean. */
export const settlesOnExchange = (interval: Interval): boolean => interval === '1h' || interval === '1d'

export function windowSource({ coin, interval }: Window): string {
  return settlesOnExchange(interval)
    ? `https://www.binance.com/en/trade/${coin.toUpperCase()}_USDT`
    : `https://data.chain.link/streams/${coin}-usd-twap-60s-streams`
}

const SERIES_WORDS: Record<Interval, string> = {
  '5m': '5m',
  '15m': '15m',
  '1h': 'hourly',
  '4h': '4h',
  '1d': 'daily',
}

/** The series of a coin and interval. Solana and Dogecoin go by their long names where the site does so. */
export function windowSeries(
  facts: CoinFacts,
  interval: Interval,
  tags: readonly Tag[],
  createdMs: number,
): Series {
  const word = SERIES_WORDS[interval]
  const long =
    (facts.coin === 'sol' && (interval === '1h' || interval === '1d')) ||
    (facts.coin === 'doge' && interval === '1d')
  const title = `${facts.symbol} Up or Down ${word[0]?.toUpperCase()}${word.slice(1)}`
  return {
    id: seriesId(facts, interval),
    slug: `${long ? facts.longSlug : facts.coin}-up-or-down-${word}`,
    title,
    recurrence: recurrenceOf(facts, interval),
    tags,
    createdMs,
  }
}

/** Shown as daily for four-hour series and for the coins that came late. */
function recurrenceOf({ coin }: CoinFacts, interval: Interval): string {
  if (interval === '4h' || coin === 'bnb' || coin === 'doge' || coin === 'hype') return 'daily'
  return SERIES_WORDS[interval]
}

function seriesId({ coin, index }: CoinFacts, interval: Interval): string {
  if (coin === 'btc' && interval === '5m') return '10684'
  if (coin === 'btc' && interval === '15m') return '10192'
  const intervalIndex = INTERVALS.findIndex((entry) => entry.interval === interval)
  return String(10_700 + intervalIndex * 10 + index)
}
