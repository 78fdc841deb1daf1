import { isoDate } from '../markets/amounts.js'
import { readList } from '../server/query.js'
import { announcedStartMs } from '../universe/games/game-state.js'
import type { MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { eventFigures, marketLiquidity, marketVolume, marketVolume24hr, volumeSince } from './figures.js'
import type { Gamma } from './gamma.js'
import { eventClosedMs, isEventClosed } from './life.js'
import {
  keysetPage,
  type Order,
  type OrderFields,
  offsetPage,
  orderRows,
  type Row,
  readOrder,
} from './paging.js'
import {
  parseDateParameter,
  parseFlagParameter,
  parseIdsParameter,
  parseIntParameter,
  parseListParameter,
} from './parameters.js'
import { isFeatured, presentEvent } from './present-event.js'
import { invalid, notFound } from './refusal.js'
import {
  dateRules,
  foreignRules,
  listRule,
  meetsAll,
  neverRules,
  type Rule,
  rangeRules,
  tagRules,
  versionRules,
} from './rules.js'

const SLUGS_MAX = 100
const RECURRENCES = ['daily', 'weekly', 'monthly']

/** The events that a query asks for, in no order that matters. */
function selectEvents(gamma: Gamma, query: URLSearchParams): MarketEvent[] {
  const { catalogue } = gamma.universe
  const ids = parseIdsParameter(query, 'id')
  const slugs = parseListParameter(query, 'slug', SLUGS_MAX)
  const rules = [
    ...listRule<MarketEvent>(ids, ({ id }) => id),
    ...listRule<MarketEvent>(slugs, ({ slug }) => slug),
    ...eventRules(gamma, query),
  ]
  if (ids.length > 0) return pick(ids, (id) => catalogue.eventById(id)).filter(meetsAll(rules))
  if (slugs.length > 0) {
    return pick(slugs, (slug) => catalogue.eventBySlug(slug)).filter(meetsAll(rules))
  }
  return catalogue.events().filter(meetsAll(rules))
}

/** Everything that a name stands for, each once. */
export function pick<Item>(names: readonly string[], find: (name: string) => Item | undefined) {
  return [...new Set(names.flatMap((name) => find(name) ?? []))]
}

/** The cheap ones first: figures are only asked of what is left. */
function eventRules(gamma: Gamma, query: URLSearchParams): Rule<MarketEvent>[] {
  const { universe } = gamma
  const closed = parseFlagParameter(query, 'closed') ?? false
  const title = query.get('title_search')?.toLowerCase()
  return [
    ...seriesRules(query),
    ...dateRules<MarketEvent>(query),
    ...rangeRules<MarketEvent>(query, 'start_time', (event) => startOf(universe, event), parseDateParameter),
    ...tagRules(gamma, query),
    ...stateRules(query),
    ...gameRules(universe, query),
    ...versionRules<MarketEvent>(query),
    ...(title ? [(event: MarketEvent) => event.title.toLowerCase().includes(title)] : []),
    (event) => isEventClosed(universe, event) === closed,
    ...rangeRules<MarketEvent>(query, 'volume', (event) => sum(universe, event, marketVolume)),
    ...rangeRules<MarketEvent>(query, 'liquidity', (event) => sum(universe, event, marketLiquidity)),
  ]
}

function seriesRules(query: URLSearchParams): Rule<MarketEvent>[] {
  const recurrence = query.get('recurrence')
  if (recurrence && !RECURRENCES.includes(recurrence)) throw invalid('recurrence is invalid')
  return [
    ...listRule<MarketEvent>(parseIdsParameter(query, 'series_id'), ({ series }) => series?.id ?? ''),
    ...listRule<MarketEvent>(readList(query, 'series_slug'), ({ series }) => series?.slug ?? ''),
    ...listRule<MarketEvent>(recurrence ? [recurrence] : [], ({ series }) => series?.recurrence ?? ''),
  ]
}

function stateRules(query: URLSearchParams): Rule<MarketEvent>[] {
  const featured = parseFlagParameter(query, 'featured')
  return [
    ...(parseFlagParameter(query, 'active') === false ? [() => false] : []),
    ...neverRules<MarketEvent>(query, ['archived', 'cyom']),
    ...foreignRules<MarketEvent>(query, ['event_week', 'parent_event_id']),
    ...(featured === undefined ? [] : [(event: MarketEvent) => isFeatured(event) === featured]),
  ]
}

/** Which game it is, and how it stands. */
function gameRules(universe: Universe, query: URLSearchParams): Rule<MarketEvent>[] {
  const states = (['live', 'ended'] as const).flatMap((key) => {
    const asked = parseFlagParameter(query, key)
    return asked === undefined ? [] : [{ key, asked }]
  })
  return [
    ...listRule<MarketEvent>(parseIdsParameter(query, 'game_id'), ({ game }) => String(game?.id ?? '')),
    ...listRule<MarketEvent>(readList(query, 'event_date'), ({ game }) =>
      game === undefined ? '' : isoDate(announcedStartMs(game, universe.nowMs)),
    ),
    ...states.map(({ key, asked }) => ({ game }: MarketEvent) => {
      return (game !== undefined && universe.gameState(game)[key]) === asked
    }),
  ]
}

/** Windows and games start long after they were put up; everything else starts when it is. */
const startOf = ({ nowMs }: Universe, { window, game, createdMs }: MarketEvent): number =>
  game === undefined ? (window?.startMs ?? createdMs) : announcedStartMs(game, nowMs)

const sum = (
  universe: Universe,
  { markets }: MarketEvent,
  read: (universe: Universe, market: MarketEvent['markets'][number]) => number,
): number => markets.reduce((total, market) => total + read(universe, market), 0)

const volumeOf =
  (days: number): OrderFields<MarketEvent>[string] =>
  (universe, event) =>
    sum(universe, event, (_, market) => volumeSince(universe, market, days))

export const EVENT_ORDER: OrderFields<MarketEvent> = {
  id: (_, { id }) => Number(id),
  slug: (_, { slug }) => slug,
  ticker: (_, { slug }) => slug,
  title: (_, { title }) => title,
  startDate: (_, { createdMs }) => createdMs,
  creationDate: (_, { createdMs }) => createdMs,
  createdAt: (_, { createdMs }) => createdMs,
  startTime: startOf,
  endDate: (_, { endMs }) => endMs,
  closedTime: (universe, event) => (isEventClosed(universe, event) ? eventClosedMs(event) : 0),
  volume: (universe, event) => sum(universe, event, marketVolume),
  volume24hr: (universe, event) => sum(universe, event, marketVolume24hr),
  volume1wk: volumeOf(7),
  volume1mo: volumeOf(30),
  volume1yr: volumeOf(365),
  liquidity: (universe, event) => sum(universe, event, marketLiquidity),
  liquidityClob: (universe, event) => sum(universe, event, marketLiquidity),
  openInterest: (universe, event) => eventFigures(universe, event).openInterest,
  competitive: (universe, event) => eventFigures(universe, event).competitive,
}

const LIMIT_MAX = 500

export function listEvents(gamma: Gamma, query: URLSearchParams): object[] {
  const { universe } = gamma
  const order = readOrder(query, EVENT_ORDER)
  const rows = rowsOf(gamma, query, order)
  return offsetPage(rows, query, LIMIT_MAX).map(({ item }) => presentEvent(universe, item))
}

export function pageEvents(gamma: Gamma, query: URLSearchParams): object {
  const { universe } = gamma
  const order = readOrder(query, EVENT_ORDER)
  const rows = rowsOf(gamma, query, order)
  const { items, cursor } = keysetPage(rows, query, order, LIMIT_MAX)
  const events = items.map((event) => presentEvent(universe, event))
  return cursor === undefined ? { events } : { events, next_cursor: cursor }
}

/** The offset list again, with how many there are. */
export function paginateEvents(gamma: Gamma, query: URLSearchParams): object {
  const rows = rowsOf(gamma, query, readOrder(query, EVENT_ORDER))
  const data = listEvents(gamma, query)
  const end = (parseIntParameter(query, 'offset') ?? 0) + data.length
  return { data, pagination: { hasMore: end < rows.length, totalResults: rows.length } }
}

function rowsOf(gamma: Gamma, query: URLSearchParams, order: Order): readonly Row<MarketEvent>[] {
  const { universe, events } = gamma
  return events.of(query, universe.chain.head.number, () =>
    orderRows(universe, selectEvents(gamma, query), EVENT_ORDER, order),
  )
}

export function requireEvent({ universe }: Gamma, by: 'id' | 'slug', value: string): MarketEvent {
  const { catalogue } = universe
  const event = by === 'id' ? catalogue.eventById(value) : catalogue.eventBySlug(value)
  if (event === undefined) throw notFound(`${by} not found`)
  return event
}
