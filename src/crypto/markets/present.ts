import { toTokenId } from '../../core/ids.js'
import { groupBy } from '../../lib/group-by.js'
import type { EventRow, MarketRow, SeriesRow, WindowRow } from './queries.js'

/** One entry for each slug that has an event, in the order of the slugs. */
export function presentActive(
  windowStart: number,
  slugs: readonly string[],
  events: readonly WindowRow[],
  markets: readonly MarketRow[],
) {
  const bySlug = new Map(events.map((event) => [event.slug, event]))
  const byEvent = groupBy(markets, ({ event }) => event)
  const entries = slugs.flatMap((slug) => {
    const event = bySlug.get(slug)
    return event === undefined ? [] : presentWindow(event, byEvent.get(event.id) ?? [])
  })
  return { markets: entries, count: entries.length, windowStart }
}

const presentWindow = (event: WindowRow, markets: readonly MarketRow[]) => ({
  id: String(event.id),
  slug: event.slug,
  title: event.title ?? '',
  active: event.active,
  closed: event.closed,
  startDate: presentTime(event.startAt),
  endDate: presentTime(event.endAt),
  markets: markets.map((market) => ({
    question: market.question ?? '',
    conditionId: presentWord(market.condition),
    outcomes: presentAsJson(market.outcomes),
    outcomePrices: presentPrices(market),
    tokenId: presentUpToken(market),
    active: market.active,
    closed: market.closed,
  })),
})

export function presentEvents(events: readonly EventRow[], markets: readonly MarketRow[]) {
  const byEvent = groupBy(markets, ({ event }) => event)
  return { events: events.map((event) => presentEvent(event, byEvent.get(event.id) ?? [])) }
}

const presentEvent = (event: EventRow, markets: readonly MarketRow[]) => ({
  id: String(event.id),
  slug: event.slug ?? '',
  title: event.title ?? '',
  startDate: presentTime(event.startAt),
  endDate: presentTime(event.endAt),
  active: event.active,
  volume: event.volume ?? 0,
  volume24hr: event.volume24h ?? 0,
  liquidity: event.liquidity ?? 0,
  openInterest: event.openInterest ?? 0,
  seriesSlug: event.seriesSlug ?? '',
  markets: markets.map((market) => ({
    id: String(market.id),
    question: market.question ?? '',
    conditionId: presentWord(market.condition),
    outcomes: market.outcomes,
    outcomePrices: presentPrices(market),
    volume: market.volume ?? 0,
    liquidity: market.liquidity ?? 0,
    active: market.active,
    closed: market.closed,
    groupItemTitle: market.groupTitle ?? '',
  })),
})

export const presentSeries = (rows: readonly SeriesRow[]) => ({
  series: rows.map(({ id, slug, title, recurrence, active, openEvents }) => ({
    id: String(id),
    slug,
    title: title ?? '',
    recurrence: presentRecurrence(slug, recurrence),
    active,
    eventCount: openEvents,
  })),
  count: rows.length,
})

const INTERVAL = /-(5m|15m|hourly|4h|daily|weekly|monthly)$/

/** From the slug where it has one, because Gamma calls a four-hour series daily. */
export function presentRecurrence(slug: string, stated: string | null): string {
  const interval = INTERVAL.exec(slug)?.[1] ?? stated ?? ''
  return interval === 'hourly' ? '1h' : interval
}

/** As Gamma writes it: with as many digits after the second as it takes, up to microseconds. */
export const presentTime = (time: string | null): string => time?.replace(/\.?0*Z$/, 'Z') ?? ''

/** A list in a text as Gamma writes it: with a blank after each comma. */
const presentAsJson = (items: readonly string[]): string =>
  `[${items.map((item) => JSON.stringify(item)).join(', ')}]`

const presentPrices = ({ outcomePrices }: MarketRow): number[] =>
  outcomePrices?.map((price) => Number(price ?? 0)) ?? []

const presentWord = (digits: string | null): string => (digits === null ? '' : `0x${digits}`)

/** The token of the outcome called Up, else the first one. */
function presentUpToken({ outcomes, tokens }: MarketRow): string {
  const digits = tokens[Math.max(0, outcomes.indexOf('Up'))]
  return digits === undefined ? '' : toTokenId(`0x${digits}`)
}
