/**
 * The rows of the ledger. The arithmetic changes rows in place; the implementation of `Books` tracks
 * which rows it has handed out and writes them back.
 */
export type Books = {
  /** Rows that do not exist are created with zeros. Each call marks the row as changed. */
  position(wallet: number, token: number): Position
  wallet(wallet: number): WalletTotals
  marketHour(condition: number, hour: number): MarketHour
  builderHour(builder: number, hour: number): BuilderHour
  builderWallet(builder: number, wallet: number): BuilderWallet
  supply(token: number): Supply
  reserve(condition: number): Reserve
  lastPrice(token: number): LastPrice
  /** Does not mark the row as changed; `undefined`: there is no such row. */
  peekPosition(wallet: number, token: number): Position | undefined
  /** NONE: no log so far has shown which condition the token belongs to. */
  conditionOf(token: number): number
  /** Tokens of a condition by outcome; empty when they are unknown. */
  tokensOf(condition: number): readonly number[]
  addPnl(row: PnlRow): void
  /** Records an entry that is not booked because a number would leave its column. */
  refuse(seq: number, reason: string): void
}

/** Plain transfers change the balance alone; all other numbers follow the rules of cost and profit. */
export type Position = {
  wallet: number
  token: number
  /** Exact holding on the chain. */
  balance: bigint
  held: bigint
  cost: bigint
  realized: bigint
  /** All shares ever bought and their cost without fees. */
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

/** Collateral of a condition. Each redeemed leg may have left less than a millionth behind. */
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

/** The rows of one table, by their keys. */
export type RowSource<Row> = {
  /** A row that does not exist is created. Marks the row as changed. */
  open(first: number, second?: number): Row
  peek(first: number, second?: number): Row | undefined
}

type BookRows = {
  positions: RowSource<Position>
  walletTotals: RowSource<WalletTotals>
  marketHours: RowSource<MarketHour>
  builderHours: RowSource<BuilderHour>
  builderWallets: RowSource<BuilderWallet>
  supplies: RowSource<Supply>
  reserves: RowSource<Reserve>
  lastPrices: RowSource<LastPrice>
}

/** `Books` over one source of rows for each table. */
export abstract class RowBooks<Rows extends BookRows> implements Books {
  readonly rows: Rows

  constructor(rows: Rows) {
    this.rows = rows
  }

  position(wallet: number, token: number): Position {
    return this.rows.positions.open(wallet, token)
  }

  wallet(wallet: number): WalletTotals {
    return this.rows.walletTotals.open(wallet)
  }

  marketHour(condition: number, hour: number): MarketHour {
    return this.rows.marketHours.open(condition, hour)
  }

  builderHour(builder: number, hour: number): BuilderHour {
    return this.rows.builderHours.open(builder, hour)
  }

  builderWallet(builder: number, wallet: number): BuilderWallet {
    return this.rows.builderWallets.open(builder, wallet)
  }

  supply(token: number): Supply {
    return this.rows.supplies.open(token)
  }

  reserve(condition: number): Reserve {
    return this.rows.reserves.open(condition)
  }

  lastPrice(token: number): LastPrice {
    return this.rows.lastPrices.open(token)
  }

  peekPosition(wallet: number, token: number): Position | undefined {
    return this.rows.positions.peek(wallet, token)
  }

  abstract conditionOf(token: number): number
  abstract tokensOf(condition: number): readonly number[]
  abstract addPnl(row: PnlRow): void
  abstract refuse(seq: number, reason: string): void
}
