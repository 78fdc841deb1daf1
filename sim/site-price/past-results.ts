import { toUsd } from '../prices/amounts.js'
import { readFlag, readInt, readList } from '../server/query.js'
import type { Coin, Interval, MarketEvent, Window } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { PUBLISH_DELAY_MS } from './crypto-price.js'
import { BadQuery, readCoin, readInterval, readTimeMs } from './query.js'

const COUNT = 5
const COUNT_MAX = 50

type Result = {
  startTime: string
  endTime: string
  openPrice: number
  closePrice: number | null
  outcome: 'up' | 'down'
  percentChange: number
}

type Past = { slug: string; window: Window }

/** How the windows before the one on the page went, oldest first; or just who won, by slug. */
export function pastResults(universe: Universe, query: URLSearchParams): object {
  if (readFlag(query, 'outcomesOnly') === true) {
    const past = readList(query, 'pastEventSlugs').flatMap((slug) =>
      toPast(universe.catalogue.eventBySlug(slug)),
    )
    const ended = past.filter(({ window }) => window.endMs <= universe.nowMs)
    return answer([], outcomesBySlug(universe, ended))
  }
  const past = selectPast(universe, query)
  const results = past.map(({ window }) => showResult(universe, window))
  const wantsSlugs = readFlag(query, 'includeOutcomesBySlug') === true
  return answer(results, wantsSlugs ? outcomesBySlug(universe, past) : {})
}

const answer = (results: Result[], outcomes: object) => ({
  status: 'success',
  data: { results, outcomesBySlug: outcomes },
})

function selectPast(universe: Universe, query: URLSearchParams): Past[] {
  const coin = readCoin(query)
  const interval = readInterval(query) ?? '5m'
  const count = readInt(query, 'count') ?? COUNT
  if (!(count > 0)) throw new BadQuery('Invalid count')
  const beforeMs = readTimeMs(query, 'currentEventStartTime') ?? universe.nowMs
  const untilMs = Math.min(beforeMs, universe.nowMs)
  return windowsOf(universe, coin, interval)
    .filter(({ window }) => window.endMs <= untilMs)
    .sort((a, b) => a.window.startMs - b.window.startMs)
    .slice(-Math.min(count, COUNT_MAX))
}

const windowsOf = (universe: Universe, coin: Coin, interval: Interval): Past[] =>
  universe.catalogue
    .events()
    .flatMap(toPast)
    .filter(({ window }) => window.coin === coin && window.interval === interval)

const toPast = (event: MarketEvent | undefined): Past[] =>
  event?.window === undefined ? [] : [{ slug: event.slug, window: event.window }]

const outcomesBySlug = (universe: Universe, past: Past[]) =>
  Object.fromEntries(past.map(({ slug, window }) => [slug, showResult(universe, window).outcome]))

/** For the first seconds after the end the outcome is that of the last price, and may still change. */
function showResult({ prices, nowMs }: Universe, window: Window): Result {
  const isKnown = nowMs >= window.endMs + PUBLISH_DELAY_MS
  const openE8 = prices.openE8(window)
  const lastE8 = isKnown ? prices.closeE8(window) : prices.spot(window.coin, window.endMs / 1000).priceE8
  return {
    startTime: new Date(window.startMs).toISOString(),
    endTime: new Date(window.endMs).toISOString(),
    openPrice: toUsd(openE8),
    closePrice: isKnown ? toUsd(lastE8) : null,
    outcome: lastE8 >= openE8 ? 'up' : 'down',
    percentChange: (100 * (lastE8 - openE8)) / openE8,
  }
}
