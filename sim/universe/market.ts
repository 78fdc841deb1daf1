import type { Game } from './games/game.js'

/** A tradable outcome. `word` is the id as the 64 hex digits that stand in a log. */
export type Token = {
  id: bigint
  /** The id as APIs print it. */
  decimal: string
  word: string
  /** 0 is Up or Yes, 1 is Down or No. */
  outcome: Outcome
  of: Market | Combo
}

export type Outcome = 0 | 1
export type TokenPair = readonly [Token, Token]

/** Payout numerators of the two outcomes. [1, 1] is a draw: each pays half. */
export type Payouts = readonly [number, number]

export type Tag = { id: string; label: string; slug: string }

export type Series = {
  id: string
  slug: string
  title: string
  /** As Gamma shows it, which for crypto is not always the interval. */
  recurrence: string
  tags: readonly Tag[]
  createdMs: number
}

export type Coin = 'btc' | 'eth' | 'sol' | 'xrp' | 'doge' | 'bnb' | 'hype'
export type Interval = '5m' | '15m' | '1h' | '4h' | '1d'

/** An up-or-down window of a coin: Up wins when the price at the end is at least the one at the start. */
export type Window = { coin: Coin; interval: Interval; startMs: number; endMs: number }

export type MarketEvent = {
  id: string
  slug: string
  title: string
  description: string
  category: string
  resolutionSource: string
  image: string
  tags: readonly Tag[]
  series: Series | undefined
  /** Since when it can be seen and traded; for a window that is hours before the window opens. */
  createdMs: number
  /** When trading is over; outcomes are known then, and on the chain a little later. */
  endMs: number
  window: Window | undefined
  /** The game that it asks about: the main event and its companions share one. */
  game?: Game | undefined
  /** Long over and never answered: it stays open, without an order book. */
  isForgotten?: boolean | undefined
  negRisk: NegRisk | undefined
  model: Model
  markets: readonly Market[]
}

/**
 * What moves the prices of an event and decides it. `opinion`: what people believe, which wanders and
 * turns into the truth near the end; `truths` says for each question how it comes out. `strikes`: the
 * price of a coin at the end against levels; exclusive ones ask in which of the ranges between them it lies.
 * `game`: like an opinion, but the truth comes out from the kick-off on, and question by question.
 */
export type Model =
  | { kind: 'window' }
  | { kind: 'opinion'; priors: readonly number[]; truths: readonly Payouts[]; exclusive: boolean }
  | GameModel
  | { kind: 'strikes'; coin: Coin; strikesE8: readonly number[]; exclusive: boolean }

type GameModel = {
  kind: 'game'
  priors: readonly number[]
  truths: readonly Payouts[]
  exclusive: boolean
  /** The kick-off. */
  fromMs: number
  /** When each question is certain; never for a game that is called off. */
  decidedMs: readonly number[]
}

/** Whether a feed answers, without proposals and their long wait: windows of coins, and games. */
export const isAnsweredByFeed = ({ window, game }: Pick<MarketEvent, 'window' | 'game'>): boolean =>
  window !== undefined || game !== undefined

/** Questions of which exactly one comes true. The id has a zero last byte; question i adds i to it. */
export type NegRisk = { marketId: string; feeBips: number; metadata: string }

export type Market = {
  kind: 'market'
  id: string
  slug: string
  question: string
  readonly description: string
  /** Title inside a group ("25 bps cut"), empty for a market that is alone in its event. */
  groupItemTitle: string
  outcomes: readonly [string, string]
  event: MarketEvent
  /** Index among the questions of its event. */
  index: number
  /** What it asks about a game, in Gamma's words: `spreads`. */
  sportsMarketType?: string | undefined
  /** The margin or number that it asks about: -5.5. */
  line?: number | undefined
  /** 0x and 64 hex digits, like the two below. */
  conditionId: string
  questionId: string
  /** The text that the oracle is asked; its hash is the id of the question in the oracle's adapter. */
  readonly ancillaryData: string
  /** The id of the question in the UMA adapter: `questionId` itself unless the event is neg-risk. */
  requestId: string
  /** Lower-case address that may report the payouts of the condition. */
  oracle: string
  readonly createdMs: number
  readonly endMs: number
  /** When the payouts reach the chain. */
  resolvesMs: number
  /** Share of p × (1 − p) that takers pay per share: 0.07 on crypto. */
  feeRate: number
  /** How much is traded here, relative to the other markets. */
  popularity: number
  /** Computed on first use: deriving an id takes elliptic-curve arithmetic. */
  readonly tokens: TokenPair
}

/**
 * What is traded as structured positions on exchange V3: a bet that several outcomes come true together.
 * One with a single leg is a market whose shares can migrate; its condition is that of the leg.
 */
export type Combo = {
  kind: 'combo'
  id: string
  question: string
  /** 31 bytes: 0x and 62 hex digits. */
  conditionId: string
  legs: readonly { market: Market; outcome: Outcome; positionId: bigint }[]
  createdMs: number
  /** When its last leg is decided on the chain. */
  resolvesMs: number
  tokens: TokenPair
}
