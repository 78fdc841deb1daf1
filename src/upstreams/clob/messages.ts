/** Decimals are kept as they were written: "0.51". */
export type ClobLevel = { price: string; size: string }

/** A book with the best level first on both sides. */
export type ClobBook = {
  conditionId: string
  tokenId: string
  timestampMs: number
  /** Changes with every version of the book. */
  hash: string | undefined
  bids: ClobLevel[]
  asks: ClobLevel[]
  minOrderSize: string | undefined
  tickSize: string | undefined
  negRisk: boolean | undefined
  lastTradePrice: string | undefined
}

/** Best prices by the side of the resting order: `buy` is the best bid, `sell` the best ask. */
export type ClobPrices = { buy: string | undefined; sell: string | undefined }

/** `side` is `undefined` when the token never traded; the price is then a mere 0.5. */
export type ClobLastTrade = { price: string; side: 'BUY' | 'SELL' | undefined }

export type ClobPricePoint = { timeSec: number; price: number }

/** `1m` is a month. */
export type ClobInterval = 'max' | 'all' | '1m' | '1w' | '1d' | '6h' | '1h'

/** The time that a history covers. */
export type ClobHistorySpan = (
  | { interval: ClobInterval }
  | { startSec: number; endSec: number }
) & { fidelityMinutes?: number | undefined }

export type ClobMarketToken = {
  tokenId: string
  outcome: string
  price: number | undefined
  winner: boolean | undefined
}

export type ClobMarket = {
  conditionId: string
  questionId: string | undefined
  question: string | undefined
  description: string | undefined
  marketSlug: string | undefined
  /** Empty until the market goes live. */
  tokens: ClobMarketToken[]
  tags: string[]
  endDateMs: number | undefined
  gameStartTimeMs: number | undefined
  acceptingOrderTimestampMs: number | undefined
  active: boolean | undefined
  closed: boolean | undefined
  archived: boolean | undefined
  acceptingOrders: boolean | undefined
  enableOrderBook: boolean | undefined
  negRisk: boolean | undefined
  negRiskMarketId: string | undefined
  negRiskRequestId: string | undefined
  is5050Outcome: boolean | undefined
  minimumOrderSize: number | undefined
  minimumTickSize: number | undefined
  makerBaseFee: number | undefined
  takerBaseFee: number | undefined
  secondsDelay: number | undefined
  icon: string | undefined
  image: string | undefined
}
