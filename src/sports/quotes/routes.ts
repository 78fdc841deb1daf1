import { endpointRoutes } from '../../http/endpoint.js'
import { cacheFor } from '../answer-parts.js'
import { defineGameAnswers } from '../games/game-answers.js'
import { presentSubscribe } from '../games/present.js'
import { readGameState } from './game-state.js'
import { PRICED_TOKENS_MAX, tokensOf } from './game-tokens.js'
import { readHistorySpan } from './history-span.js'
import { isAnyStale, isFromFallback, presentTokenPrice } from './present.js'
import { HISTORY_MS, readGameHistory } from './read-histories.js'
import { readQuotes } from './read-quotes.js'
import {
  GameHistoryFilters,
  GameHistoryReply,
  GamePricesFilters,
  GamePricesReply,
  GameStateFilters,
  GameStateReply,
} from './schemas.js'

/** Added to the four seconds for which answers of the exchange are cached. */
const PRICES_MS = 1_000

const state = defineGameAnswers({
  suffix: '/state',
  operationId: 'getGameState',
  summary: 'A game at this moment',
  description:
    'Score, markets and their best prices, and price histories when asked for. The score is ' +
    'best-effort: from the score feed, or from the event where that is newer. `subscribe` is the ' +
    'message that follows the same order books on the WebSocket.',
  query: GameStateFilters,
  reply: GameStateReply,
  cacheMs: PRICES_MS,
  answer: (tools, game, input) => {
    const { price_limit_tokens, include_history, history_limit_tokens, ...span } = input
    // Refuses times that do not fit, also where the request wants no history.
    readHistorySpan(span, { listedMs: game.value.startDateMs, nowMs: tools.nowMs })
    return readGameState(tools, game, {
      priceLimitTokens: price_limit_tokens,
      history: include_history ? { limit_tokens: history_limit_tokens, ...span } : undefined,
    })
  },
})

const prices = defineGameAnswers({
  suffix: '/prices',
  operationId: 'getGamePrices',
  summary: 'The best prices of a game',
  description:
    'Best bid, best ask, midpoint and spread of its tokens, in the order of its markets. ' +
    'Tokens without a book have nulls. `subscribe` is the message that follows them on the WebSocket.',
  query: GamePricesFilters,
  reply: GamePricesReply,
  cacheMs: PRICES_MS,
  answer: async (tools, game, { limit_tokens }) => {
    const { slug, title } = game.value
    const quotes = await readQuotes(tools, game)
    const tokens = tokensOf(game.value)
    const shown = tokens.slice(0, Math.min(limit_tokens, PRICED_TOKENS_MAX))
    const shownIds = shown.map(({ tokenId }) => tokenId)
    return {
      slug,
      title,
      source: quotes.value.source,
      fallback: isFromFallback(quotes.value),
      stale: isAnyStale([game, quotes]),
      count: shown.length,
      total_tokens: tokens.length,
      truncated: shown.length < tokens.length,
      tokens: shown.map((token) => presentTokenPrice(token, quotes.value)),
      subscribe: presentSubscribe(shownIds, tools.baseUrl),
    }
  },
})

const history = defineGameAnswers({
  suffix: '/history',
  operationId: 'getGameHistory',
  summary: 'The price history of a game',
  description:
    'Prices of its first tokens over time. Without `interval`, `start_ts` and `end_ts`: everything.',
  query: GameHistoryFilters,
  reply: GameHistoryReply,
  cacheMs: cacheFor(HISTORY_MS),
  answer: async (tools, game, query) => {
    const { slug, title } = game.value
    const read = await readGameHistory(tools, game.value, query)
    const total = tokensOf(game.value).length
    return {
      slug,
      title,
      source: 'polymarket_clob',
      stale: isAnyStale([game, read]),
      count: read.tokens.length,
      total_tokens: total,
      truncated: read.tokens.length < total,
      tokens: read.tokens,
    }
  },
})

export const quoteRoutes = endpointRoutes([...state, ...prices, ...history])
