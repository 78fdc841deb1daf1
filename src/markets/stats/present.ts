import type { selectTokenPrices } from '../../catalogue/token-prices.js'
import { toTokenId } from '../../core/ids.js'
import { pricePerShare, toDecimal } from '../../core/money.js'
import { presentStructuredMarket } from '../../lookups/market-block.js'
import type { EventStatsRow, MarketStatsRow, StatsSums, StatsToken, StatsTotals } from './queries.js'

type TokenPrice =
  Awaited<ReturnType<typeof selectTokenPrices>> extends Map<number, infer Price> ? Price : never

export type TokenWithPrice = StatsToken & { price: TokenPrice | undefined }

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

export const presentMarketStats = (row: MarketStatsRow & { tokens: readonly TokenWithPrice[] }) => ({
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

export const presentEventStats = (row: EventStatsRow) => ({
  event_id: row.event,
  event_slug: row.slug,
  event_title: row.title,
  category: row.category,
  market_count: row.marketCount,
  ...presentSums(row),
})

export const presentStatsTotals = (totals: StatsTotals) => ({
  markets: totals.markets,
  active_markets: totals.markets - totals.resolvedMarkets,
  resolved_markets: totals.resolvedMarkets,
  volume_usd: toDecimal(totals.volume),
  trades: Number(totals.trades),
})
