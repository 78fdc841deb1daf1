import type { GammaEvent, GammaMarket } from '../../upstreams/gamma/parse.js'
import { parseDecimal } from '../../upstreams/transport/parse-json.js'

/** The lines on the whole match, which come before all other markets. */
const MARKET_RANKS = new Map([
  ...['moneyline', 'tennis_moneyline'].map((type) => [type, 0] as const),
  ...['spreads', 'tennis_spreads', 'match_handicap', 'map_handicap', 'tennis_set_handicap'].map(
    (type) => [type, 1] as const,
  ),
  ...['totals', 'total_games', 'tennis_match_totals', 'total_goals', 'basketball_total_points'].map(
    (type) => [type, 2] as const,
  ),
])
const LAST_RANK = 3

/** Futures and all that is not about sports have none of these. */
export const isGameEvent = ({ gameId, markets }: GammaEvent): boolean =>
  gameId !== undefined || markets.some(isGameMarket)

const isGameMarket = ({ sportsMarketType, gameStartTimeMs }: GammaMarket): boolean =>
  sportsMarketType !== undefined || gameStartTimeMs !== undefined

/** `undefined`: none of these events, which share a canonical slug, is about a game. */
export function foldGame(events: readonly GammaEvent[]): Game | undefined {
  const games = latest(events).filter(isGameEvent)
  const [main, ...others] = games.sort(bySlugLength)
  if (main === undefined) return undefined
  const companions = others.filter(({ gameId }) => isSame(gameId, main.gameId))
  return toGame(main, companions)
}

/** An event that was closed between two reads is in both. */
function latest(events: readonly GammaEvent[]): GammaEvent[] {
  const byId = new Map<string, GammaEvent>()
  for (const event of events) {
    if (event.closed === true || !byId.has(event.id)) byId.set(event.id, event)
  }
  return [...byId.values()]
}

/** The slug of the main event is the beginning of the others'. */
const bySlugLength = (a: GammaEvent, b: GammaEvent): number =>
  (a.slug ?? '').length - (b.slug ?? '').length || compareIds(a, b)

const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b

/**
 * A match-up: Gamma's main event of it, with the markets of its companion events. Plain JSON, because
 * it is stored; a time is in Unix milliseconds. `undefined`: Gamma does not say.
 */
export type Game = ReturnType<typeof toGame>

export function toGame(main: GammaEvent, companions: readonly GammaEvent[] = []) {
  const [first] = main.markets
  return {
    id: main.id,
    slug: main.slug ?? main.id,
    title: main.title ?? main.slug ?? main.id,
    gameId: main.gameId,
    /** Kick-off. */
    startTimeMs: main.startTimeMs ?? first?.gameStartTimeMs,
    /** When trading began. */
    startDateMs: main.startDateMs,
    endDateMs: main.endDateMs,
    /** The day of the game, such as `2026-11-21`. */
    eventDate: main.eventDate,
    /** When Gamma changed the event last, the score among the rest. */
    updatedAtMs: main.updatedAtMs,
    active: main.active ?? false,
    closed: main.closed ?? false,
    live: main.live,
    ended: main.ended,
    /** `3-1`, and `000-000|1-1|Bo3` in esports. */
    score: main.score,
    period: main.period,
    elapsed: main.elapsed,
    gameStatus: main.gameStatus,
    /** These three are of the main event alone, as in lists. */
    volume: main.volume ?? 0,
    volume24hr: main.volume24hr ?? 0,
    liquidity: main.liquidity ?? 0,
    teams: main.teams,
    /** Gamma's own words about the game. */
    contextDescription: main.eventMetadata?.contextDescription,
    /** Moneyline, spreads, totals, the rest; each with the most traded first. */
    markets: orderMarkets([main, ...companions].flatMap(({ markets }) => markets.map(toGameMarket))),
  }
}

export type GameMarket = ReturnType<typeof toGameMarket>

const toGameMarket = (market: GammaMarket) => ({
  id: market.id,
  question: market.question ?? '',
  slug: market.slug,
  conditionId: market.conditionId,
  sportsMarketType: market.sportsMarketType,
  groupItemTitle: market.groupItemTitle,
  line: market.line,
  /** Empty while nothing can be traded. A price is a decimal. */
  tokens: market.tokens.map(({ tokenId, outcome, price }) => ({
    tokenId,
    outcome,
    price: price === undefined ? undefined : parseDecimal(price, 'price'),
  })),
  outcomes: market.outcomes,
  /** Of the first outcome. */
  bestBid: market.bestBid,
  bestAsk: market.bestAsk,
  gameStartTimeMs: market.gameStartTimeMs,
  secondsDelay: market.secondsDelay,
  clearBookOnStart: market.clearBookOnStart,
  endDateMs: market.endDateMs,
  volume: market.volume ?? 0,
  volume24hr: market.volume24hr ?? 0,
  liquidity: market.liquidity ?? 0,
  active: market.active ?? false,
  closed: market.closed ?? false,
  acceptingOrders: market.acceptingOrders ?? false,
  negRisk: market.negRisk ?? false,
  tickSize: market.orderPriceMinTickSize,
  minOrderSize: market.orderMinSize,
})

function orderMarkets(markets: GameMarket[]): GameMarket[] {
  const unique = new Map(markets.map((market) => [market.id, market]))
  return [...unique.values()].sort((a, b) => rankOf(a) - rankOf(b) || b.volume - a.volume || compareIds(a, b))
}

const rankOf = ({ sportsMarketType = '' }: GameMarket): number =>
  MARKET_RANKS.get(sportsMarketType) ?? LAST_RANK

const compareIds = (a: { id: string }, b: { id: string }): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : Number(a.id > b.id))

export const GAME_STATUSES = ['scheduled', 'live', 'final', 'closed'] as const
export type GameStatus = (typeof GAME_STATUSES)[number]

/** `final`: the game is over and its markets are not settled yet. */
export function gameStatusOf({ closed, ended, live }: Pick<Game, 'closed' | 'ended' | 'live'>) {
  if (closed) return 'closed'
  if (ended === true) return 'final'
  return live === true ? 'live' : 'scheduled'
}
