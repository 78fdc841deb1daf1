import type { LEDGER_TABLES, RowOf } from './rows/tables.js'

/**
 * The rows of the ledger. The arithmetic changes rows in place; the implementation of `Books` tracks
 * which rows it has handed out and writes them back.
 */
export type Books = {
  readonly rows: { readonly [Table in keyof typeof LEDGER_TABLES]: RowSource<RowOf<Table>> }
  /** NONE: no log so far has shown which condition the token belongs to. */
  conditionOf(token: number): number
  /** Tokens of a condition by outcome; empty when they are unknown. */
  tokensOf(condition: number): readonly number[]
  isCombo(token: number): boolean
  addPnl(row: PnlRow): void
  /** Records an entry that is not booked because a number would leave its column. */
  refuse(seq: number, reason: string): void
}

/** The rows of one table, by their keys. */
export type RowSource<Row> = {
  /** A row that does not exist is created with zeros. Each call marks the row as changed. */
  open(first: number, second?: number): Row
}

export type Position = RowOf<'positions'>
export type WalletTotals = RowOf<'walletTotals'>
export type MinuteCandle = RowOf<'minuteCandles'>
export type HourCandle = RowOf<'hourCandles'>
export type TokenTotals = RowOf<'tokenTotals'>
export type BuilderTotals = RowOf<'builderTotals'>
export type BuilderDay = RowOf<'builderDays'>
export type BuilderWallet = RowOf<'builderWallets'>
export type Supply = RowOf<'supplies'>
export type Reserve = RowOf<'reserves'>
export type LastPrice = RowOf<'lastPrices'>

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
