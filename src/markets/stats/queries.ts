import type { Page } from '../../core/page.js'
import { hexToBytes } from '../../lib/hex.js'
import { isReverted, isUnreverted, type SnapshotState } from '../../lookups/snapshot.js'
import { isOneOfTags, type TagFilter } from '../../lookups/tag-filter.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { isAfterKey, type OrderColumn, orderedBy } from '../../store/keyset.js'
import { hex } from '../../store/sql-words.js'
import type { StatsPeriod } from './period.js'
import { conditionTokens, eventTokens, requestedConditions, statsColumns, statsOf, sumsOf } from './sums.js'

export const STATS_SORTS = ['volume', 'trades', 'traders', 'fees'] as const
export type StatsSort = (typeof STATS_SORTS)[number]

/** Which markets, and which of their trades. */
export type StatsScope = {
  period: StatsPeriod
  startHour: number
  /** Unix seconds: every trade up to then counts. */
  asOfSec: number
  /** Hex text. Of these alone, computed now. `undefined`: all markets, from the snapshot. */
  conditions: readonly string[] | undefined
  tagged: readonly TagFilter[]
  sort: StatsSort
}

export type EventStatsScope = StatsScope & {
  /** Of these alone, computed now. `undefined`: all events, from the snapshot. */
  events: readonly number[] | undefined
}

/** Sums over the fills of taking orders. Amounts are millionths. */
export type StatsSums = {
  /** The number that the list is sorted by. */
  rank: string
  trades: number
  traders: number
  volume: bigint
  shares: bigint
  buyVolume: bigint
  fees: bigint
  /** Unix seconds. */
  firstSec: number
  lastSec: number
  isGone: boolean
}

const SORT_TYPES: Record<StatsSort, OrderColumn['type']> = {
  volume: 'bigint',
  trades: 'integer',
  traders: 'integer',
  fees: 'bigint',
}

/** The larger first; among equals, by subject. */
const orderOf = (sort: StatsSort, type: 'bytea' | 'integer', alias: string): OrderColumn[] => [
  { column: `${alias}.${sort}`, type: SORT_TYPES[sort] },
  { column: `${alias}.subject`, type },
]

// Markets.

export type MarketStatsRow = StatsSums & {
  /** Hex text. */
  condition: string
  question: string | null
  slug: string | null
  eventSlug: string | null
  category: string | null
}

/**
 * Markets with a trade, the largest first. Indexes: market_stats_<sort>; markets_condition for each
 * row of the page.
 */
export function selectMarketStats(
  sql: Sql,
  scope: StatsScope,
  { after, offset, limit }: Page,
): Promise<MarketStatsRow[]> {
  const { sort } = scope
  return sql<MarketStatsRow[]>`
    with page as materialized (
      select s.*
        from (${marketSource(sql, scope)}) s
       where ${isTagged(sql, scope, marketTags(sql))}
         and ${isAfterKey(sql, orderOf(sort, 'bytea', 's'), after, false)}
       ${orderedBy(sql, orderOf(sort, 'bytea', 's'), false)}
      offset ${offset} limit ${limit}
    )
    select p.${sql(sort)}::text as rank, p.trades, p.traders, p.volume, p.shares, p.buy_volume, p.fees,
           ${hex(sql, 'p.subject')} as condition,
           first_block.time as first_sec, last_block.time as last_sec,
           m.question, m.slug, e.slug as event_slug, ${categoryOf(sql, sql`m.event`)} as category,
           ${isGone(sql)}
      from page p
      left join blocks first_block on first_block.number = p.first_seq >> 20
      left join blocks last_block on last_block.number = p.last_seq >> 20
      left join lateral (
        select m.question, m.slug, m.event
          from markets m where m.condition = p.subject order by m.id limit 1
      ) m on true
      left join events e on e.id = m.event
     ${orderedBy(sql, orderOf(sort, 'bytea', 'p'), false)}`
}

const isGone = (sql: Sql): Fragment => sql`first_block.number is null or last_block.number is null as is_gone`

/** The rows of the snapshot that count no reverted trade. */
export const isOfSnapshot = (sql: Sql, period: StatsPeriod): Fragment =>
  sql`period = ${period} and ${isUnreverted(sql, sql`last_seq`, stateOf(period))}`

export const stateOf =
  (period: StatsPeriod): SnapshotState =>
  (sql) =>
    sql`select block, rewind from stats_snapshots where period = ${period}`

const marketSource = (sql: Sql, { period, startHour, conditions }: StatsScope): Fragment =>
  conditions === undefined
    ? sql`select condition as subject, ${statsColumns(sql)} from market_stats
           where ${isOfSnapshot(sql, period)}`
    : statsOf(sql, conditionTokens(sql, requestedConditions(sql, conditions)), startHour)

/** The label of the first tag. Index: event_tags_pkey. */
const categoryOf = (sql: Sql, event: Fragment): Fragment => sql`
  (select t.label from event_tags et join tags t on t.id = et.tag
    where et.event = ${event} order by et.place limit 1)`

export const marketTags = (sql: Sql): Fragment =>
  sql`markets m join event_tags et on et.event = m.event where m.condition = s.subject`

const eventTags = (sql: Sql): Fragment => sql`event_tags et where et.event = s.subject`

/** Whether the tags that `s` has are wanted. */
export function isTagged(sql: Sql, { tagged }: Pick<StatsScope, 'tagged'>, source: Fragment): Fragment {
  const conditions = tagged.map(
    (filter) => sql`exists (select from ${source} and ${isOneOfTags(sql, filter)})`,
  )
  return joinFragments(sql, [sql`true`, ...conditions], sql`and`)
}

/** A token of a market on a page. Bytes are hex text. */
export type StatsToken = { id: number; token: string; condition: string; outcome: string | null }

/** The tokens of markets, by outcome. Indexes as for the tokens of conditions. */
export function selectStatsTokens(sql: Sql, conditions: readonly string[]): Promise<StatsToken[]> {
  const requested = requestedConditions(sql, conditions)
  return sql<StatsToken[]>`
    select t.id, ${hex(sql, 't.token')} as token,
           ${hex(sql, 'ct.subject')} as condition, m.outcomes[mt.outcome + 1] as outcome
      from (${conditionTokens(sql, requested)}) ct
      join tokens t on t.id = ct.token
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
     where t.outcome is not null or mt.outcome is not null
     order by ct.subject, coalesce(mt.outcome, t.outcome), t.id`
}

// Events.

export type EventStatsRow = StatsSums & {
  event: number
  slug: string | null
  title: string | null
  category: string | null
  marketCount: number
}

/** Events with a trade, the largest first. Indexes: event_stats_<sort>; markets_event. */
export function selectEventStats(
  sql: Sql,
  scope: EventStatsScope,
  { after, offset, limit }: Page,
): Promise<EventStatsRow[]> {
  const { sort } = scope
  return sql<EventStatsRow[]>`
    with page as materialized (
      select s.*
        from (${eventSource(sql, scope)}) s
       where ${isTagged(sql, scope, eventTags(sql))}
         and ${isAfterKey(sql, orderOf(sort, 'integer', 's'), after, false)}
       ${orderedBy(sql, orderOf(sort, 'integer', 's'), false)}
      offset ${offset} limit ${limit}
    )
    select p.${sql(sort)}::text as rank, p.trades, p.traders, p.volume, p.shares, p.buy_volume, p.fees,
           p.subject as event, first_block.time as first_sec, last_block.time as last_sec,
           e.slug, e.title, ${categoryOf(sql, sql`p.subject`)} as category,
           (select count(*)::integer from markets m where m.event = p.subject) as market_count,
           ${isGone(sql)}
      from page p
      left join blocks first_block on first_block.number = p.first_seq >> 20
      left join blocks last_block on last_block.number = p.last_seq >> 20
      left join events e on e.id = p.subject
     ${orderedBy(sql, orderOf(sort, 'integer', 'p'), false)}`
}

const eventSource = (sql: Sql, { period, startHour, events }: EventStatsScope): Fragment =>
  events === undefined
    ? sql`select event as subject, ${statsColumns(sql)} from event_stats
           where ${isOfSnapshot(sql, period)}`
    : statsOf(sql, eventTokens(sql, events), startHour)

// Totals.

export type StatsTotals = {
  markets: number
  resolvedMarkets: number
  volume: bigint
  trades: bigint
}

/**
 * Sums over all markets of a scope, whatever the page. Of the whole snapshot they are stored, and void while it counts
 * reverted trades.
 */
export async function selectStatsTotals(sql: Sql, scope: StatsScope): Promise<StatsTotals> {
  const { period, startHour, conditions, tagged } = scope
  const isWhole = conditions === undefined && tagged.length === 0
  const source =
    conditions === undefined
      ? sql`select condition as subject, volume, trades from market_stats
             where ${isOfSnapshot(sql, period)}`
      : sumsOf(sql, conditionTokens(sql, requestedConditions(sql, conditions)), startHour)
  const [stored] = isWhole
    ? await sql<StatsTotals[]>`
        select markets, resolved_markets, volume, trades from stats_snapshots
         where period = ${period} and not ${isReverted(sql, sql`block`, sql`rewind`)}`
    : []
  if (stored !== undefined) return stored
  const [row] = await sql<StatsTotals[]>`
    with counted as materialized (
      select s.subject, s.volume, s.trades from (${source}) s
       where ${isTagged(sql, scope, marketTags(sql))}
    )
    ${sumTotals(sql)}`
  return row ?? { markets: 0, resolvedMarkets: 0, volume: 0n, trades: 0n }
}

/** Sums over `counted`, the rows of a `with`. Indexes: conditions_condition_key, resolutions_condition. */
export const sumTotals = (sql: Sql): Fragment => sql`
  select (select count(*)::integer from counted) as markets,
         (select count(*)::integer from counted
           where exists (
             select from conditions c join resolutions r on r.condition = c.id
              where c.condition = counted.subject)) as resolved_markets,
         (select coalesce(sum(volume), 0)::bigint from counted) as volume,
         (select coalesce(sum(trades), 0)::bigint from counted) as trades`

// What requests name.

type StatsFilter = {
  condition_id?: string | undefined
  market_slug?: string | undefined
  event_slug?: string | undefined
}

/**
 * The conditions that filters leave, at most `limit`, as hex text. `undefined`: there is no filter. Indexes:
 * markets_slug, markets_event, events_slug.
 */
export async function selectConditions(
  sql: Sql,
  filter: StatsFilter,
  limit: number,
): Promise<string[] | undefined> {
  const { condition_id: condition, market_slug: slug, event_slug: eventSlug } = filter
  const sets: Fragment[] = []
  const ofMarkets = (isWanted: Fragment) =>
    sql`(select m.condition from markets m where m.condition is not null and ${isWanted})`
  if (condition !== undefined) sets.push(sql`(select ${hexToBytes(condition)}::bytea as condition)`)
  if (slug !== undefined) sets.push(ofMarkets(sql`m.slug = ${slug}`))
  if (eventSlug !== undefined) {
    sets.push(ofMarkets(sql`m.event in (select id from events where slug = ${eventSlug})`))
  }
  if (sets.length === 0) return undefined
  const rows = await sql<{ condition: string }[]>`
    select ${hex(sql, 'condition')} as condition
      from (${joinFragments(sql, sets, sql`intersect`)}) named
     limit ${limit}`
  return rows.map((row) => row.condition)
}

/** The events that have one of the markets. Index: markets_condition. */
export async function selectEventsOf(sql: Sql, conditions: readonly string[]): Promise<number[]> {
  const rows = await sql<{ event: number }[]>`
    select distinct m.event from markets m
     where m.event is not null and m.condition in (${requestedConditions(sql, conditions)})`
  return rows.map(({ event }) => event)
}

/** All markets of events, at most `limit`. Index: markets_event. */
export async function selectEventConditions(
  sql: Sql,
  events: readonly number[],
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ condition: string }[]>`
    select distinct ${hex(sql, 'm.condition')} as condition from markets m
     where m.event = any(${[...events]}::integer[]) and m.condition is not null
     limit ${limit}`
  return rows.map(({ condition }) => condition)
}

/** Unix seconds of the snapshot of a period; `undefined`: it has not been made yet. */
export async function selectAsOf(sql: Sql, period: StatsPeriod): Promise<number | undefined> {
  const [row] = await sql<{ asOf: number }[]>`
    select as_of from stats_snapshots where period = ${period}`
  return row?.asOf
}
