import type { ClobPricePoint } from '../../upstreams/clob/parse.js'
import type { GameMarket } from '../games/game.js'
import type { GameToken } from './game-tokens.js'
import { NO_QUOTE, type TokenQuote } from './quote.js'
import type { GameQuotes } from './read-quotes.js'
import type { CurrentScore } from './score.js'

/** `cached`: the values that the answer is made of. */
export const isAnyStale = (cached: readonly ({ isStale: boolean } | undefined)[]): boolean =>
  cached.some((value) => value?.isStale === true)

/** Whether others than the exchange gave the prices. */
export const isFromFallback = ({ source }: GameQuotes): boolean => source !== 'polymarket_clob'

export const presentTokenPrice = ({ tokenId, outcome, market }: GameToken, quotes: GameQuotes) => ({
  token_id: tokenId,
  outcome,
  question: market.question,
  market_type: market.sportsMarketType ?? null,
  ...presentQuote(quotes.byToken[tokenId]),
})

/** `priced`: the tokens whose prices are shown. */
export const presentStateMarket = (market: GameMarket, priced: ReadonlySet<string>, quotes: GameQuotes) => ({
  id: market.id,
  slug: market.slug ?? null,
  question: market.question,
  conditionId: market.conditionId ?? null,
  sportsMarketType: market.sportsMarketType ?? null,
  line: market.line ?? null,
  outcomes: market.outcomes,
  clobTokenIds: market.tokens.map(({ tokenId }) => tokenId),
  closed: market.closed,
  prices: market.tokens
    .filter(({ tokenId }) => priced.has(tokenId))
    .map(({ tokenId, outcome }) => ({ outcome, ...presentQuote(quotes.byToken[tokenId]) })),
})

export const presentTokenHistory = (
  { tokenId, outcome }: GameToken,
  points: readonly ClobPricePoint[] = [],
) => ({
  token_id: tokenId,
  outcome,
  history: points.map(({ timeSec, price }) => ({ t: timeSec, p: price })),
})

export const presentScore = ({ source, score, period, elapsed, live, freshness }: CurrentScore) => ({
  source,
  score: score || null,
  period: period || null,
  elapsed: elapsed || null,
  live: live ?? null,
  freshness,
})

const presentQuote = ({ bestBid, bestAsk, midpoint, spread }: TokenQuote = NO_QUOTE) => ({
  best_bid: bestBid,
  best_ask: bestAsk,
  midpoint,
  spread,
})
