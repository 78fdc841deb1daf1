import { round } from '../markets/amounts.js'
import { readList } from '../server/query.js'
import type { MarketEvent, Series } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { marketLiquidity, marketVolume, marketVolume24hr } from './figures.js'
import { isEventClosed } from './life.js'
import { compareKeys, offsetPage } from './paging.js'
import { parseFlagParameter } from './parameters.js'
import { presentFullSeries, presentSeriesEvent } from './present-series.js'
import { invalid, notFound } from './refusal.js'

const LIMIT_MAX = 50
const ORDERS: ReadonlyMap<string, (a: Series, b: Series) => number> = new Map([
  ['id', (a, b) => Number(a.id) - Number(b.id)],
  ['slug', (a, b) => compareKeys([a.slug], [b.slug])],
  ['title', (a, b) => compareKeys([a.title], [b.title])],
])

export function listSeries(universe: Universe, query: URLSearchParams): object[] {
  const slugs = readList(query, 'slug')
  const recurrence = query.get('recurrence')
  const series = universe.catalogue.series.filter(
    (one) =>
      (slugs.length === 0 || slugs.includes(one.slug)) &&
      (!recurrence || one.recurrence === recurrence) &&
      parseFlagParameter(query, 'closed') !== true,
  )
  const page = offsetPage(sortSeries(series, query), query, LIMIT_MAX)
  return presentAll(universe, page, parseFlagParameter(query, 'exclude_events') === true)
}

export function showSeries(universe: Universe, query: URLSearchParams, id: string): object {
  const series = universe.catalogue.series.find((one) => one.id === id)
  if (series === undefined) throw notFound('series not found')
  const [shown] = presentAll(universe, [series], parseFlagParameter(query, 'exclude_events') === true)
  return shown ?? {}
}

function sortSeries(series: readonly Series[], query: URLSearchParams): Series[] {
  const order = ORDERS.get(query.get('order') || 'id')
  if (order === undefined) throw invalid('order fields are not valid')
  const sign = (parseFlagParameter(query, 'ascending') ?? true) ? 1 : -1
  return series.toSorted((a, b) => sign * order(a, b))
}

/** One scan of the open events serves all series of a page. */
function presentAll(universe: Universe, page: readonly Series[], excludeEvents: boolean): object[] {
  const groups = new Map<Series, MarketEvent[]>(page.map((series) => [series, []]))
  for (const event of universe.catalogue.events()) {
    const group = event.series === undefined ? undefined : groups.get(event.series)
    if (group !== undefined && !isEventClosed(universe, event)) group.push(event)
  }
  return [...groups].map(([series, events]) => ({
    ...presentFullSeries(series, sumUp(universe, events)),
    ...(excludeEvents ? {} : { events: events.map((event) => presentSeriesEvent(universe, event)) }),
  }))
}

/** Figures of what is open now, as the site shows them. */
function sumUp(universe: Universe, events: readonly MarketEvent[]) {
  const markets = events.flatMap((event) => event.markets)
  const sum = (read: typeof marketVolume) =>
    round(markets.reduce((total, market) => total + read(universe, market), 0))
  return {
    volume: sum(marketVolume),
    volume24hr: sum(marketVolume24hr),
    liquidity: sum(marketLiquidity),
  }
}
