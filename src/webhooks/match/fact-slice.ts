import { type Sql, withoutPreparedPlan } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import { SliceMarkets } from './slice-markets.js'

/** The facts that a pass of the matcher reads: whole blocks, in one snapshot of the database. */
export type FactSlice = SliceRange & {
  sql: Sql
  markets: SliceMarkets
  /** The fills of this part, without combos, in the order of `seq`. */
  fills(): Promise<readonly SliceFill[]>
  /** Reads something once for all detectors. */
  once<Value>(read: (slice: FactSlice) => Promise<Value>): Promise<Value>
}

export type SliceRange = {
  /** Behind this place, up to and with the other one. */
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
  place: number
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

/** Reads when it is asked. `sql` is an open transaction that sees one state of the database. */
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

type FillRow = Omit<SliceFill, 'place'>

/**
 * The fills behind one place, up to another. Index: the primary key of each partition. Planned for its
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
  return withPlaces(rows)
}

/** Numbers the facts of each transaction from 0. They are in the order of `seq`. */
export function withPlaces<Row extends { txHash: string }>(
  rows: readonly Row[],
): (Row & { place: number })[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const place = counts.get(row.txHash) ?? 0
    counts.set(row.txHash, place + 1)
    return { ...row, place }
  })
}
