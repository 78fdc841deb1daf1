import { blockOf, seqOf } from '../../core/seq.js'
import { type Fragment, type Sql, withoutPreparedPlan } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import { SliceMarkets } from './slice-markets.js'

/** The facts that a pass of the matcher reads: whole blocks, in one snapshot of the database. */
export type FactSlice = SliceRange & {
  sql: Sql
  markets: SliceMarkets
  /** The fills of this slice, without combos, in the order of `seq`. */
  fills(): Promise<readonly SliceFill[]>
  /** Reads something once for all detectors. */
  once<Value>(read: (slice: FactSlice) => Promise<Value>): Promise<Value>
}

export type SliceRange = {
  /** After the first one, up to and with the other one. */
  afterSeq: number
  toSeq: number
  /** The last fact in this snapshot: what the ledger's rows stand for. Above `toSeq` while the matcher lags. */
  headSeq: number
  /** Of the block at `headSeq`. */
  headTimeSec: number
  nowMs: number
  /** Whether a webhook asks for a type. */
  asksFor(type: WebhookEventType): boolean
  /** Whether a webhook asks for a type and, where it names wallets, for this one. Answered from memory. */
  isWatched(type: WebhookEventType, wallet: string): boolean
}

/** An order was filled, from the side of its owner. Bytes are hex text with `0x`. */
export type SliceFill = {
  seq: number
  timeSec: number
  /** Number among the fills of its transaction, from 0. */
  ordinal: number
  maker: string
  /** The other side; the exchange itself when the order took. */
  taker: string
  isTaker: boolean
  isSell: boolean
  token: string
  /** Millionths, all three. */
  usd: bigint
  shares: bigint
  /** In money. */
  fee: bigint
  builder: string | null
  orderHash: string
  txHash: string
  /** It is the first fill of its maker. */
  isFirstOfMaker: boolean
}

/** Reads when a detector calls it. `sql` is an open transaction that sees one state of the database. */
export function openSlice(sql: Sql, range: SliceRange): FactSlice {
  const values = new Map<unknown, Promise<unknown>>()
  const slice: FactSlice = {
    ...range,
    sql,
    markets: new SliceMarkets(sql),
    fills: () => slice.once(selectSliceFills),
    once<Value>(read: (slice: FactSlice) => Promise<Value>) {
      const value = (values.get(read) ?? read(slice)) as Promise<Value>
      values.set(read, value)
      return value
    },
  }
  return slice
}

type FillRow = Omit<SliceFill, 'ordinal'>

/**
 * The fills of a slice. Index: the primary key of each partition. Planned for its
 * values, because a plan for any range expects a large part of the table, and reads all wallets for it.
 */
async function selectSliceFills({ sql, afterSeq, toSeq }: FactSlice): Promise<SliceFill[]> {
  // Bits of flags: 1 sell, 2 taker order, 4 fee in shares, 128 combo.
  const rows = await withoutPreparedPlan(sql<FillRow[]>`
    select f.seq::float8, b.time as time_sec, f.usd, f.shares,
           case when f.flags & 4 = 0 or f.shares = 0 then f.fee
                else div(f.fee::numeric * f.usd, f.shares)::bigint end as fee,
           f.flags & 1 <> 0 as is_sell, f.flags & 2 <> 0 as is_taker,
           '0x' || encode(maker.address, 'hex') as maker,
           '0x' || encode(taker.address, 'hex') as taker,
           '0x' || encode(tokens.token, 'hex') as token,
           '0x' || encode(builders.code, 'hex') as builder,
           '0x' || encode(f.order_hash, 'hex') as order_hash,
           '0x' || encode(f.tx_hash, 'hex') as tx_hash,
           coalesce(totals.first_fill = f.seq, false) as is_first_of_maker
      from fills f
      join blocks b on b.number = f.seq >> 20
      join wallets maker on maker.id = f.wallet
      join wallets taker on taker.id = f.taker
      join tokens on tokens.id = f.token
      left join builders on builders.id = f.builder
      left join wallet_totals totals on totals.wallet = f.wallet
     where f.seq > ${afterSeq} and f.seq <= ${toSeq} and f.flags & 128 = 0
     order by f.seq`)
  return withOrdinals(rows)
}

/** A fact of a wallet. `ordinal`: its number among the facts of its kind in the transaction, from 0. */
export type WalletFact = { seq: number; timeSec: number; txHash: string; ordinal: number; wallet: string }

type FactQuery = { columns: Fragment; joins?: Fragment; where?: Fragment }

/**
 * The facts `f` of a table in a slice, in the order of `seq`. Index: the primary key. Planned for its values,
 * as the fills are.
 */
export async function selectWalletFacts<Row extends WalletFact>(
  { sql, afterSeq, toSeq }: Pick<FactSlice, 'sql' | 'afterSeq' | 'toSeq'>,
  table: string,
  { columns, joins = sql``, where = sql`true` }: FactQuery,
): Promise<Row[]> {
  const rows = await withoutPreparedPlan(sql<Omit<Row, 'ordinal'>[]>`
    select f.seq::float8, b.time as time_sec, '0x' || encode(f.tx_hash, 'hex') as tx_hash,
           '0x' || encode(w.address, 'hex') as wallet, ${columns}
      from ${sql(table)} f
      join blocks b on b.number = f.seq >> 20
      join wallets w on w.id = f.wallet
      ${joins}
     where f.seq > ${afterSeq} and f.seq <= ${toSeq} and ${where}
     order by f.seq`)
  return withOrdinals(rows) as Row[]
}

/** Numbers the facts of each transaction from 0. They are in the order of `seq`. */
export function withOrdinals<Row extends { txHash: string }>(
  rows: readonly Row[],
): (Row & { ordinal: number })[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const ordinal = counts.get(row.txHash) ?? 0
    counts.set(row.txHash, ordinal + 1)
    return { ...row, ordinal }
  })
}

/** Addresses that are looked up by one query. */
const LOOKUP_MAX = 20_000

/** Those of the wallets that a webhook watches: id to address. The work grows with the number of ids. */
export async function selectWatched(
  { sql, isWatched }: Pick<FactSlice, 'sql' | 'isWatched'>,
  type: WebhookEventType,
  ids: Iterable<number>,
): Promise<Map<number, string>> {
  const watched = new Map<number, string>()
  const all = [...ids]
  for (let from = 0; from < all.length; from += LOOKUP_MAX) {
    const some = all.slice(from, from + LOOKUP_MAX)
    const rows = await sql<{ id: number; address: string }[]>`
      select id, '0x' || encode(address, 'hex') as address
        from wallets where id = any(${some}::integer[])`
    for (const { id, address } of rows) if (isWatched(type, address)) watched.set(id, address)
  }
  return watched
}

/**
 * The transactions of stored facts that move tokens, by their `seq`. A split or merge that another log
 * of the transaction explains has no hash: the next fact with one is of the same transaction.
 * Planned for its values: a plan for any would look into every partition. Indexes: the primary keys.
 */
export async function selectTransactions(sql: Sql, seqs: readonly number[]): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  const wanted = sql`seq = any(${[...seqs]}::bigint[])`
  const rows = await withoutPreparedPlan(sql<{ seq: number; txHash: string }[]>`
    select distinct seq::float8, '0x' || encode(tx_hash, 'hex') as tx_hash
      from (select seq, tx_hash from fills where ${wanted}
            union all select seq, tx_hash from splits where ${wanted} and tx_hash is not null
            union all select seq, tx_hash from redemptions where ${wanted}
            union all select seq, tx_hash from conversions where ${wanted}
            union all select seq, tx_hash from migrations where ${wanted}
            union all select seq, tx_hash from transfers where ${wanted}) stored`)
  const hashes = new Map(rows.map(({ seq, txHash }) => [seq, txHash]))
  for (const seq of seqs) {
    if (hashes.has(seq)) continue
    const next = await selectNextTransaction(sql, seq)
    if (next !== undefined) hashes.set(seq, next)
  }
  return hashes
}

async function selectNextTransaction(sql: Sql, seq: number): Promise<string | undefined> {
  const end = seqOf(blockOf(seq) + 1, 0)
  const [row] = await withoutPreparedPlan(sql<{ txHash: string }[]>`
    select '0x' || encode(tx_hash, 'hex') as tx_hash
      from ((select seq, tx_hash from fills where seq > ${seq} and seq < ${end} order by seq limit 1)
            union all
            (select seq, tx_hash from splits
              where seq > ${seq} and seq < ${end} and tx_hash is not null order by seq limit 1)
            union all
            (select seq, tx_hash from transfers where seq > ${seq} and seq < ${end} order by seq limit 1)
           ) later
     order by later.seq
     limit 1`)
  return row?.txHash
}
