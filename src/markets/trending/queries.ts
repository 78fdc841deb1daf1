import type { Fragment, Sql } from '../../store/connection.js'
import { isOfSnapshot } from '../stats/queries.js'

/** How many events and markets are ranked: those of most volume in a day. */
const TOP_EVENTS_MAX = 200
export const TOP_MARKETS_MAX = 500

const topEvents = (sql: Sql): Fragment => sql`
  select event, volume from event_stats where ${isOfSnapshot(sql, '1d')}
   order by volume desc, event desc limit ${TOP_EVENTS_MAX}`

/** Open events, those of most volume in a day first. Index: event_stats_volume. */
export async function selectTopEventIds(sql: Sql, limit: number): Promise<number[]> {
  const rows = await sql<{ event: number }[]>`
    with top as materialized (${topEvents(sql)})
    select top.event
      from top join events e on e.id = top.event
     where e.active and not e.closed and e.slug is not null and e.title is not null
     order by top.volume desc, top.event desc limit ${limit}`
  return rows.map(({ event }) => event)
}

/** A tag and what the events that have it were traded for in a day, in millionths. */
export type HotTag = { slug: string; title: string; volume: bigint }

/** The tags of the events of most volume in a day. Indexes: event_stats_volume, event_tags_pkey. */
export const selectHotTags = (sql: Sql, limit: number) => sql<HotTag[]>`
  with top as materialized (${topEvents(sql)})
  select t.slug, coalesce(t.label, t.slug) as title, sum(top.volume)::bigint as volume
    from top
    join event_tags et on et.event = top.event
    join tags t on t.id = et.tag
   where t.slug is not null
   group by t.id
   order by volume desc, t.id limit ${limit}`

/** A market and by how much the price of its first outcome moved, in millionths. */
export type Mover = { id: number; change: bigint; dayVolume: bigint }

/**
 * Open markets of two outcomes whose price moved since that hour, or since their first trade where that is later, the
 * largest move first, among those of most volume in a day. A price is that of a trade of either outcome. Windows and
 * games are left out: they all move to an end within hours. Indexes: market_stats_volume, markets_condition,
 * tokens_token_key, hour_candles_pkey.
 */
export const selectMovers = (sql: Sql, startHour: number, limit: number) => sql<Mover[]>`
  with top as materialized (
    select condition, volume from market_stats where ${isOfSnapshot(sql, '1d')}
     order by volume desc, condition desc limit ${TOP_MARKETS_MAX}
  ), moved as materialized (
    select m.id, top.volume,
           ${lastPrice(sql, sql`true`)} - coalesce(${lastPrice(sql, sql`c.hour < ${startHour}`)}, ${firstPrice(sql)})
             as change
      from top
     cross join lateral (
       select id, tokens from markets
        where condition = top.condition and active and not closed and starts_at is null
          and cardinality(tokens) = 2 and slug is not null and question is not null
        order by id limit 1
     ) m
  )
  select id, change, volume as day_volume from moved where change <> 0 order by abs(change) desc, id limit ${limit}`

/** Of the first outcome of `m`, by the newest candle of either. */
const lastPrice = (sql: Sql, isInTime: Fragment): Fragment => sql`
  (select case given.place when 1 then last.close else 1000000 - last.close end
     from unnest(m.tokens) with ordinality as given (token, place)
     join tokens t on t.token = given.token
    cross join lateral (
      select c.close, c.last_seq from hour_candles c
       where c.token = t.id and c.shares > 0 and ${isInTime}
       order by c.hour desc limit 1
    ) last
    order by last.last_seq desc limit 1)`

/** The same by the oldest candle. */
const firstPrice = (sql: Sql): Fragment => sql`
  (select case given.place when 1 then first.open else 1000000 - first.open end
     from unnest(m.tokens) with ordinality as given (token, place)
     join tokens t on t.token = given.token
    cross join lateral (
      select c.open, c.first_seq from hour_candles c
       where c.token = t.id and c.shares > 0
       order by c.hour limit 1
    ) first
    order by first.first_seq limit 1)`
