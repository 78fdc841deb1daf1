import { LOGS_PER_BLOCK } from '../core/seq.js'
import { hexToBytes } from '../lib/hex.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { isUserAct } from '../wallets/activity/queries.js'
import { BASIS, type FactSums } from './score.js'

/** Facts with `starts[0]` <= seq <= `until`, cut into slices that begin at each of the starts. */
export type WalkRange = { starts: readonly number[]; until: number }

const BLOCK_NONE = 2 ** 31 - 1

/**
 * The places on the chain where windows begin and end, both ends included. `undefined`: no block is old
 * enough. Index: blocks_time.
 */
export async function selectWalkRange(
  sql: Sql,
  { fromSecs, toSec }: { fromSecs: readonly number[]; toSec: number },
): Promise<WalkRange | undefined> {
  type Row = { firsts: number[]; last: number | null; head: number | null }
  const [row] = await sql<Row[]>`
    select array(
             select coalesce((select number from blocks where time >= start.sec
                               order by time, number limit 1), ${BLOCK_NONE})
               from unnest(${[...fromSecs]}::bigint[]) with ordinality as start (sec, place)
              order by start.place) as firsts,
           (select number from blocks where time <= ${toSec}::bigint
             order by time desc, number desc limit 1) as last,
           (select block from chain_state) as head`
  if (row?.last == null || row.head === null) return undefined
  const until = (Math.min(row.last, row.head) + 1) * LOGS_PER_BLOCK - 1
  return { starts: row.firsts.map((block) => block * LOGS_PER_BLOCK), until }
}

type FactPage = {
  /** Sums by the index of the slice; slices without facts are left out. */
  slices: { slice: number; facts: FactSums }[]
  /** The facts up to this `seq`, inclusive, are still to be summed; `undefined`: there are none. */
  rest: number | undefined
}

type SumsRow = { [Sum in keyof FactSums]: FactSums[Sum] extends bigint ? string : number } & {
  slice: number
  edge: number
}

/**
 * Sums over the newest facts of the range that are the wallet's own, `limit` of them at most: fills of
 * its orders, and splits, merges, redemptions and conversions that it wanted, without combos. Each table
 * is one scan in order; indexes: wallet of each partition, conversions_wallet, wallets_address_key.
 *
 * Facts of different tables may have the same `seq`. So the lowest one of a full page is left for the
 * next.
 */
export async function selectFactSums(
  sql: Sql,
  address: string,
  { starts, until }: WalkRange,
  { slippageBp, limit }: { slippageBp: number; limit: number },
): Promise<FactPage> {
  const [min = 0] = starts
  const scan = (table: string, columns: Fragment, isWanted: Fragment) => sql`
    (select a.seq, ${columns} from ${sql(table)} a
      where a.wallet = (select id from wallets where address = ${hexToBytes(address)})
        and a.seq between ${min} and ${until} and ${isWanted}
      order by a.seq desc limit ${limit})`
  const scans = [
    scan('fills', fillColumns(sql, slippageBp), isMarketFill(sql)),
    scan(
      'splits',
      sql`case when a.flags & 1 = 0 then 'split' else 'merge' end, a.amount, 0, false`,
      isUserAct(sql, 'a'),
    ),
    scan('redemptions', sql`'redemption', a.payout, 0, false`, isUserAct(sql, 'a')),
    scan('conversions', sql`'conversion', a.cash, 0, false`, sql`true`),
  ]
  const isOf = (kind: string) => sql`kind = ${kind}`
  const count = (kind: Fragment) => sql`(count(*) filter (where ${kind}))::integer`
  const sum = (what: Fragment, kind: Fragment) =>
    sql`coalesce(sum(${what}) filter (where ${kind}), 0)::text`
  const rows = await sql<SumsRow[]>`
    with page as materialized (
      select * from (${joinFragments(sql, scans, sql`union all`)}) facts (seq, kind, usd, shares, is_capped)
       order by seq desc limit ${limit}
    ), edge as materialized (
      select case when count(*) = ${limit} then min(seq) else -1 end as seq from page
    )
    select width_bucket(page.seq, ${[...starts]}::bigint[]) as slice,
           max(edge.seq)::float8 as edge,
           ${count(sql`kind in ('buy', 'sell')`)} as trades,
           ${sum(sql`usd`, sql`kind = 'buy' and not is_capped`)} as bought,
           ${sum(sql`usd`, sql`kind = 'buy' and is_capped`)} as bought_capped,
           ${sum(sql`greatest(usd, shares)`, sql`kind = 'buy' and is_capped`)} as copied_capped,
           ${sum(sql`usd`, isOf('sell'))} as sold,
           ${count(isOf('redemption'))} as redemptions, ${sum(sql`usd`, isOf('redemption'))} as redeemed,
           ${count(isOf('merge'))} as merges, ${sum(sql`usd`, isOf('merge'))} as merged,
           ${count(isOf('split'))} as splits, ${sum(sql`usd`, isOf('split'))} as split,
           ${count(isOf('conversion'))} as conversions,
           ${sum(sql`usd`, isOf('conversion'))} as converted
      from page, edge
     where page.seq > edge.seq
     group by slice`
  const edge = rows[0]?.edge ?? -1
  return {
    slices: rows.map((row) => ({ slice: row.slice - 1, facts: toFactSums(row) })),
    rest: edge < 0 ? undefined : edge,
  }
}

/** Bit of the flags: 128 combo. */
const isMarketFill = (sql: Sql): Fragment => sql`a.flags & 128 = 0`

/**
 * The one place that says at which fills a dollar a share caps the price of a copier. Bit of the flags:
 * 1 sell. Numeric, because the largest amounts times the basis do not fit a bigint.
 */
const fillColumns = (sql: Sql, slippageBp: number): Fragment => sql`
  case when a.flags & 1 = 0 then 'buy' else 'sell' end as kind, a.usd, a.shares,
  a.flags & 1 = 0
    and a.usd::numeric * ${Number(BASIS) + slippageBp}::integer > a.shares::numeric * ${Number(BASIS)}::integer
    as is_capped`

const toFactSums = (row: SumsRow): FactSums => ({
  trades: row.trades,
  bought: BigInt(row.bought),
  boughtCapped: BigInt(row.boughtCapped),
  copiedCapped: BigInt(row.copiedCapped),
  sold: BigInt(row.sold),
  redemptions: row.redemptions,
  redeemed: BigInt(row.redeemed),
  merges: row.merges,
  merged: BigInt(row.merged),
  splits: row.splits,
  split: BigInt(row.split),
  conversions: row.conversions,
  converted: BigInt(row.converted),
})

export type WalkedTrade = {
  timeSec: number
  isBuy: boolean
  usd: bigint
  shares: bigint
  isCapped: boolean
}

/** The newest fills of the range that a score counts. Index: wallet of each partition of `fills`. */
export function selectWalkedTrades(
  sql: Sql,
  address: string,
  { starts: [min = 0], until }: WalkRange,
  { slippageBp, limit }: { slippageBp: number; limit: number },
): Promise<WalkedTrade[]> {
  return sql<WalkedTrade[]>`
    with page as materialized (
      select a.seq, ${fillColumns(sql, slippageBp)} from fills a
       where a.wallet = (select id from wallets where address = ${hexToBytes(address)})
         and a.seq between ${min} and ${until} and ${isMarketFill(sql)}
       order by a.seq desc limit ${limit}
    )
    select b.time as time_sec, page.kind = 'buy' as is_buy, page.usd, page.shares, page.is_capped
      from page
      join blocks b on b.number = page.seq >> 20
     order by page.seq desc`
}
