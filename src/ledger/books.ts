/**
 * The state that the ledger keeps, row by row. The ledger changes rows in place; whoever hands them
 * out (`Books`) remembers what they were and writes them back.
 */
export type Books = {
  /** Rows that do not exist yet come as they start: all zero. Each call marks the row as changed. */
  position(wallet: number, token: number): Position
  wallet(wallet: number): WalletTotals
  marketHour(condition: number, hour: number): MarketHour
  builderHour(builder: number, hour: number): BuilderHour
  builderWallet(builder: number, wallet: number): BuilderWallet
  supply(token: number): Supply
  reserve(condition: number): Reserve
  lastPrice(token: number): LastPrice
  /** Looks without marking; `undefined`: there is none. */
  peekPosition(wallet: number, token: number): Position | undefined
  /** NONE: nothing has told yet which condition the token belongs to. */
  conditionOf(token: number): number
  /** Tokens of a condition by outcome, as far as known. */
  tokensOf(condition: number): readonly number[]
  addPnl(row: PnlRow): void
  /** An entry that must not be booked: it would carry a number out of its column. */
  refuse(seq: number, reason: string): void
}

/** Every number but the balance belongs to what the profit rules book: plain transfers leave it alone. */
export type Position = {
  wallet: number
  token: number
  /** Exact holding on the chain. */
  balance: bigint
  held: bigint
  cost: bigint
  realized: bigint
  /** Lifetime bought shares and what they cost, fees apart. */
  bought: bigint
  boughtCost: bigint
  fees: bigint
  firstSec: number
  lastSec: number
  /** Time of the last fill, 0 for none. */
  filledSec: number
}

export type WalletTotals = {
  wallet: number
  /** Positions that were ever bought. */
  positions: number
  /** Positions whose realized profit is above and below zero. */
  wins: number
  losses: number
  fills: number
  realized: bigint
  /** Sums of the profitable and of the losing steps. */
  profit: bigint
  loss: bigint
  /** Money of all fills. */
  volume: bigint
  fees: bigint
  /** `seq` of the first and the last fill, 0 for none. */
  firstFill: number
  lastFill: number
}

/** One-sided: only fills of taking orders count into volume and trades. */
export type MarketHour = {
  condition: number
  /** Unix time in hours. */
  hour: number
  volume: bigint
  trades: number
  traders: number
}

export type BuilderHour = {
  builder: number
  hour: number
  volume: bigint
  fees: bigint
  fills: number
  traders: number
}

export type BuilderWallet = {
  builder: number
  wallet: number
  volume: bigint
  fees: bigint
  fills: number
  firstSec: number
  lastSec: number
}

export type Supply = { token: number; minted: bigint; burned: bigint }

/** Collateral of a condition, and how many redeemed legs may each have left less than a millionth behind. */
export type Reserve = { condition: number; paidIn: bigint; paidOut: bigint; redeemedLegs: number }

/** The fill that set the token's last price: `usd` for `shares`. */
export type LastPrice = { token: number; seq: number; usd: bigint; shares: bigint }

/** One realized step. Steps without profit or loss have no row. */
export type PnlRow = {
  seq: number
  sub: number
  wallet: number
  token: number
  amount: bigint
  cause: PnlCause
}

export type PnlCause = 'sell' | 'merge' | 'redemption' | 'conversion'
