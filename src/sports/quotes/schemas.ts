import { Type } from 'typebox'
import { oneOf } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { GAME_STATUSES } from '../games/game.js'
import { Subscribe } from '../games/schemas.js'
import { HISTORY_TOKENS_MAX, PRICED_TOKENS_MAX } from './game-tokens.js'
import { HISTORY_INTERVALS } from './history-span.js'
import { FRESHNESS } from './score.js'

/** More than `max` counts as `max`, here and in all parameters of sports that bound an answer. */
const limitOf = (max: number) =>
  Type.Integer({
    minimum: 1,
    default: max,
    description: `how many tokens at most; more than ${max} counts as ${max}`,
  })

const HistoryTime = (description: string) =>
  Type.String({
    pattern: '^([0-9]{1,15}|[0-9]{4}-[0-9]{2}-[0-9]{2})$',
    description,
    examples: ['2026-11-14'],
  })

const SPAN = {
  interval: Type.Optional(
    oneOf(HISTORY_INTERVALS, 'up to now; `1m` is a month, `max` and `all` are everything'),
  ),
  start_ts: Type.Optional(HistoryTime('from then on, in place of `interval`: Unix seconds or a day')),
  end_ts: Type.Optional(HistoryTime('until then: Unix seconds or a day, which is counted whole')),
  fidelity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 43_200,
      description: 'minutes between points; as many as give about 1,440 points when absent',
    }),
  ),
}

export const GamePricesFilters = Type.Object({ limit_tokens: limitOf(PRICED_TOKENS_MAX) })

export const GameHistoryFilters = Type.Object({
  limit_tokens: limitOf(HISTORY_TOKENS_MAX),
  ...SPAN,
})

export const GameStateFilters = Type.Object({
  price_limit_tokens: limitOf(PRICED_TOKENS_MAX),
  include_history: Type.Boolean({ default: false, description: 'with price histories' }),
  history_limit_tokens: limitOf(HISTORY_TOKENS_MAX),
  ...SPAN,
})

const Decimal = (description: string) => nullable(Type.String({ examples: ['0.415'] }), description)

const QUOTE = {
  best_bid: Decimal('null: nothing is bid, or the market has no book'),
  best_ask: Decimal('null: nothing is offered, or the market has no book'),
  midpoint: Decimal('between the two; null: the market has no book'),
  spread: Decimal('the best ask minus the best bid; null: the market has no book'),
}

const Stale = Type.Boolean({
  description: 'true: the platform does not answer, and parts of this are last copies',
})

/** What both answers with prices say. */
const PRICED = {
  fallback: Type.Boolean({
    description: 'true: the exchange does not answer; these prices are shown with the markets',
  }),
  stale: Stale,
}

const COUNTED = {
  total_tokens: Type.Integer({ description: 'tokens of the game' }),
  truncated: Type.Boolean({ description: 'the game has more tokens than are shown' }),
}

const Price = namedObject('OutcomeQuote', { outcome: Type.String(), ...QUOTE })

const TokenPrice = namedObject('GameTokenPrice', {
  token_id: Type.String(),
  outcome: Type.String(),
  question: Type.String(),
  market_type: nullable(Type.String()),
  ...QUOTE,
})

const TokenHistory = namedObject('GameTokenHistory', {
  token_id: Type.String(),
  outcome: Type.String(),
  history: Type.Array(
    namedObject('PricePoint', {
      t: Type.Integer({ description: 'Unix seconds' }),
      p: Type.Number({ description: 'the price then' }),
    }),
    { description: 'oldest first' },
  ),
})

export const GamePricesReply = namedObject('GamePrices', {
  slug: Type.String(),
  title: Type.String(),
  source: Type.String(),
  ...PRICED,
  count: Type.Integer(),
  ...COUNTED,
  tokens: Type.Array(TokenPrice),
  subscribe: Subscribe,
})

export const GameHistoryReply = namedObject('GameHistory', {
  slug: Type.String(),
  title: Type.String(),
  source: Type.String(),
  stale: Stale,
  count: Type.Integer(),
  ...COUNTED,
  tokens: Type.Array(TokenHistory),
})

const Score = namedObject('GameScore', {
  source: Type.String(),
  score: nullable(Type.String(), 'null: not started, or not known'),
  period: nullable(Type.String(), '`NS`: not started'),
  elapsed: nullable(Type.String()),
  live: nullable(Type.Boolean()),
  freshness: oneOf(
    FRESHNESS,
    '`live`: said in the last minute, `recent`: in the last ten, `unknown`: not in play',
  ),
})

const StateMarket = namedObject('GameStateMarket', {
  id: Type.String(),
  slug: nullable(Type.String()),
  question: Type.String(),
  conditionId: nullable(Type.String()),
  sportsMarketType: nullable(Type.String()),
  line: nullable(Type.Number()),
  outcomes: Type.Array(Type.String()),
  clobTokenIds: Type.Array(Type.String()),
  closed: Type.Boolean(),
  prices: Type.Array(Price, { description: 'of its tokens, as far as the limit reaches' }),
})

export const GameStateReply = namedObject('GameState', {
  slug: Type.String(),
  title: Type.String(),
  status: oneOf(GAME_STATUSES, '`final`: over, and not settled yet', { title: 'GameStatus' }),
  startTime: nullable(Type.String(), 'kick-off'),
  source: Type.Object(
    {
      metadata: Type.String(),
      prices: Type.String(),
      history: nullable(Type.String(), 'null: not asked for, or not to be had now'),
      score: Type.String(),
    },
    { description: 'who gave each part' },
  ),
  ...PRICED,
  score: Score,
  ...COUNTED,
  markets: Type.Array(StateMarket),
  history: nullable(Type.Array(TokenHistory), 'null: not asked for, or not to be had now'),
  subscribe: Subscribe,
})
