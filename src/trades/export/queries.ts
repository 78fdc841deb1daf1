import { type SeqRange, withinSeq } from '../../lookups/seq-range.js'
import { isOneOfTags } from '../../lookups/tag-filter.js'
import { type Fragment, joinFragments, type Sql, withoutPreparedPlan } from '../../store/connection.js'
import { hex, isMakerOrder, isMarketFill, isSell, isTakerOrder } from '../../store/sql-words.js'

/** Which fills of a market: those of resting orders, the logs of the orders that took them, or both. */
export type FillKind = 'maker' | 'taker' | 'all'

/** Whose fills: those that a wallet made or took, those of its own orders, or those of tokens. */
export type ExportSubject =
  | { of: 'wallet'; wallet: number; view: 'all' | 'own' }
  | { of: 'tokens'; tokens: readonly number[]; fills: FillKind }
  | { of: 'tags'; tags: readonly number[]; fills: FillKind }
  | { of: 'all'; fills: FillKind }

/** Combos are left out. */
export type ExportScope = SeqRange & { subject: ExportSubject }

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
  /** Of the order with which the wallet of an export took the fill; null: it did not, or has no order there. */
  ownToken: string | null
  isOwnSell: boolean | null
}

/** How many there are, counted no further than `limit`. Indexes of each partition: wallet, taker, token, primary key. */
export const countExport = (sql: Sql, scope: ExportScope, limit: number) =>
  withoutPreparedPlan(sql<{ count: number }[]>`
    select count(*)::integer
      from (select from (${scanExport(sql, scope, sql`seq`, sql``)}) scans limit ${limit}) counted`)

/** The newest first. Where `isInIndexOrder` says so, `preferIndexOrder` must have been called. */
export function selectExport(sql: Sql, scope: ExportScope, limit: number) {
  const newest = sql`order by seq desc limit ${limit}`
  return withoutPreparedPlan(sql<ExportRow[]>`
    select ${hex(sql, 'f.tx_hash')} as tx_hash,
           ${hex(sql, 'f.order_hash')} as order_hash, b.time as time_sec,
           ${hex(sql, 'maker.address')} as maker,
           ${hex(sql, 'taker.address')} as taker,
           ${hex(sql, 't.token')} as token, f.flags, f.usd, f.shares, f.fee,
           ${ownColumns(sql, scope)}
      from (select * from (${scanExport(sql, scope, sql`*`, newest)}) scans ${newest}) f
     cross join lateral (select time from blocks where number = f.seq >> 20 offset 0) b
     cross join lateral (select address from wallets where id = f.wallet offset 0) maker
     cross join lateral (select address from wallets where id = f.taker offset 0) taker
     cross join lateral (select token from tokens where id = f.token offset 0) t
      ${joinOwnOrder(sql, scope)}
     order by f.seq desc`)
}

/** Whether the scans of a scope come in the order of an index: several tokens have to be sorted. */
export const isInIndexOrder = ({ subject }: ExportScope): boolean =>
  subject.of !== 'tags' && (subject.of !== 'tokens' || subject.tokens.length === 1)

const hasOwnOrders = ({ subject }: ExportScope): boolean => subject.of === 'wallet' && subject.view === 'all'

const ownColumns = (sql: Sql, scope: ExportScope): Fragment =>
  hasOwnOrders(scope)
    ? sql`own.token as own_token, own.is_sell as is_own_sell`
    : sql`null as own_token, null as is_own_sell`

/** The order of a wallet that took a fill is logged after it, in the same transaction. */
function joinOwnOrder(sql: Sql, scope: ExportScope): Fragment {
  const { subject } = scope
  if (subject.of !== 'wallet' || !hasOwnOrders(scope)) return sql``
  return sql`
    left join lateral (
      select ${hex(sql, 't.token')} as token, ${isSell(sql, 'o')} as is_sell
        from fills o
        join tokens t on t.id = o.token
       where f.wallet <> ${subject.wallet} and o.wallet = ${subject.wallet}
         and o.tx_hash = f.tx_hash and ${isTakerOrder(sql, 'o')}
         and o.seq > f.seq and o.seq < ((f.seq >> 20) + 1) << 20
         and ${withinSeq(sql, 'o.seq', scope)}
       limit 1
    ) own on true`
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
  const { subject } = scope
  const within = withinSeq(sql, 'seq', scope)
  if (subject.of !== 'wallet') {
    return sql`
      (select ${columns} from fills
        where ${isOfSubject(sql, subject)} and ${isOfKind(sql, subject.fills)} and ${within} ${tail})`
  }
  const { wallet, view } = subject
  const own = (flags: Fragment) =>
    sql`(select ${columns} from fills where wallet = ${wallet} and ${flags} and ${within} ${tail})`
  if (view === 'own') return own(isMarketFill(sql))
  const made = own(sql`flags & 130 = 0`)
  // The fill of a wallet with itself is among those that it made.
  const taken = sql`
    (select ${columns} from fills
      where taker = ${wallet} and wallet <> ${wallet} and ${isMakerOrder(sql)} and ${isMarketFill(sql)}
        and ${within} ${tail})`
  return joinFragments(sql, [made, taken], sql`union all`)
}

function isOfSubject(sql: Sql, subject: Exclude<ExportSubject, { of: 'wallet' }>): Fragment {
  if (subject.of === 'all') return sql`true`
  if (subject.of === 'tags') {
    // Materialized: without statistics of the tables PostgreSQL would search all markets again for each fill.
    return sql`
      token in (with tagged as materialized (
                  select t.id
                    from event_tags et
                    join markets m on m.event = et.event
                    join tokens t on t.token = any(m.tokens)
                   where ${isOneOfTags(sql, { tags: subject.tags, isCategory: false })})
                select id from tagged)`
  }
  const [only = 0] = subject.tokens
  return subject.tokens.length === 1
    ? sql`token = ${only}`
    : sql`token = any(${[...subject.tokens]}::integer[])`
}

function isOfKind(sql: Sql, fills: FillKind): Fragment {
  if (fills === 'all') return isMarketFill(sql)
  return fills === 'maker' ? sql`flags & 130 = 0` : sql`flags & 130 = 2`
}
