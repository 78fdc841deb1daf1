import type { Page } from '../../core/page.js'
import { blockOf, seqOf } from '../../core/seq.js'
import { hexToBytes } from '../../lib/hex.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { boundedPage } from '../../store/keyset.js'
import {
  blockTime,
  generationOf,
  hex,
  isBuy,
  isComboFill,
  isFeeInMoney,
  isMakerOrder,
  isMarketFill,
  isOfOrder,
  isSell,
  isTakerOrder,
} from '../../store/sql-words.js'
import { rangeAfterCursor, type SeqRange, splitRange, withinSeq } from '../seq-range.js'
import { isTokenTagged, type TagFilter } from '../tag-filter.js'

/** What a wallet is in a fill: the owner of the order, or its counterparty. */
export type TradeRole = 'maker' | 'taker'

/** Which fills. */
export type TradeScope = SeqRange & {
  /** `undefined`: of all wallets, each once, from the side of its owner. */
  wallet?: number | undefined
  /** Only of orders of these wallets, each by a scan of its own; absent: of all. */
  wallets?: readonly number[]
  /** Never empty. Without a wallet it is `maker` alone. */
  roles: readonly TradeRole[]
  /** `undefined`: of all tokens. */
  tokens?: readonly number[] | undefined
  /** Only trades of markets with these tags; absent: of all markets. */
  tagged?: TagFilter[]
  orderHash?: string | undefined
  /** `undefined`: of all builders and of none. */
  builder?: number | undefined
  /** Whether the owner of the order sells; `undefined`: either. */
  isSell?: boolean | undefined
  /** Whether the row is that of an order that took: see `isTakerOrder`; `undefined`: either. */
  isTakerOrder?: boolean | undefined
  /** Only fills whose owner paid a fee. */
  isCharged?: boolean
  usdMin?: bigint | undefined
  /** Compared with what the owner of the order gave: money when it bought, shares when it sold. */
  makerAmountMin?: bigint | undefined
  isAscending?: boolean
}

/** Fills of combos are listed apart from all others. */
export type Kind = 'market' | 'combo'

/** A fill as a list shows it. Bytes are hex text, amounts millionths. */
export type TradeRow = {
  seq: number
  /** The newest fill of the same order that the list has; `seq` itself where orders do not matter. */
  head: number
  role: TradeRole
  timeSec: number
  usd: bigint
  shares: bigint
  /** In money. */
  fee: bigint
  isSell: boolean
  isTakerOrder: boolean
  /** Whether the order of the row's wallet sells; null: the wallet has no order in this transaction. */
  isOwnSell: boolean | null
  generation: number
  token: number
  orderHash: string
  txHash: string
  maker: string
  taker: string
  builder: string | null
  isGone: boolean
}

/** Several fills in one row: the newest of them, and sums over all. */
export type TradeGroupRow = TradeRow & {
  fillCount: number
  /** How many of them are of an order that took. */
  takerFillCount: number
  totalUsd: bigint
  totalShares: bigint
  totalFee: bigint
  totalMakerAmount: bigint
  totalTakerAmount: bigint
  firstSec: number
  txHashes: string[]
}

export type GroupBy = 'order_hash' | 'user_trade'

/**
 * Fills in the order of the chain. Indexes of each partition: wallet (for those with a fee: fee),
 * taker, token or builder, then seq; without any of them the primary key. A wallet with two roles is
 * two scans that are merged: one scan for both could not be in order.
 */
export async function selectTrades(sql: Sql, kind: Kind, scope: TradeScope, page: Page): Promise<TradeRow[]> {
  const isAscending = scope.isAscending ?? false
  const range = rangeAfterCursor({ ...scope, isAscending }, page)
  const rows: TradeRow[] = []
  // An offset may reach into the second part, and only one query can count to it.
  for (const part of page.offset > 0 ? [range] : splitRange(range, isAscending)) {
    const left = { ...page, limit: page.limit - rows.length }
    rows.push(...(await selectTradesWithin(sql, kind, { ...scope, ...part }, left)))
    if (rows.length >= page.limit) break
  }
  return rows
}

function selectTradesWithin(sql: Sql, kind: Kind, scope: TradeScope, page: Page): Promise<TradeRow[]> {
  const scans = scope.roles.map(
    (role) => sql`
      (select ${role} as role, h.seq as head, h.*
         from ${scanFills(sql, kind, scope, role, page.offset + page.limit)})`,
  )
  return selectTradeRows(sql, scope, page, scans)
}

/**
 * The same with the fills of an order side by side, orders by their newest fill. Index of each
 * partition: order_hash, beside those above.
 */
export function selectTradesByOrder(sql: Sql, scope: TradeScope, page: Page): Promise<TradeRow[]> {
  const [head, seq] = page.after ?? []
  const order = direction(sql, scope)
  const limit = page.offset + page.limit
  // The order in which the page before ended may have no fills left.
  const headsMax = limit + 1
  const scans = scope.roles.map(
    (role) => sql`
      (select ${role} as role, h.seq as head, f.*
        from ${scanFills(sql, 'market', scope, role, headsMax, {
          groupBy: 'order_hash',
          isWanted: head === undefined ? sql`true` : sql`h.seq ${beyond(sql, scope)}= ${head}`,
        })}
        left join tokens t on t.id = h.token
       cross join lateral (
          select f.*
            from ${groupFills(sql, 'order_hash', 'f', 'h', sql`coalesce(t.since, 0)`, scope)}
           where ${matches(sql, 'f', 'market', scope, role)}
           order by f.seq ${order}
        ) f
       where ${
         head === undefined || seq === undefined
           ? sql`true`
           : sql`(h.seq, f.seq) ${beyond(sql, scope)} (${head}::bigint, ${seq}::bigint)`
       }
       order by h.seq ${order}, f.seq ${order}
       limit ${limit})`,
  )
  return selectTradeRows(sql, scope, page, scans)
}

/** One row for each order or user action, by its newest fill. Indexes as above. */
export function selectTradeGroups(
  sql: Sql,
  groupBy: GroupBy,
  scope: TradeScope,
  page: Page,
): Promise<TradeGroupRow[]> {
  const [role = 'maker'] = scope.roles
  const heads = sql`
    select ${role} as role, h.seq as head, h.*
      from ${scanFills(sql, 'market', scope, role, page.offset + page.limit, { groupBy })}
     order by h.seq ${direction(sql, scope)}
    offset ${page.offset} limit ${page.limit}`
  return sql<TradeGroupRow[]>`
    with page as materialized (${boundedPage(sql, heads)})
    select ${tradeColumns(sql)}, sums.*
      from page f
      ${tradeJoins(sql, scope)}
      left join tokens t on t.id = f.token
     cross join lateral (
       select count(*)::integer as fill_count,
              (count(*) filter (where ${isTakerOrder(sql, 'g')}))::integer as taker_fill_count,
              sum(g.usd)::bigint as total_usd,
              sum(g.shares)::bigint as total_shares,
              sum(${feeInMoney(sql, 'g')})::bigint as total_fee,
              sum(${makerAmount(sql, 'g')})::bigint as total_maker_amount,
              sum(case when ${isBuy(sql, 'g')} then g.shares else g.usd end)::bigint
                as total_taker_amount,
              ${blockTime(sql, 'min(g.seq)')} as first_sec,
              array_agg(distinct ${hex(sql, 'g.tx_hash')}) as tx_hashes
         from ${groupFills(sql, groupBy, 'g', 'f', sql`coalesce(t.since, 0)`, scope)}
        where ${matches(sql, 'g', 'market', scope, role)}
     ) sums
     order by f.head ${direction(sql, scope)}`
}

/** Fills that are read for those of some wallets, so that a request costs the same for every token. */
export const HOLDER_FILLS_MAX = 5_000

/** Of which wallets; at most `limit` of each. */
type HolderTrades = { wallets: readonly number[]; isSell: boolean | undefined; limit: number }

/**
 * The newest fills of the orders of these wallets among the newest `HOLDER_FILLS_MAX` of the scope, which has one token.
 * Index of each partition: token.
 */
export function selectTradesOfHolders(
  sql: Sql,
  scope: TradeScope,
  { wallets, isSell: sells, limit }: HolderTrades,
): Promise<TradeRow[]> {
  const isSide = sells === undefined ? sql`true` : sells ? isSell(sql, 'f') : isBuy(sql, 'f')
  const newest = sql`
    (select 'maker' as role, h.seq as head, h.*
       from (
         select f.*, row_number() over (partition by f.wallet order by f.seq desc) as place
           from (select f.*
                   from fills f
                  where ${matches(sql, 'f', 'market', scope, 'maker')}
                  order by f.seq desc
                  limit ${HOLDER_FILLS_MAX}) f
          where f.wallet = any(${[...wallets]}::integer[]) and ${isSide}
       ) h
      where h.place <= ${limit})`
  return selectTradeRows(sql, scope, { offset: 0, limit: wallets.length * limit, after: undefined }, [newest])
}

/**
 * The first fills `h` of a scope, no more than `limit` for each of its tokens or wallets. Several of them are
 * several scans: a scan for all of them would have to read and sort everything that they have.
 * `groupBy`: only the newest fill of each group.
 */
function scanFills(
  sql: Sql,
  kind: Kind,
  scope: TradeScope,
  role: TradeRole,
  limit: number,
  { groupBy, isWanted = sql`true` }: { groupBy?: GroupBy; isWanted?: Fragment } = {},
): Fragment {
  const { wallet, wallets, builder, orderHash, tokens } = scope
  const isByToken = [wallet, builder, orderHash].every((filter) => filter === undefined)
  const scan = (scanned: TradeScope, ofOne: Fragment) => sql`
    (select h.*
       from fills h
      where ${ofOne} ${isWanted} and ${matches(sql, 'h', kind, scanned, role)}
        ${groupBy === undefined ? sql`` : sql`and ${isNewestOfGroup(sql, groupBy, scope, role)}`}
      order by h.seq ${direction(sql, scope)}
      limit ${limit}) h`
  if (wallets !== undefined) {
    return sql`
      unnest(${[...wallets]}::integer[]) as wanted (wallet)
      cross join lateral ${scan(scope, sql`h.wallet = wanted.wallet and`)}`
  }
  if (tokens === undefined || tokens.length === 1 || !isByToken) return scan(scope, sql``)
  return sql`
    unnest(${[...tokens]}::integer[]) as wanted (token)
    cross join lateral ${scan({ ...scope, tokens: undefined }, sql`h.token = wanted.token and`)}`
}

const direction = (sql: Sql, { isAscending }: TradeScope): Fragment => (isAscending ? sql`asc` : sql`desc`)

const beyond = (sql: Sql, { isAscending }: TradeScope): Fragment => (isAscending ? sql`>` : sql`<`)

/** Merges the rows of scans, each of them in order and no longer than needed, and reads what a page of them names. */
function selectTradeRows(
  sql: Sql,
  scope: TradeScope,
  { offset, limit }: Page,
  scans: readonly Fragment[],
): Promise<TradeRow[]> {
  const order = direction(sql, scope)
  const merged = sql`
    select * from (${joinFragments(sql, scans, sql`union all`)}) scans
     order by head ${order}, seq ${order} offset ${offset} limit ${limit}`
  return sql<TradeRow[]>`
    with page as materialized (${boundedPage(sql, merged)})
    select ${tradeColumns(sql)}
      from page f
      ${tradeJoins(sql, scope)}
     order by f.head ${order}, f.seq ${order}`
}

// `seq >> 20` is the block. The bits of fills.flags are in core/fact-flags.ts.

const tradeColumns = (sql: Sql): Fragment => sql`
  f.seq::float8, f.head::float8, f.role, b.time as time_sec, f.usd, f.shares,
  ${feeInMoney(sql, 'f')} as fee, ${isSell(sql, 'f')} as is_sell, own.is_sell as is_own_sell,
  ${isTakerOrder(sql, 'f')} as is_taker_order,
  ${generationOf(sql, 'f')} as generation, f.token,
  ${hex(sql, 'f.order_hash')} as order_hash, ${hex(sql, 'f.tx_hash')} as tx_hash,
  ${hex(sql, 'maker.address')} as maker, ${hex(sql, 'taker.address')} as taker,
  ${hex(sql, 'builders.code')} as builder,
  b.number is null or maker.id is null or taker.id is null as is_gone`

const tradeJoins = (sql: Sql, scope: TradeScope): Fragment => sql`
  left join blocks b on b.number = f.seq >> 20
  left join wallets maker on maker.id = f.wallet
  left join wallets taker on taker.id = f.taker
  left join builders on builders.id = f.builder
  left join lateral (${selectOwnSide(sql, scope)}) own on true`

/**
 * The counterparty's own order was matched in the same transaction and is logged after this fill. Each table of
 * partitions in a statement makes it longer to plan, so it is left out where no row can be of a counterparty.
 */
const selectOwnSide = (sql: Sql, { min, until, roles }: TradeScope): Fragment =>
  roles.includes('taker')
    ? sql`
    select ${isSell(sql, 'o')} as is_sell
      from fills o
     where f.role = 'taker' and o.wallet = f.taker and o.tx_hash = f.tx_hash
       and ${isTakerOrder(sql, 'o')}
       and o.seq > f.seq and o.seq < ((f.seq >> 20) + 1) << 20
       and o.seq between ${min} and ${seqOf(blockOf(until) + 1, 0)}
     limit 1`
    : sql`select null::boolean as is_sell`

/** The rule of `feeInMoney` in core/money.ts, for sums. */
const feeInMoney = (sql: Sql, alias: string): Fragment => sql`
  case when ${isFeeInMoney(sql, alias)} then ${sql(alias)}.fee
       else div(${sql(alias)}.fee::numeric * ${sql(alias)}.usd, ${sql(alias)}.shares)::bigint end`

const makerAmount = (sql: Sql, alias: string): Fragment => sql`
  case when ${isBuy(sql, alias)} then ${sql(alias)}.usd else ${sql(alias)}.shares end`

/** Whether no newer fill of the group of `h` is wanted. */
const isNewestOfGroup = (sql: Sql, groupBy: GroupBy, scope: TradeScope, role: TradeRole): Fragment => sql`
  not exists (
    select
      from ${groupFills(sql, groupBy, 'n', 'h', sql`h.seq + 1`, scope)}
     where ${matches(sql, 'n', 'market', scope, role)}
  )`

/**
 * The fills from `since` on that are in one group with `other`: those of its order; or of its token,
 * in its direction, in its transaction. `offset 0` keeps PostgreSQL from finding them by wallet or
 * token instead of by order or block, which takes a hundred times as long.
 */
function groupFills(
  sql: Sql,
  groupBy: GroupBy,
  alias: string,
  other: string,
  since: Fragment,
  { until }: SeqRange,
): Fragment {
  const o = sql(other)
  const isOfGroup =
    groupBy === 'order_hash'
      ? sql`${isOfOrder(sql, 'fills.order_hash', sql`${o}.order_hash`)} and seq between ${since} and ${until}`
      : sql`seq between greatest((${o}.seq >> 20) << 20, ${since}) and (((${o}.seq >> 20) + 1) << 20) - 1
            and tx_hash = ${o}.tx_hash and token = ${o}.token and flags & 1 = ${o}.flags & 1`
  return sql`(select * from fills where ${isOfGroup} offset 0) ${sql(alias)}`
}

function matches(sql: Sql, alias: string, kind: Kind, scope: TradeScope, role: TradeRole): Fragment {
  const f = sql(alias)
  const { wallet, tokens, orderHash, builder, isSell, isCharged, usdMin, makerAmountMin } = scope
  const { isTakerOrder: takes } = scope
  const conditions = [
    withinSeq(sql, `${alias}.seq`, scope),
    kind === 'combo' ? isComboFill(sql, alias) : isMarketFill(sql, alias),
  ]
  if (wallet !== undefined && role === 'maker') conditions.push(sql`${f}.wallet = ${wallet}`)
  if (wallet !== undefined && role === 'taker') {
    // The fill of a wallet with itself is a row of its owner.
    conditions.push(sql`${f}.taker = ${wallet} and ${isMakerOrder(sql, alias)} and ${f}.wallet <> ${wallet}`)
  }
  if (tokens?.length === 1) conditions.push(sql`${f}.token = ${tokens[0] ?? 0}`)
  else if (tokens !== undefined) conditions.push(sql`${f}.token = any(${[...tokens]}::integer[])`)
  for (const filter of scope.tagged ?? []) {
    conditions.push(isTokenTagged(sql, `${alias}.token`, filter))
  }
  if (orderHash !== undefined) {
    conditions.push(isOfOrder(sql, `${alias}.order_hash`, sql`${hexToBytes(orderHash)}::bytea`))
  }
  if (builder !== undefined) conditions.push(sql`${f}.builder = ${builder}`)
  if (isSell !== undefined) conditions.push(sql`${f}.flags & 1 = ${isSell ? 1 : 0}`)
  // Rows of the role `taker` are of no order that took, as their condition above says.
  if (takes === true) conditions.push(isTakerOrder(sql, alias))
  if (takes === false && role === 'maker') conditions.push(isMakerOrder(sql, alias))
  if (isCharged) conditions.push(sql`${f}.fee > 0`)
  if (usdMin !== undefined) conditions.push(sql`${f}.usd >= ${usdMin}`)
  if (makerAmountMin !== undefined) {
    conditions.push(sql`${makerAmount(sql, alias)} >= ${makerAmountMin}`)
  }
  return joinFragments(sql, conditions, sql`and`)
}
