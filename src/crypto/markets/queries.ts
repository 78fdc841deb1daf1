import type { Sql } from '../../store/connection.js'
import { COIN_WORDS } from './coins.js'

/** Times are ISO texts: the driver's dates would lose their microseconds. */
const isoTime = (sql: Sql, column: string) => sql`
  to_char(${sql(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const isOpen = (sql: Sql) => sql`
  not e.closed and e.active and not e.archived and e.gone_at is null`

type EventHead = {
  id: number
  title: string | null
  active: boolean
  startAt: string | null
  endAt: string | null
}

export type WindowRow = EventHead & { slug: string; closed: boolean }

/** Events with these slugs, by id; those that are not there are absent. Index: events_slug. */
export function selectWindows(sql: Sql, slugs: readonly string[]): Promise<WindowRow[]> {
  return sql<WindowRow[]>`
    select e.id, e.slug, e.title, e.active, e.closed,
           ${isoTime(sql, 'e.start_at')} as start_at, ${isoTime(sql, 'e.end_at')} as end_at
      from events e
     where e.slug = any(${[...slugs]}::text[]) and e.gone_at is null
     order by e.id`
}

export type EventRow = EventHead & {
  slug: string | null
  volume: number | null
  volume24h: number | null
  liquidity: number | null
  openInterest: number | null
  seriesSlug: string | null
}

const ABOUT_A_COIN = `\\m(${COIN_WORDS.join('|')})\\M`

/**
 * Open crypto events about one of the coins, the most traded of the day first; of up-or-down windows
 * only those that are running. It starts from the open events (index: events_open) and then checks
 * the tag of each, because nearly all events of a tag are closed.
 */
export function selectOpenEvents(sql: Sql, nowMs: number, limit: number): Promise<EventRow[]> {
  const now = new Date(nowMs)
  return sql<EventRow[]>`
    select e.id, e.slug, e.title, e.active,
           ${isoTime(sql, 'e.start_at')} as start_at, ${isoTime(sql, 'e.end_at')} as end_at,
           e.volume::float8, e.volume_24h::float8, e.liquidity::float8, e.open_interest::float8,
           s.slug as series_slug
      from events e
     cross join lateral (
       select from event_tags et
        where et.event = e.id and et.tag = any(array(select id from tags where slug = 'crypto'))
        limit 1
     ) tagged
     cross join lateral (
       select max(m.starts_at) as opens_at from markets m where m.event = e.id
     ) its
      left join series s on s.id = e.series
     where ${isOpen(sql)}
       and (e.title ~* ${ABOUT_A_COIN} or e.slug ~* ${ABOUT_A_COIN})
       and (its.opens_at is null or (its.opens_at <= ${now} and e.end_at > ${now}))
     order by e.volume_24h desc nulls last, e.id
     limit ${limit}`
}

export type MarketRow = {
  id: number
  event: number
  question: string | null
  condition: string | null
  outcomes: string[]
  outcomePrices: (string | null)[] | null
  tokens: string[]
  volume: number | null
  liquidity: number | null
  active: boolean
  closed: boolean
  groupTitle: string | null
}

/** All markets of these events, by id; bytes are hex digits. Index: markets_event. */
export function selectMarkets(sql: Sql, events: readonly number[]): Promise<MarketRow[]> {
  return sql<MarketRow[]>`
    select m.id, m.event, m.question, encode(m.condition, 'hex') as condition, m.outcomes,
           m.outcome_prices, array(select encode(token, 'hex') from unnest(m.tokens) token) as tokens,
           m.volume::float8, m.liquidity::float8, m.active, m.closed, m.group_title
      from markets m
     where m.event = any(${[...events]}::int[])
     order by m.id`
}

export type SeriesRow = {
  id: number
  slug: string
  title: string | null
  recurrence: string | null
  active: boolean
  openEvents: number | null
}

const OF_A_COIN = `^(${COIN_WORDS.join('|')})-`

/**
 * Series of the coins that are not closed, by slug, with how many of their events are open; null
 * until all open events have been read once. Index: events_open.
 */
export function selectSeries(sql: Sql, limit: number): Promise<SeriesRow[]> {
  return sql<SeriesRow[]>`
    select s.id, s.slug, s.title, s.recurrence, s.active,
           case when c.phase <> 'open' then coalesce(open.events, 0) end as open_events
      from series s
     cross join catalogue_state c
      left join (
        select e.series, count(*)::int as events from events e where ${isOpen(sql)} group by e.series
      ) open on open.series = s.id
     where not s.closed and s.slug ~ ${OF_A_COIN}
     order by s.slug, s.id
     limit ${limit}`
}
