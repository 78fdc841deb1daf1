import { type Static, Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { selectTokenPrices } from '../../catalogue/token-prices.js'
import { ApiError, badRequest } from '../../core/errors.js'
import { toTokenId } from '../../core/ids.js'
import { pricePerShare, toDecimal } from '../../core/money.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { groupBy } from '../../lib/group-by.js'
import { presentStructuredMarket } from '../../lookups/market-block.js'
import { selectTagFilters } from '../../lookups/tag-filter.js'
import type { Sql } from '../../store/connection.js'
import { type StatsPeriod, startHourOf } from './period.js'
import {
  type EventStatsRow,
  type EventStatsScope,
  type MarketStatsRow,
  type StatsScope,
  type StatsSums,
  type StatsToken,
  type StatsTotals,
  selectAsOf,
  selectConditions,
  selectEventConditions,
  selectEventStats,
  selectEventsOf,
  selectMarketStats,
  selectStatsTokens,
  selectStatsTotals,
} from './queries.js'
import { EventStats, MarketStats, StatsEnvelope, StatsParameters } from './schemas.js'

type TokenPrice =
  Awaited<ReturnType<typeof selectTokenPrices>> extends Map<number, infer Price> ? Price : never

type TokenWithPrice = StatsToken & { price: TokenPrice | undefined }

const presentSums = (row: StatsSums) => ({
  volume_usd: toDecimal(row.volume),
  volume_shares: toDecimal(row.shares),
  volume_buy: toDecimal(row.buyVolume),
  volume_sell: toDecimal(row.volume - row.buyVolume),
  trades: row.trades,
  unique_traders: row.traders,
  fees_usd: toDecimal(row.fees),
  vwap: toDecimal(pricePerShare(row.volume, row.shares)),
  first_trade_ts: row.firstSec,
  last_trade_ts: row.lastSec,
})

const presentMarketStats = (row: MarketStatsRow & { tokens: readonly TokenWithPrice[] }) => ({
  condition_id: row.condition,
  question: row.question,
  slug: row.slug,
  event_slug: row.eventSlug,
  category: row.category,
  ...presentSums(row),
  prices: row.tokens.map(presentTokenPrice),
  ...(row.tokens[0] !== undefined && presentStructuredMarket(row.tokens[0])),
})

const presentTokenPrice = ({ token, outcome, price }: TokenWithPrice) => ({
  token_id: toTokenId(token),
  outcome,
  price: price === undefined ? 0 : toDecimal(pricePerShare(price.numerator, price.denominator)),
  source: price?.source ?? null,
})

const presentEventStats = (row: EventStatsRow) => ({
  event_id: row.event,
  event_slug: row.slug,
  event_title: row.title,
  category: row.category,
  market_count: row.marketCount,
  ...presentSums(row),
})

const presentStatsTotals = (totals: StatsTotals) => ({
  markets: totals.markets,
  active_markets: totals.markets - totals.resolvedMarkets,
  resolved_markets: totals.resolvedMarkets,
  volume_usd: toDecimal(totals.volume),
  trades: Number(totals.trades),
})

/** Markets of a request that is computed at once. */
const MARKETS_MAX = 2_500
const RETRY_AFTER_SECONDS = 10

const HEAD = {
  tag: 'markets',
  access: V3,
  narrowBy: ['period', 'condition_id', 'market_slug'],
  query: Type.Object(StatsParameters),
  page: { name: 'data', limitMax: 300 },
}

const DESCRIPTION =
  'with a trade in the period, the largest first. Only fills of orders that took are summed, so that each match counts once; traders are the wallets on both sides. With `condition_id`, `market_slug` or `event_slug` the numbers are those of this moment. Without them they come from a snapshot, which is made anew every minute for `1d`, every 5 minutes for `7d`, every 10 for `all` and every 30 for `30d`: `as_of` says when. Rows move while a list is walked: one that passes the cursor is seen twice or not at all.'

type StatsInput = Static<typeof HEAD.query>

const ADVICE = 'Those of one market are there already: narrow the request with condition_id or market_slug.'

/** When the snapshot of a period was made, in Unix seconds. Throws a 503 while there is none. */
export async function needSnapshot(sql: Sql, period: StatsPeriod, advice = ''): Promise<number> {
  const asOfSec = await selectAsOf(sql, period)
  if (asOfSec !== undefined) return asOfSec
  const message = `The statistics of ${period} are being computed for the first time. ${advice}`
  throw new ApiError(503, message.trimEnd(), {}, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** What markets and events have in common. Throws a 503 while there is no snapshot. */
async function resolveStats(
  sql: Sql,
  input: StatsInput,
  nowMs: number,
  conditions: readonly string[] | undefined,
): Promise<StatsScope> {
  const { period, sort } = input
  if (conditions !== undefined && conditions.length > MARKETS_MAX) {
    throw badRequest(
      `The event has more than ${MARKETS_MAX} markets. Narrow the request with market_slug or condition_id.`,
    )
  }
  const nowSec = Math.floor(nowMs / 1000)
  const asOfSec = conditions === undefined ? await needSnapshot(sql, period, ADVICE) : nowSec
  return {
    period,
    sort,
    startHour: startHourOf(period, nowSec),
    asOfSec,
    conditions,
    tagged: await selectTagFilters(sql, input),
  }
}

const extra = {
  fields: StatsEnvelope,
  select: async (sql: Sql, { scope }: { scope: StatsScope | undefined }) => {
    if (scope === undefined) throw new Error('every request for statistics has a scope')
    const totals = await selectStatsTotals(sql, scope)
    return { period: scope.period, as_of: scope.asOfSec, totals: presentStatsTotals(totals) }
  },
}

export const marketStats = defineList({
  ...HEAD,
  path: '/v3/markets/stats',
  operationId: 'listMarketStats',
  summary: 'Volume, trades and traders of markets',
  description: `Markets ${DESCRIPTION}`,
  resolve: async (sql, input, { nowMs }) =>
    resolveStats(sql, input, nowMs, await selectConditions(sql, input, MARKETS_MAX + 1)),
  view: createView({
    row: MarketStats,
    select: selectMarketStats,
    keyOf: ({ rank, condition }) => [rank, `\\x${condition.slice(2)}`],
    complete: withPrices,
    present: presentMarketStats,
  }),
  extra,
})

/** Adds its tokens with their prices to each market of a page. */
async function withPrices(sql: Sql, rows: readonly MarketStatsRow[]) {
  const tokens = await selectStatsTokens(
    sql,
    rows.map(({ condition }) => condition),
  )
  const prices = await selectTokenPrices(
    sql,
    tokens.map(({ id }) => id),
  )
  const priced = tokens.map((token) => ({ ...token, price: prices.get(token.id) }))
  const byCondition = groupBy(priced, ({ condition }) => condition)
  return rows.map((row) => ({ ...row, tokens: byCondition.get(row.condition) ?? [] }))
}

export const eventStats = defineList({
  ...HEAD,
  path: '/v3/events/stats',
  operationId: 'listEventStats',
  summary: 'Volume, trades and traders of events',
  description: `Events ${DESCRIPTION} A row sums all markets of its event, whichever of them a filter names.`,
  resolve: async (sql, input, { nowMs }): Promise<EventStatsScope> => {
    const named = await selectConditions(sql, input, MARKETS_MAX + 1)
    const events = named === undefined ? undefined : await selectEventsOf(sql, named)
    const conditions =
      events === undefined ? undefined : await selectEventConditions(sql, events, MARKETS_MAX + 1)
    return { ...(await resolveStats(sql, input, nowMs, conditions)), events }
  },
  view: createView({
    row: EventStats,
    select: selectEventStats,
    keyOf: ({ rank, event }) => [rank, event],
    present: presentEventStats,
  }),
  extra,
})

export const statsRoutes = endpointRoutes([marketStats, eventStats])
