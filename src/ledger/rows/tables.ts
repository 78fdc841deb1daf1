import type { NumberColumn } from '../../store/copy-numbers.js'

/**
 * A table of the ledger whose rows change. The row caches, the undo journal, the reorganisation, the rebuild
 * and the audit are written once for all tables and iterate over these descriptions.
 */
export type LedgerTable = {
  name: string
  /** The columns of the primary key, all of type integer. */
  keys: readonly [string] | readonly [string, string]
  /** Names of the other columns. */
  values: readonly string[]
  /** Keys, then values: the order in which COPY and the journal have them. */
  columns: readonly LedgerColumn[]
  /** Columns of type bigint that are numbers in code: `seq`s and prices. */
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
const MINUTE_MAX = 2 ** 26
const DAY_MAX = 2 ** 16

const TOTALS_SEQS = ['first_fill', 'last_fill', 'first_fee', 'last_fee']
const CANDLE_SEQS = ['open', 'high', 'low', 'close', 'first_seq', 'last_seq']

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
      /** 1: the token is a combo. */
      isCombo: 0,
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
  /** Of all positions but those in combos, which have totals of their own. */
  walletTotals: ledgerTable(
    { name: 'wallet_totals', keys: ['wallet'], seqs: TOTALS_SEQS, share: 1 / 4 },
    makeTotals,
  ),
  comboTotals: ledgerTable(
    { name: 'combo_totals', keys: ['wallet'], seqs: TOTALS_SEQS, share: 1 / 32 },
    makeTotals,
  ),
  /** One-sided: only fills of taking orders count into candles and totals of a token. */
  minuteCandles: ledgerTable(
    {
      name: 'minute_candles',
      keys: ['token', 'minute'],
      secondMax: MINUTE_MAX,
      seqs: CANDLE_SEQS,
      share: 1 / 8,
    },
    (token, minute) => ({ token, minute, ...makeCandle() }),
  ),
  hourCandles: ledgerTable(
    { name: 'hour_candles', keys: ['token', 'hour'], secondMax: HOUR_MAX, seqs: CANDLE_SEQS, share: 1 / 8 },
    (token, hour) => ({ token, hour, ...makeCandle() }),
  ),
  tokenTotals: ledgerTable(
    { name: 'token_totals', keys: ['token'], seqs: ['first_seq', 'last_seq'], share: 1 / 8 },
    (token) => ({
      token,
      trades: 0,
      firstSeq: 0,
      lastSeq: 0,
      volume: 0n,
      shares: 0n,
      buyVolume: 0n,
      fees: 0n,
    }),
  ),
  /** All fills whose orders name a builder, of makers and takers, without combos. */
  builderTotals: ledgerTable(
    { name: 'builder_totals', keys: ['builder'], seqs: ['first_seq', 'last_seq'], share: 1 / 64 },
    (builder) => ({
      builder,
      fills: 0,
      wallets: 0,
      firstSeq: 0,
      lastSeq: 0,
      buyShares: 0n,
      sellShares: 0n,
      buyUsd: 0n,
      sellUsd: 0n,
      fees: 0n,
    }),
  ),
  /** Days are those of Unix time. */
  builderDays: ledgerTable(
    { name: 'builder_days', keys: ['builder', 'day'], secondMax: DAY_MAX, share: 1 / 32 },
    (builder, day) => ({
      builder,
      day,
      fills: 0,
      /** Wallets with a fill on that day, and those whose first one it is. */
      wallets: 0,
      newWallets: 0,
      buyShares: 0n,
      sellShares: 0n,
      fees: 0n,
    }),
  ),
  builderWallets: ledgerTable(
    { name: 'builder_wallets', keys: ['builder', 'wallet'], secondMax: WALLET_MAX, share: 1 / 8 },
    (builder, wallet) => ({
      builder,
      wallet,
      fills: 0,
      activeDays: 0,
      firstSec: 0,
      lastSec: 0,
      buyShares: 0n,
      sellShares: 0n,
      fees: 0n,
    }),
  ),
  supplies: ledgerTable({ name: 'supplies', keys: ['token'], share: 1 / 8 }, (token) => ({
    token,
    minted: 0n,
    burned: 0n,
  })),
  /** Collateral of a condition. Each redeemed leg may have left less than a millionth over. */
  reserves: ledgerTable({ name: 'reserves', keys: ['condition'], share: 1 / 16 }, (condition) => ({
    condition,
    redeemedLegs: 0,
    paidIn: 0n,
    paidOut: 0n,
  })),
  /** The fill that set the token's last price: `usd` for `shares`. */
  lastPrices: ledgerTable({ name: 'last_prices', keys: ['token'], seqs: ['seq'], share: 1 / 8 }, (token) => ({
    token,
    seq: 0,
    usd: 0n,
    shares: 0n,
  })),
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

function makeTotals(wallet: number) {
  return {
    wallet,
    /** Positions that were ever bought. */
    positions: 0,
    /** Positions whose realized profit is above and below zero. */
    wins: 0,
    losses: 0,
    fills: 0,
    /** Fills that paid a fee. */
    feeFills: 0,
    realized: 0n,
    /** Sums of what the positions that won and that lost have realized. */
    profit: 0n,
    loss: 0n,
    /** All shares ever bought. */
    bought: 0n,
    /** Money of all fills. */
    volume: 0n,
    fees: 0n,
    /** `seq` of the first and the last fill, and of those with a fee; 0 for none. */
    firstFill: 0,
    lastFill: 0,
    firstFee: 0,
    lastFee: 0,
  }
}

/** Prices are millionths of a dollar for a share. */
function makeCandle() {
  return {
    trades: 0,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    firstSeq: 0,
    lastSeq: 0,
    volume: 0n,
    shares: 0n,
    buyVolume: 0n,
    fees: 0n,
  }
}

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
