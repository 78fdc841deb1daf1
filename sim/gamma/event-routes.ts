import type { MarketEvent } from '../universe/market.js'
import { EVENT_ORDER, selectEvents } from './event-list.js'
import type { Gamma } from './gamma.js'
import { type Order, orderRows, type Row, readOrder } from './ordering.js'
import { keysetPage, offsetPage } from './paging.js'
import { presentEvent } from './present-event.js'
import { notFound } from './refusal.js'

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
