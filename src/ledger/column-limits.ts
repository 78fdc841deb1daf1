import { AMOUNT_MAX } from '../core/money.js'
import type {
  BuilderDay,
  BuilderTotals,
  BuilderWallet,
  Position,
  Reserve,
  Supply,
  TokenTotals,
  WalletTotals,
} from './books.js'

/**
 * Columns are int8, and an entry is booked whole or not at all. So the ledger checks every row before
 * it changes any of them: a row with a column at 2^60 or beyond is full, and entries that would change
 * it are refused. An amount is below 2^53, and the cost of what one entry sells is below 2^60: so no
 * entry takes a column from below the limit past 2^62.
 */
const COLUMN_LIMIT = 2n ** 60n

/** Why an entry is not booked. */
export type RefusalReason = 'absurd_amount' | 'column_full'

export const isBookable = (amount: bigint): boolean => amount >= 0n && amount <= AMOUNT_MAX

export const isWithinLimit = (column: bigint): boolean => column < COLUMN_LIMIT && column > -COLUMN_LIMIT

/** For entries that change nothing but the balance. */
export const balanceFits = (row: Position): boolean => isWithinLimit(row.balance)

export const positionFits = (row: Position): boolean =>
  isWithinLimit(row.balance) &&
  isWithinLimit(row.held) &&
  isWithinLimit(row.cost) &&
  isWithinLimit(row.realized) &&
  isWithinLimit(row.bought) &&
  isWithinLimit(row.boughtCost) &&
  isWithinLimit(row.fees)

/** The realized sum is never larger than the larger of profit and loss. */
export const totalsFit = (row: WalletTotals): boolean =>
  isWithinLimit(row.profit) &&
  isWithinLimit(row.loss) &&
  isWithinLimit(row.bought) &&
  isWithinLimit(row.volume) &&
  isWithinLimit(row.fees)

/** Of a token in a minute, an hour or at any time. Money paid by buyers is a part of the volume. */
export const marketFits = (row: Omit<TokenTotals, 'token'>): boolean =>
  isWithinLimit(row.volume) && isWithinLimit(row.shares) && isWithinLimit(row.fees)

export const builderFits = (row: BuilderTotals | BuilderDay | BuilderWallet): boolean =>
  isWithinLimit(row.buyShares) && isWithinLimit(row.sellShares) && isWithinLimit(row.fees)

export const builderUsdFits = (row: BuilderTotals): boolean =>
  isWithinLimit(row.buyUsd) && isWithinLimit(row.sellUsd)

export const supplyFits = (row: Supply): boolean => isWithinLimit(row.minted) && isWithinLimit(row.burned)

export const reserveFits = (row: Reserve): boolean => isWithinLimit(row.paidIn) && isWithinLimit(row.paidOut)
