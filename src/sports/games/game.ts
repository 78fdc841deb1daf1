import type { GammaTeam } from '../../upstreams/gamma/parse-sports.js'

/**
 * A match-up: Gamma's main event of it, with the markets of its companion events. Plain JSON, because
 * copies of it are stored; a time is in Unix milliseconds. `undefined`: Gamma does not say.
 */
export type Game = {
  id: string
  slug: string
  title: string
  gameId?: string | undefined
  /** Kick-off. */
  startTimeMs?: number | undefined
  /** When trading began. */
  startDateMs?: number | undefined
  endDateMs?: number | undefined
  /** The day of the game, such as `2026-11-21`. */
  eventDate?: string | undefined
  /** When Gamma changed the event last, the score among the rest. */
  updatedAtMs?: number | undefined
  active: boolean
  closed: boolean
  live?: boolean | undefined
  ended?: boolean | undefined
  /** `3-1`, and `000-000|1-1|Bo3` in esports. */
  score?: string | undefined
  period?: string | undefined
  elapsed?: string | undefined
  gameStatus?: string | undefined
  /** These three are of the main event alone, as in lists. */
  volume: number
  volume24hr: number
  liquidity: number
  teams: GammaTeam[]
  /** Gamma's own words about the game. */
  contextDescription?: string | undefined
  /** Moneyline, spreads, totals, the rest; each with the most traded first. */
  markets: GameMarket[]
}

export type GameMarket = {
  id: string
  question: string
  slug?: string | undefined
  conditionId?: string | undefined
  sportsMarketType?: string | undefined
  groupItemTitle?: string | undefined
  line?: number | undefined
  /** Empty while nothing can be traded. A price is a decimal. */
  tokens: { tokenId: string; outcome: string; price?: string | undefined }[]
  outcomes: string[]
  /** Of the first outcome. */
  bestBid?: number | undefined
  bestAsk?: number | undefined
  gameStartTimeMs?: number | undefined
  secondsDelay?: number | undefined
  clearBookOnStart?: boolean | undefined
  endDateMs?: number | undefined
  volume: number
  volume24hr: number
  liquidity: number
  active: boolean
  closed: boolean
  acceptingOrders: boolean
  negRisk: boolean
  tickSize?: number | undefined
  minOrderSize?: number | undefined
}

export const GAME_STATUSES = ['scheduled', 'live', 'final', 'closed'] as const
export type GameStatus = (typeof GAME_STATUSES)[number]

/** `final`: the game is over and its markets are not settled yet. */
export function gameStatusOf({ closed, ended, live }: Pick<Game, 'closed' | 'ended' | 'live'>) {
  if (closed) return 'closed'
  if (ended === true) return 'final'
  return live === true ? 'live' : 'scheduled'
}
