import { Type } from 'typebox'
import { oneOf } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { Team } from '../leagues/schemas.js'
import { GAME_STATUSES } from './game.js'

const Time = Type.String({ examples: ['2026-11-21T15:00:00Z'] })
const Amount = Type.Number({ description: 'dollars' })

export const GameSlug = Type.String({
  format: 'any-case',
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
  description: 'the slug of a game or of a companion event: letters, digits and dashes',
  examples: ['epl-bha-ful-2026-11-21'],
})

/** Text, because ids of events and of markets are separate spaces of numbers without a known end. */
export const GameEventId = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'the number of an event: 1 to 15 digits',
  examples: ['900123'],
})

export const GameMarketId = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'the number of a market: 1 to 15 digits',
  examples: ['4400123'],
})

/** What a client sends to our socket to follow books; `ws` is where. */
export const Subscribe = namedObject('SocketSubscription', {
  ws: Type.String({ description: 'the address of the socket' }),
  action: Type.Literal('subscribe'),
  type: Type.Literal('orderbook'),
  token_ids: Type.Array(Type.String()),
})

export const GameMarketReply = namedObject('GameMarket', {
  id: Type.String(),
  question: Type.String(),
  slug: nullable(Type.String()),
  conditionId: nullable(Type.String()),
  sportsMarketType: nullable(Type.String()),
  groupItemTitle: nullable(Type.String()),
  line: nullable(Type.Number()),
  outcomes: Type.Array(Type.String()),
  outcomePrices: Type.Array(Type.String(), { description: 'decimals, one for each outcome' }),
  clobTokenIds: Type.Array(Type.String(), { description: 'one for each outcome' }),
  gameStartTime: nullable(Time),
  secondsDelay: nullable(Type.Integer({ description: 'by which orders are delayed in play' })),
  clearBookOnStart: nullable(Type.Boolean()),
  endDate: nullable(Time),
  volume: Amount,
  volume24hr: Amount,
  liquidity: Amount,
  active: Type.Boolean(),
  closed: Type.Boolean(),
  acceptingOrders: Type.Boolean(),
  negRisk: Type.Boolean(),
  tickSize: nullable(Type.Number()),
  minOrderSize: nullable(Type.Number()),
  _links: Type.Object(
    {
      ws: Type.String(),
      ws_subscribe: Type.Object({
        action: Type.Literal('subscribe'),
        type: Type.Literal('orderbook'),
        token_ids: Type.Array(Type.String()),
      }),
      orderbook_rest: nullable(Type.String(), 'null: the market has no tokens yet'),
    },
    { description: 'where its order books are' },
  ),
})

export const LeagueGamesQuery = Type.Object({
  status: oneOf(['active', 'closed'], '`active`: upcoming and in play; `closed`: finished, with scores', {
    default: 'active',
  }),
  sort: oneOf(['startDate', 'volume'], '`startDate`: by kick-off', { default: 'startDate' }),
  direction: oneOf(['asc', 'desc'], 'order of the games', { title: 'SortOrder', default: 'desc' }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
})

export const GameReply = namedObject('Game', {
  id: Type.String({ description: 'of the main event' }),
  slug: Type.String(),
  title: Type.String(),
  status: oneOf(GAME_STATUSES, '`final`: over, and not settled yet', { title: 'GameStatus' }),
  startTime: nullable(Time, 'kick-off'),
  startDate: nullable(Time, 'when trading began'),
  endDate: nullable(Time),
  eventDate: nullable(Type.String({ examples: ['2026-11-21'] })),
  closed: Type.Boolean(),
  active: Type.Boolean(),
  gameId: nullable(Type.Integer()),
  score: nullable(Type.String(), 'home first; esports have the scores of maps and of the series'),
  period: nullable(Type.String()),
  elapsed: nullable(Type.String()),
  live: nullable(Type.Boolean()),
  ended: nullable(Type.Boolean()),
  gameStatus: Type.Optional(Type.String({ description: "the platform's own word" })),
  volume: Amount,
  volume24hr: Amount,
  liquidity: Amount,
  teams: Type.Array(Team),
  eventMetadata: Type.Optional(Type.Object({ context_description: Type.String() })),
  markets: Type.Array(GameMarketReply),
  stale: Type.Optional(
    Type.Literal(true, { description: 'the platform does not answer: this is the last copy' }),
  ),
})

export const LeagueGamesReply = namedObject('LeagueGames', {
  league: Type.String(),
  status: oneOf(['active', 'closed'], 'as asked for'),
  series_id: nullable(Type.String(), 'null: the league has none, and its games have a tag'),
  source: Type.String({ description: 'the list of the platform that answered' }),
  fallback: Type.Boolean({ description: 'another list than the usual one answered' }),
  stale: Type.Boolean({ description: 'no list answers: this is a copy of up to 12 hours' }),
  count: Type.Integer({ minimum: 0, description: 'games in this answer' }),
  total: Type.Integer({ minimum: 0, description: 'games of that status' }),
  games: Type.Array(GameReply),
})
