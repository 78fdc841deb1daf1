import type { Sql } from '../../store/connection.js'
import { isOfSnapshot } from '../stats/queries.js'

/** An event without its markets. Amounts are decimal text. */
export type EventSummary = {
  id: number
  slug: string
  title: string
  image: string | null
  active: boolean
  closed: boolean
  negRisk: boolean
  volume: string
  liquidity: string
  startSec: number | null
  endSec: number | null
  /** Of trades in a day, millionths. */
  dayVolume: bigint
}

/** These events, in the order of the ids; those that have no slug or title are left out. Indexes: primary keys. */
export async function selectEventSummaries(sql: Sql, ids: readonly number[]): Promise<EventSummary[]> {
  const rows = await sql<EventSummary[]>`
    select e.id, e.slug, e.title, e.image, e.active, e.closed, e.neg_risk,
           coalesce(e.volume, 0)::text as volume, coalesce(e.liquidity, 0)::text as liquidity,
           floor(extract(epoch from e.start_at))::float8 as start_sec,
           floor(extract(epoch from e.end_at))::float8 as end_sec,
           coalesce((select volume from event_stats
                      where event = e.id and ${isOfSnapshot(sql, '1d')}), 0)::bigint as day_volume
      from events e
     where e.id = any(${[...ids]}::int[]) and e.slug is not null and e.title is not null`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The first markets of each event, by id. Index: markets_event. */
export function selectMarketIdsOfEvents(sql: Sql, events: readonly number[], marketsMax: number) {
  return sql<{ id: number; event: number }[]>`
    select m.id, given.event
      from unnest(${[...events]}::int[]) with ordinality as given (event, place)
     cross join lateral (
       select id from markets where markets.event = given.event order by id limit ${marketsMax}
     ) m
     order by given.place, m.id`
}

/** How many events are compared: those of most volume in a day. */
const RELATED_EVENTS_MAX = 500

/**
 * How many markets the other open events with the same first tag have, of the events that are traded most. Indexes:
 * event_stats_volume, event_tags_pkey.
 */
export async function countSimilarMarkets(sql: Sql, event: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with top as materialized (
      select event from event_stats where ${isOfSnapshot(sql, '1d')}
       order by volume desc, event desc limit ${RELATED_EVENTS_MAX}
    )
    select coalesce(sum(e.market_count), 0)::integer as count
      from top
      join events e on e.id = top.event and not e.closed
     where top.event <> ${event}
       and exists (select from event_tags own
                     join event_tags other on other.tag = own.tag
                    where own.event = ${event} and own.place = 0
                      and other.event = top.event and other.place = 0)`
  return row?.count ?? 0
}
