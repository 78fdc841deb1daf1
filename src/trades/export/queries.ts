import { type SeqRange, withinSeq } from '../../blocks/seq-range.js'
import { type Fragment, joinFragments, planAnew, type Sql } from '../../store/connection.js'

/** Which fills: those that a wallet made or took, or those of its own orders. Combos are left out. */
export type ExportScope = SeqRange & { wallet: number; view: 'all' | 'own' }

/** Bytes are hex text, amounts millionths. */
export type ExportRow = {
  txHash: string
  orderHash: string
  timeSec: number
  maker: string
  taker: string
  token: string
  flags: number
  usd: bigint
  shares: bigint
  fee: bigint
}

/** How many there are, counted no further than `limit`. Indexes of each partition: wallet, taker. */
export const countExport = (sql: Sql, scope: ExportScope, limit: number) =>
  planAnew(sql<{ count: number }[]>`
    select count(*)::integer
      from (select from (${scanExport(sql, scope, sql`seq`, sql``)}) scans limit ${limit}) counted`)

/** The newest first, in the order of the indexes above: `preferIndexOrder` must have been called. */
export function selectExport(sql: Sql, scope: ExportScope, limit: number) {
  const newest = sql`order by seq desc limit ${limit}`
  return planAnew(sql<ExportRow[]>`
    select '0x' || encode(f.tx_hash, 'hex') as tx_hash,
           '0x' || encode(f.order_hash, 'hex') as order_hash, b.time as time_sec,
           '0x' || encode(maker.address, 'hex') as maker,
           '0x' || encode(taker.address, 'hex') as taker,
           '0x' || encode(t.token, 'hex') as token, f.flags, f.usd, f.shares, f.fee
      from (select * from (${scanExport(sql, scope, sql`*`, newest)}) scans ${newest}) f
     cross join lateral (select time from blocks where number = f.seq >> 20 offset 0) b
     cross join lateral (select address from wallets where id = f.wallet offset 0) maker
     cross join lateral (select address from wallets where id = f.taker offset 0) taker
     cross join lateral (select token from tokens where id = f.token offset 0) t
     order by f.seq desc`)
}

/**
 * For the rest of a transaction. PostgreSQL takes tests of bits for rare, and would read and sort what
 * it believes to be few rows before it sends the first one.
 */
export const preferIndexOrder = (sql: Sql) => sql`set local enable_sort = off`

// Bits of flags: 2 taker order, 128 combo. `flags & 130` keeps PostgreSQL from the index of takers,
// whose condition `flags & 2 = 0` is.
/** `tail`: order and limit of each scan; scans that are in order can be merged without a sort. */
function scanExport(sql: Sql, scope: ExportScope, columns: Fragment, tail: Fragment): Fragment {
  const { wallet, view } = scope
  const within = withinSeq(sql, 'seq', scope)
  const own = (flags: Fragment) =>
    sql`(select ${columns} from fills where wallet = ${wallet} and ${flags} and ${within} ${tail})`
  if (view === 'own') return own(sql`flags & 128 = 0`)
  const made = own(sql`flags & 130 = 0`)
  // The fill of a wallet with itself is among those that it made.
  const taken = sql`
    (select ${columns} from fills
      where taker = ${wallet} and wallet <> ${wallet} and flags & 2 = 0 and flags & 128 = 0
        and ${within} ${tail})`
  return joinFragments(sql, [made, taken], sql`union all`)
}
