import type { SocketGap } from '../transport/socket-options.js'
import type { ClobBook } from './messages.js'

/** Decimals are kept as they were written. What the exchange leaves empty is `undefined`. */
export type ClobEvent =
  | ({ type: 'book' } & ClobBook)
  | ClobPriceChange
  | ClobTickSizeChange
  | ClobTrade
  | ClobTop
  | ClobNewMarket
  | ClobResolution

/** Orders came or went. One order shows on both tokens of its market. */
export type ClobPriceChange = {
  type: 'price_change'
  conditionId: string
  timestampMs: number
  changes: ClobLevelChange[]
}

export type ClobLevelChange = {
  tokenId: string
  side: 'BUY' | 'SELL'
  price: string
  /** What the level holds now; zero: the level is gone. */
  size: string
  /** Of the book after the change. */
  hash: string | undefined
  bestBid: string | undefined
  bestAsk: string | undefined
}

export type ClobTickSizeChange = {
  type: 'tick_size_change'
  conditionId: string
  tokenId: string
  oldTickSize: string | undefined
  newTickSize: string
  timestampMs: number
}

export type ClobTrade = {
  type: 'last_trade_price'
  conditionId: string
  tokenId: string
  price: string
  size: string | undefined
  side: 'BUY' | 'SELL' | undefined
  feeRateBps: number | undefined
  timestampMs: number
  transactionHash: string | undefined
}

export type ClobTop = {
  type: 'best_bid_ask'
  conditionId: string
  tokenId: string
  bestBid: string | undefined
  bestAsk: string | undefined
  spread: string | undefined
  timestampMs: number
}

export type ClobNewMarket = {
  type: 'new_market'
  id: string
  conditionId: string
  question: string | undefined
  slug: string | undefined
  description: string | undefined
  groupItemTitle: string | undefined
  tokenIds: string[]
  outcomes: string[]
  event: ClobEventMessage | undefined
  tags: string[]
  active: boolean | undefined
  sportsMarketType: string | undefined
  line: string | undefined
  gameStartTime: string | undefined
  tickSize: string | undefined
  takerBaseFee: number | undefined
  feesEnabled: boolean | undefined
  feeSchedule: ClobFeeSchedule | undefined
  timestampMs: number
}

export type ClobResolution = {
  type: 'market_resolved'
  id: string | undefined
  conditionId: string
  tokenIds: string[]
  /** Both are `undefined` when neither outcome won alone. */
  winningTokenId: string | undefined
  winningOutcome: string | undefined
  event: ClobEventMessage | undefined
  tags: string[]
  timestampMs: number
}

export type ClobEventMessage = {
  id: string
  ticker: string | undefined
  slug: string | undefined
  title: string | undefined
  description: string | undefined
}

export type ClobFeeSchedule = {
  exponent: number | undefined
  rate: number | undefined
  takerOnly: boolean | undefined
  rebateRate: number | undefined
}

/** What happened in that time is unknown: the books of the tokens have to be read again. */
export type ClobGap = SocketGap & { tokenIds: string[] }
