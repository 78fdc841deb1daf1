import { readList } from '../server/query.js'
import type { MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { EVENT_ORDER } from './events.js'
import type { Gamma } from './gamma.js'
import { eventClosedMs, isEventClosed } from './life.js'
import { orderRows } from './paging.js'
import { parseFlagParameter, parseIdsParameter, parseIntParameter } from './parameters.js'
import { presentEvent } from './present-event.js'
import { presentProfile } from './profiles.js'
import { invalid } from './refusal.js'

const HOUR_MS = 3_600_000
const LIMIT_DEFAULT = 10
const LIMIT_MAX = 50
/** By what results can be sorted, and the field of events that it means. */
const SORTS: ReadonlyMap<string, string> = new Map([
  ['volume', 'volume'],
  ['volume_24hr', 'volume24hr'],
  ['liquidity', 'liquidity'],
  ['competitive', 'competitive'],
  ['closed_time', 'closedTime'],
  ['start_date', 'startDate'],
  ['end_date', 'endDate'],
])

/** Events, tags and people whose names contain every word of `q`. */
export function search(gamma: Gamma, query: URLSearchParams): object {
  const { universe } = gamma
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) throw invalid('q is required')
  const contains = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const page = readPage(query)

  const events = searchEvents(universe, query, contains)
  const tags = parseFlagParameter(query, 'search_tags') === false ? [] : searchTags(gamma, contains)
  const profiles =
    parseFlagParameter(query, 'search_profiles') === false ? [] : searchProfiles(universe, contains)
  const shown = page.of(events).map((event) => presentEvent(universe, event))
  return {
    events: orNull(shown),
    tags: orNull(page.of(tags)),
    profiles: orNull(page.of(profiles).map(presentProfile)),
    pagination: {
      hasMore: [events, tags, profiles].some((found) => found.length > page.end),
      totalResults: events.length + tags.length + profiles.length,
    },
  }
}

function readPage(query: URLSearchParams) {
  const limit = Math.min(parseIntParameter(query, 'limit_per_type') ?? LIMIT_DEFAULT, LIMIT_MAX)
  const start = (Math.max(1, parseIntParameter(query, 'page') ?? 1) - 1) * limit
  const end = start + limit
  return { end, of: <Item>(found: readonly Item[]) => found.slice(start, end) }
}

/** Lists without entries are null in search results. */
const orNull = <Item>(items: Item[]): Item[] | null => (items.length === 0 ? null : items)

function searchEvents(
  universe: Universe,
  query: URLSearchParams,
  contains: (text: string) => boolean,
): MarketEvent[] {
  const status = query.get('events_status') || 'all'
  const tags = readList(query, 'events_tag')
  const keptHours = parseIntParameter(query, 'keep_closed_markets') ?? 0
  const recurrence = query.get('recurrence')
  const unwanted = parseIdsParameter(query, 'exclude_tag_id')
  const found = universe.catalogue
    .events()
    .filter(
      (event) =>
        contains(namesOf(event)) &&
        (!recurrence || event.series?.recurrence === recurrence) &&
        (tags.length === 0 || event.tags.some(({ slug, id }) => tags.includes(slug) || tags.includes(id))) &&
        !event.tags.some(({ id }) => unwanted.includes(id)) &&
        (status === 'all' ||
          isEventClosed(universe, event) === (status === 'closed') ||
          isKept(universe, event, keptHours)),
    )
  const field = SORTS.get(query.get('sort') || 'volume')
  if (field === undefined) throw invalid('sort is invalid')
  const ascending = parseFlagParameter(query, 'ascending') ?? false
  const rows = orderRows(universe, found, EVENT_ORDER, { names: [field], ascending })
  return rows.map(({ item }) => item)
}

/** A game is also found by the cities of its sides and by its league. */
const namesOf = ({ title, game }: MarketEvent): string =>
  game === undefined
    ? title
    : `${title} ${game.home.alias} ${game.away.alias} ${game.league.code} ${game.league.name}`

/** Closed within the last hours. */
const isKept = (universe: Universe, event: MarketEvent, hours: number): boolean =>
  hours > 0 && isEventClosed(universe, event) && eventClosedMs(event) > universe.nowMs - hours * HOUR_MS

function searchTags({ universe, relations }: Gamma, contains: (text: string) => boolean): object[] {
  const tags = universe.catalogue.tags.filter(({ label }) => contains(label))
  if (tags.length === 0) return []
  const counts = relations.countEvents('active')
  return tags.map(({ id, label, slug }) => ({ id, label, slug, event_count: counts.get(id) ?? 0 }))
}

function searchProfiles({ wallets, nowMs }: Universe, contains: (text: string) => boolean): Wallet[] {
  return wallets.filter(
    ({ createdMs, name, pseudonym, address }) =>
      createdMs <= nowMs && (contains(name) || contains(pseudonym) || contains(address)),
  )
}
