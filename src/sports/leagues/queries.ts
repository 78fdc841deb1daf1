import type { Sql } from '../../store/connection.js'

/**
 * A league and where its games are: in a series or, without one, under a tag; that of its code when
 * `tag` is null too.
 */
export type LeagueScope = { league: string; series: number | null; tag: number | null }

/** What our copy of the catalogue has of a league. */
export type LeagueActivity = {
  league: string
  activeEvents: number
  marketCount: number
  volume24h: number
  isUpcoming: boolean
  /** Days with games, `2026-11-15`, the first one first. */
  dates: string[]
  /** Events of games that may be under way, and whether Gamma said so when the catalogue read them last. */
  playing: { game: string; slug: string | null; live: boolean }[]
}

const DAY_MS = 86_400_000
/** Events that ended long ago and were never closed are not counted. */
const OVERDUE_MS = 2 * DAY_MS
/** No game takes longer, the days of a cricket match apart, which Gamma says are live. */
const GAME_MS_MAX = DAY_MS / 2
const SOON_MS = DAY_MS

/**
 * What goes on in these leagues; those without open events are absent. A game and its companions are
 * one event. Indexes: events_open, events_series, event_tags_tag, markets_event.
 */
export const selectLeagueActivity = (
  sql: Sql,
  scopes: readonly LeagueScope[],
  nowMs: number,
): Promise<LeagueActivity[]> => sql<LeagueActivity[]>`
  with wanted as (
    select * from unnest(
      ${scopes.map(({ league }) => league)}::text[],
      ${scopes.map(({ series }) => series)}::int[],
      ${scopes.map(({ tag }) => tag)}::int[]
    ) as w (league, series, tag)
  ), placed as (
    select w.league, e.id from wanted w join events e on e.series = w.series where not e.closed
     union
    select w.league, e.id
      from wanted w
      join tags g on g.id = w.tag or (w.tag is null and g.slug = lower(w.league))
      join event_tags t on t.tag = g.id
      join events e on e.id = t.event
     where w.series is null and not e.closed
  ), open_events as (
    select p.league, coalesce(e.game_id, e.id::text) as game, e.slug, e.starts_at, e.volume_24h,
           coalesce(e.live, false) as live,
           coalesce(e.event_date, (e.starts_at at time zone 'UTC')::date) as day,
           (select count(*) from markets m where m.event = e.id and m.active and not m.closed) as markets
      from placed p join events e on e.id = p.id
     where not e.closed and e.active and not e.archived and e.gone_at is null and e.ended is not true
       -- Seasons and other futures are no games.
       and (e.game_id is not null or exists (
         select from markets m
          where m.event = e.id and (m.sports_type is not null or m.starts_at is not null)))
       and coalesce(greatest(e.starts_at, e.end_at), 'infinity') >= ${new Date(nowMs - OVERDUE_MS)}
  )
  select league, count(distinct game)::int as active_events, sum(markets)::int as market_count,
         coalesce(sum(volume_24h), 0)::float8 as volume_24h,
         coalesce(bool_or(starts_at > ${new Date(nowMs)} and starts_at <= ${new Date(nowMs + SOON_MS)}), false)
           as is_upcoming,
         coalesce(array_agg(distinct to_char(day, 'YYYY-MM-DD')) filter (where day is not null), '{}') as dates,
         coalesce(json_agg(json_build_object('game', game, 'slug', slug, 'live', live)) filter (
           where live or starts_at between ${new Date(nowMs - GAME_MS_MAX)} and ${new Date(nowMs)}), '[]') as playing
    from open_events
   group by league
   order by league`
