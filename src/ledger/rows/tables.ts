import type { NumberColumn } from '../../store/copy-numbers.js'
import type {
  BuilderHour,
  BuilderWallet,
  LastPrice,
  MarketHour,
  Position,
  Reserve,
  Supply,
  WalletTotals,
} from '../books.js'

/**
 * A table of the ledger whose rows change. The row caches, the undo journal, the rewind, the rebuild
 * and the audit are written once for all tables and walk these descriptions.
 */
export type LedgerTable = {
  name: string
  /** The columns of the primary key, all of type integer. */
  keys: readonly [string] | readonly [string, string]
  /** Names of the other columns. */
  values: readonly string[]
  /** Keys, then values: the order in which COPY and the journal have them. */
  columns: readonly LedgerColumn[]
  /** Columns of type bigint that are numbers in code. */
  seqs?: readonly string[]
}

export type LedgerTableOf<Row extends LedgerRow> = LedgerTable & {
  /** The second key is below it: both keys together are one exact number. */
  secondMax: number
  /** How many rows the cache keeps for each position that it keeps. */
  share: number
  /** The row with zeros. Its fields are the columns in camel case: numbers integer, bigints bigint. */
  make(first: number, second: number): Row
}

/** `field` is the name of the column in the rows. */
type LedgerColumn = NumberColumn & { field: string }

export type LedgerRow = Record<string, number | bigint>

/** Bounds of a second key; the first key has the rest of 53 bits. */
const SECOND_MAX = { none: 1, token: 2 ** 27, wallet: 2 ** 26, hour: 2 ** 20 }

export const POSITIONS = ledgerTable<Position>({
  name: 'positions',
  keys: ['wallet', 'token'],
  secondMax: SECOND_MAX.token,
  share: 1,
  make: (wallet, token) => ({
    wallet,
    token,
    firstSec: 0,
    lastSec: 0,
    filledSec: 0,
    balance: 0n,
    held: 0n,
    cost: 0n,
    realized: 0n,
    bought: 0n,
    boughtCost: 0n,
    fees: 0n,
  }),
})

export const WALLET_TOTALS = ledgerTable<WalletTotals>({
  name: 'wallet_totals',
  keys: ['wallet'],
  seqs: ['first_fill', 'last_fill'],
  secondMax: SECOND_MAX.none,
  share: 1 / 4,
  make: (wallet) => ({
    wallet,
    positions: 0,
    wins: 0,
    losses: 0,
    fills: 0,
    realized: 0n,
    profit: 0n,
    loss: 0n,
    volume: 0n,
    fees: 0n,
    firstFill: 0,
    lastFill: 0,
  }),
})

export const MARKET_HOURS = ledgerTable<MarketHour>({
  name: 'market_hours',
  keys: ['condition', 'hour'],
  secondMax: SECOND_MAX.hour,
  share: 1 / 8,
  make: (condition, hour) => ({ condition, hour, trades: 0, traders: 0, volume: 0n }),
})

export const BUILDER_HOURS = ledgerTable<BuilderHour>({
  name: 'builder_hours',
  keys: ['builder', 'hour'],
  secondMax: SECOND_MAX.hour,
  share: 1 / 32,
  make: (builder, hour) => ({ builder, hour, fills: 0, traders: 0, volume: 0n, fees: 0n }),
})

export const BUILDER_WALLETS = ledgerTable<BuilderWallet>({
  name: 'builder_wallets',
  keys: ['builder', 'wallet'],
  secondMax: SECOND_MAX.wallet,
  share: 1 / 8,
  make: (builder, wallet) => ({
    builder,
    wallet,
    fills: 0,
    firstSec: 0,
    lastSec: 0,
    volume: 0n,
    fees: 0n,
  }),
})

export const SUPPLIES = ledgerTable<Supply>({
  name: 'supplies',
  keys: ['token'],
  secondMax: SECOND_MAX.none,
  share: 1 / 8,
  make: (token) => ({ token, minted: 0n, burned: 0n }),
})

export const RESERVES = ledgerTable<Reserve>({
  name: 'reserves',
  keys: ['condition'],
  secondMax: SECOND_MAX.none,
  share: 1 / 16,
  make: (condition) => ({ condition, redeemedLegs: 0, paidIn: 0n, paidOut: 0n }),
})

export const LAST_PRICES = ledgerTable<LastPrice>({
  name: 'last_prices',
  keys: ['token'],
  seqs: ['seq'],
  secondMax: SECOND_MAX.none,
  share: 1 / 8,
  make: (token) => ({ token, seq: 0, usd: 0n, shares: 0n }),
})

/** Every table whose rows change. To `pnl` rows are only added. */
export const LEDGER_TABLES: readonly LedgerTable[] = [
  POSITIONS,
  WALLET_TOTALS,
  MARKET_HOURS,
  BUILDER_HOURS,
  BUILDER_WALLETS,
  SUPPLIES,
  RESERVES,
  LAST_PRICES,
]

/** Both keys of a row as one exact number, and back. */
export const toKey = (table: { secondMax: number }, first: number, second: number): number =>
  first * table.secondMax + second

export const toIds = ({ secondMax }: { secondMax: number }, key: number): [number, number] => [
  Math.floor(key / secondMax),
  key % secondMax,
]

function ledgerTable<Row extends LedgerRow>(
  table: Omit<LedgerTableOf<Row>, 'columns' | 'values'>,
): LedgerTableOf<Row> {
  const columns = Object.entries(table.make(0, 0)).map(([field, zero]): LedgerColumn => {
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const isBig = typeof zero === 'bigint' || table.seqs?.includes(name) === true
    return { name, field, bytes: isBig ? 8 : 4 }
  })
  const values = columns.slice(table.keys.length).map(({ name }) => name)
  return { ...table, columns, values }
}
