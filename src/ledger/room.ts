import { AMOUNT_MAX } from '../core/money.js'
import type {
  BuilderHour,
  BuilderWallet,
  Position,
  Reserve,
  Supply,
  WalletTotals,
} from './books.js'

/**
 * Columns are int8, and an entry is booked whole or not at all: so the ledger asks before it changes
 * anything. A row with a column at 2^60 or beyond is full and changes no more. Amounts stay below
 * 2^53 and what is sold in one entry has cost less than 2^60: no entry carries a column that had room
 * past 2^62.
 */
const FULL = 2n ** 60n

/** Why an entry is not booked. */
export type Refusal = 'absurd_amount' | 'column_full'

export const isBookable = (amount: bigint): boolean => amount >= 0n && amount <= AMOUNT_MAX

export const isBelowFull = (column: bigint): boolean => column < FULL && column > -FULL

export const balanceHasRoom = (row: Position): boolean => isBelowFull(row.balance)

export const positionHasRoom = (row: Position): boolean =>
  isBelowFull(row.balance) &&
  isBelowFull(row.held) &&
  isBelowFull(row.cost) &&
  isBelowFull(row.realized) &&
  isBelowFull(row.bought) &&
  isBelowFull(row.boughtCost) &&
  isBelowFull(row.fees)

/** The realized sum is never larger than the larger one of profit and loss. */
export const totalsHaveRoom = (row: WalletTotals): boolean =>
  isBelowFull(row.profit) &&
  isBelowFull(row.loss) &&
  isBelowFull(row.volume) &&
  isBelowFull(row.fees)

export const builderHasRoom = (row: BuilderHour | BuilderWallet): boolean =>
  isBelowFull(row.volume) && isBelowFull(row.fees)

export const supplyHasRoom = (row: Supply): boolean =>
  isBelowFull(row.minted) && isBelowFull(row.burned)

export const reserveHasRoom = (row: Reserve): boolean =>
  isBelowFull(row.paidIn) && isBelowFull(row.paidOut)
