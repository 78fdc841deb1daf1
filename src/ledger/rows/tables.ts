import type { NumberColumn } from '../../store/copy-numbers.js'

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
const TOKEN_MAX = 2 ** 27
const WALLET_MAX = 2 ** 26
const HOUR_MAX = 2 ** 20

/** Every table whose rows change. To `pnl` rows are only added. */
export const LEDGER_TABLES = {
  /** The balance is that of the chain; all other numbers follow the rules of cost and profit. */
  positions: ledgerTable(
    { name: 'positions', keys: ['wallet', 'token'], secondMax: TOKEN_MAX, share: 1 },
    (wallet, token) => ({
      wallet,
      token,
      firstSec: 0,
      lastSec: 0,
      /** Time of the last fill, 0 for none. */
      filledSec: 0,
      /** Exact holding on the chain. */
      balance: 0n,
      held: 0n,
      cost: 0n,
      realized: 0n,
      /** All shares ever bought and their cost without fees. */
      bought: 0n,
      boughtCost: 0n,
      fees: 0n,
    }),
  ),
  walletTotals: ledgerTable(
    { name: 'wallet_totals', keys: ['wallet'], seqs: ['first_fill', 'last_fill'], share: 1 / 4 },
    (wallet) => ({
      wallet,
      /** Positions that were ever bought. */
      positions: 0,
      /** Positions whose realized profit is above and below zero. */
      wins: 0,
      losses: 0,
      fills: 0,
      realized: 0n,
      /** Sums of the profitable and of the losing steps. */
      profit: 0n,
      loss: 0n,
      /** Money of all fills. */
      volume: 0n,
      fees: 0n,
      /** `seq` of the first and the last fill, 0 for none. */
      firstFill: 0,
      lastFill: 0,
    }),
  ),
  /** One-sided: only fills of taking orders count into volume and trades. Hours are Unix time. */
  marketHours: ledgerTable(
    { name: 'market_hours', keys: ['condition', 'hour'], secondMax: HOUR_MAX, share: 1 / 8 },
    (condition, hour) => ({ condition, hour, trades: 0, traders: 0, volume: 0n }),
  ),
  builderHours: ledgerTable(
    { name: 'builder_hours', keys: ['builder', 'hour'], secondMax: HOUR_MAX, share: 1 / 32 },
    (builder, hour) => ({ builder, hour, fills: 0, traders: 0, volume: 0n, fees: 0n }),
  ),
  builderWallets: ledgerTable(
    { name: 'builder_wallets', keys: ['builder', 'wallet'], secondMax: WALLET_MAX, share: 1 / 8 },
    (builder, wallet) => ({
      builder,
      wallet,
      fills: 0,
      firstSec: 0,
      lastSec: 0,
      volume: 0n,
      fees: 0n,
    }),
  ),
  supplies: ledgerTable({ name: 'supplies', keys: ['token'], share: 1 / 8 }, (token) => ({
    token,
    minted: 0n,
    burned: 0n,
  })),
  /** Collateral of a condition. Each redeemed leg may have left less than a millionth behind. */
  reserves: ledgerTable({ name: 'reserves', keys: ['condition'], share: 1 / 16 }, (condition) => ({
    condition,
    redeemedLegs: 0,
    paidIn: 0n,
    paidOut: 0n,
  })),
  /** The fill that set the token's last price: `usd` for `shares`. */
  lastPrices: ledgerTable(
    { name: 'last_prices', keys: ['token'], seqs: ['seq'], share: 1 / 8 },
    (token) => ({ token, seq: 0, usd: 0n, shares: 0n }),
  ),
}

export const LEDGER_TABLE_NAMES = Object.values(LEDGER_TABLES).map(({ name }) => name)

/** The type of a table's rows. */
export type RowOf<Table extends keyof typeof LEDGER_TABLES> = ReturnType<
  (typeof LEDGER_TABLES)[Table]['make']
>

/** Both keys of a row as one exact number, and back. */
export const toKey = (table: { secondMax: number }, first: number, second: number): number =>
  first * table.secondMax + second

export const toIds = ({ secondMax }: { secondMax: number }, key: number): [number, number] => [
  Math.floor(key / secondMax),
  key % secondMax,
]

type TableOptions = Pick<LedgerTable, 'name' | 'keys' | 'seqs'> & {
  secondMax?: number
  share: number
}

function ledgerTable<Row extends LedgerRow>(
  table: TableOptions,
  make: (first: number, second: number) => Row,
): LedgerTableOf<Row> {
  const columns = Object.entries(make(0, 0)).map(([field, zero]): LedgerColumn => {
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const isBig = typeof zero === 'bigint' || table.seqs?.includes(name) === true
    return { name, field, bytes: isBig ? 8 : 4 }
  })
  const values = columns.slice(table.keys.length).map(({ name }) => name)
  return { secondMax: 1, ...table, make, columns, values }
}
