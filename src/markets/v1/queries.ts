import { selectTokenPrices } from '../../catalogue/token-prices.js'
import { pricePerShare, toDecimal } from '../../core/money.js'
import type { Page } from '../../core/page.js'
import type { TagFilter } from '../../lookups/tag-filter.js'
import type { Fragment, Sql } from '../../store/connection.js'
import { blockTime, hex, selectBytes } from '../../store/sql-words.js'
import { type ListedMarket, selectMarketsOfConditions } from '../queries.js'
import { isOfSnapshot, isTagged, marketTags } from '../stats/queries.js'
import { conditionTokens, requestedConditions } from '../stats/sums.js'

/** A market of the catalogue, or what the chain has of one that the catalogue lacks. */
export type MarketFacts = Omit<ListedMarket, 'id'>

/** The trades of a market in a day. */
export type DayTrades = {
  /** Hex text. */
  condition: string
  trades: number
  volume: bigint
  /** Unix seconds of the last trade, whenever that was; null: there was none. */
  lastSec: number | null
}

/** `prices`: dollars for a share, by outcome; null: there is none. */
export type TradedMarket = MarketFacts & { prices: (number | null)[]; day: DayTrades | undefined }

// Which markets.

export const TRADED_SORTS = ['volume', 'price', 'updated'] as const
export type TradedSort = (typeof TRADED_SORTS)[number]

export type TradedScope = {
  tagged: readonly TagFilter[]
  /** Millionths. */
  volumeMin: bigint
  /** Leaves out what is closed or taken off. */
  isOpen: boolean
  sort: TradedSort
}

/** Orders without an index are those of this many markets of most volume. */
export const SORTED_MAX = 2_000

/**
 * Markets with a trade in the day, by the snapshot `1d`. Indexes: market_stats_volume; for prices markets_condition,
 * conditions_condition_key, tokens_condition, tokens_token_key and those of `token_prices`.
 */
export function selectTradedMarkets(
  sql: Sql,
  scope: TradedScope,
  { offset, limit }: Pick<Page, 'offset' | 'limit'>,
): Promise<DayTrades[]> {
  const headMax = scope.sort === 'volume' ? offset + limit : SORTED_MAX
  return sql<DayTrades[]>`
    with head as materialized (
      select s.* ${matching(sql, scope)} order by s.volume desc, s.subject desc limit ${headMax}
    ), page as materialized (
      select * from (select head.*, ${keyOf(sql, scope.sort)} as key from head) keyed
       order by key desc, subject desc offset ${offset} limit ${limit}
    )
    select ${hex(sql, 'page.subject')} as condition, page.trades, page.volume,
           ${blockTime(sql, 'page.last_seq')} as last_sec
      from page
     order by page.key desc, page.subject desc`
}

const matching = (sql: Sql, scope: TradedScope): Fragment => sql`
  from (select condition as subject, trades, volume, last_seq from market_stats
         where ${isOfSnapshot(sql, '1d')}) s
 where s.volume >= ${scope.volumeMin} and ${isTagged(sql, scope, marketTags(sql))}
   ${scope.isOpen ? sql`and exists (select from markets m where m.condition = s.subject and ${isShown(sql)})` : sql``}`

const isShown = (sql: Sql): Fragment => sql`m.active and not m.closed`

function keyOf(sql: Sql, sort: TradedSort): Fragment {
  if (sort === 'volume') return sql`head.volume`
  if (sort === 'updated') return sql`head.last_seq`
  return sql`(
    select coalesce((
             select p.numerator::numeric / nullif(p.denominator, 0)
               from tokens t join token_prices p on p.token = t.id
              where t.token = coalesce(m.tokens[1], stated.token) and p.source is not null),
             m.outcome_prices[1], 0)
      from (values (head.subject)) as asked (condition)
      left join lateral (
        select tokens, outcome_prices from markets
         where markets.condition = asked.condition order by id limit 1
      ) m on true
      left join lateral (
        select t.token from conditions c join tokens t on t.condition = c.id and t.outcome = 0
         where c.condition = asked.condition limit 1
      ) stated on true)`
}

/** More are not counted. */
export const TOTAL_MAX = 10_000

/** How many markets a scope has. Of those without a filter the number is stored. */
export async function countTradedMarkets(sql: Sql, scope: TradedScope): Promise<number> {
  const { tagged, volumeMin, isOpen } = scope
  const isWhole = tagged.length === 0 && volumeMin === 0n && !isOpen
  const [row] = isWhole
    ? await sql<{ total: number }[]>`select markets as total from stats_snapshots where period = '1d'`
    : await sql<{ total: number }[]>`
        select count(*)::integer as total from (select ${matching(sql, scope)} limit ${TOTAL_MAX}) counted`
  return row?.total ?? 0
}

// What is known of them.

/** By condition, those of the catalogue and those that the chain alone has. Indexes: see `selectCondition`. */
export async function selectKnownMarkets(
  sql: Sql,
  conditions: readonly string[],
): Promise<Map<string, MarketFacts>> {
  const known = new Map<string, MarketFacts>(await selectMarketsOfConditions(sql, conditions))
  const missing = conditions.filter((condition) => !known.has(condition))
  if (missing.length === 0) return known
  const rows = await sql<(Pick<ListedMarket, 'tokens' | 'payouts'> & { condition: string })[]>`
    select ${hex(sql, 'c.condition')} as condition,
           array(select ${hex(sql, 't.token')} from tokens t
                  where t.condition = c.id and t.outcome is not null order by t.outcome) as tokens,
           (select r.payouts from results r where r.condition = c.id limit 1) as payouts
      from conditions c
     where c.condition in (${selectBytes(sql, missing)})`
  for (const row of rows) known.set(row.condition, { ...UNLISTED, ...row, closed: row.payouts !== null })
  return known
}

const UNLISTED = {
  question: null,
  slug: null,
  outcomes: [],
  active: true,
  negRisk: false,
  volume: '0',
  liquidity: '0',
  endSec: null,
  createdSec: null,
  eventSlug: null,
  eventTitle: null,
  image: null,
  groupTitle: null,
  outcomePrices: null,
  tags: null,
}

/**
 * Adds the prices of their outcomes: those of `token_prices`, and until there is one that of the catalogue. Index:
 * tokens_token_key.
 */
export async function withOutcomePrices<Market extends Pick<MarketFacts, 'tokens' | 'outcomePrices'>>(
  sql: Sql,
  markets: readonly Market[],
): Promise<(Market & { prices: (number | null)[] })[]> {
  const tokens = markets.flatMap((market) => market.tokens)
  const ids = await sql<{ id: number; token: string }[]>`
    select id, ${hex(sql, 'token')} as token from tokens where token in (${selectBytes(sql, tokens)})`
  const prices = await selectTokenPrices(
    sql,
    ids.map(({ id }) => id),
  )
  const byToken = new Map(ids.map(({ id, token }) => [token, prices.get(id)]))
  return markets.map((market) => ({
    ...market,
    prices: market.tokens.map((token, outcome) => {
      const price = byToken.get(token)
      if (price?.source !== undefined) return toDecimal(pricePerShare(price.numerator, price.denominator))
      const listed = market.outcomePrices?.[outcome]
      return listed === null || listed === undefined ? null : Number(listed)
    }),
  }))
}

/**
 * The trades of markets since that hour, counted now. Those that never traded are absent. Indexes: those of
 * `conditionTokens`, token_totals_pkey, hour_candles_pkey.
 */
export async function selectDayTrades(
  sql: Sql,
  conditions: readonly string[],
  startHour: number,
): Promise<Map<string, DayTrades>> {
  const rows = await sql<DayTrades[]>`
    with summed as (
      select o.subject, sum(day.trades)::integer as trades, sum(day.volume)::bigint as volume,
             max(total.last_seq) as last_seq
        from (${conditionTokens(sql, requestedConditions(sql, conditions))}) o
        join token_totals total on total.token = o.token
       cross join lateral (
         select coalesce(sum(c.trades), 0) as trades, coalesce(sum(c.volume), 0) as volume
           from hour_candles c where c.token = o.token and c.hour >= ${startHour}
       ) day
       group by o.subject
    )
    select ${hex(sql, 'summed.subject')} as condition, trades, volume,
           ${blockTime(sql, 'summed.last_seq')} as last_sec
      from summed`
  return new Map(rows.map((row) => [row.condition, row]))
}
