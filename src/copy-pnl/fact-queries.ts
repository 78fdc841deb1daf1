import { endOfBlock, LOGS_PER_BLOCK } from '../core/seq.js'
import { hexToBytes } from '../lib/hex.js'
import { selectWalletId } from '../lookups/ids.js'
import type { SeqRange } from '../lookups/seq-range.js'
import { lastReorg } from '../lookups/snapshot.js'
import { isRealizedBy, isUserAct } from '../lookups/wallet-facts.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { isMarketFill, isSell, isSplit } from '../store/sql-words.js'
import { BASIS, type FactSums, NO_FACTS } from './score.js'

/** Facts with `starts[0]` <= seq <= `until`, cut into slices that begin at each of the starts. */
export type ScanRange = { starts: readonly number[]; until: number }

/** `rewind`: the last reorganisation when the scan began. */
type BegunScan = { range: ScanRange | undefined; rewind: bigint }

const BLOCK_NONE = 2 ** 31 - 1

/**
 * The `seq` at which windows begin and end, both ends included; no range: no block is old enough. Index:
 * blocks_time.
 */
export async function selectScanRange(
  sql: Sql,
  { fromSecs, toSec }: { fromSecs: readonly number[]; toSec: number },
): Promise<BegunScan> {
  type Row = { firsts: number[]; last: number | null; head: number | null; rewind: bigint }
  const [row] = await sql<Row[]>`
    select array(
             select coalesce((select number from blocks where time >= start.sec
                               order by time, number limit 1), ${BLOCK_NONE})
               from unnest(${[...fromSecs]}::bigint[]) with ordinality as start (sec, place)
              order by start.place) as firsts,
           (select number from blocks where time <= ${toSec}::bigint
             order by time desc, number desc limit 1) as last,
           (select block from chain_state) as head, ${lastReorg(sql)} as rewind`
  const { rewind = 0n } = row ?? {}
  if (row?.last == null || row.head === null) return { range: undefined, rewind }
  const until = endOfBlock(Math.min(row.last, row.head))
  return { range: { starts: row.firsts.map((block) => block * LOGS_PER_BLOCK), until }, rewind }
}

type FactPage = {
  /** Sums by the index of the slice, for each kind of fact; those without facts are left out. */
  slices: { slice: number; facts: FactSums }[]
  /** The facts up to this `seq`, inclusive, are still to be summed; `undefined`: there are none. */
  rest: number | undefined
}

/** What a fact is to the arithmetic: a number, because it is compared for each of them. */
const KIND = { buy: 0, cappedBuy: 1, sell: 2, split: 3, merge: 4, redemption: 5, conversion: 6 }

type SumsRow = {
  slice: number
  kind: number
  count: number
  usd: string
  /** Of dollars or shares, whichever is more of a fact. */
  most: string
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
  { starts, until }: ScanRange,
  { slippageBp, limit }: { slippageBp: number; limit: number },
): Promise<FactPage> {
  const [min = 0] = starts
  const scan = (table: string, columns: Fragment, isWanted: Fragment) => sql`
    (select a.seq, ${columns} from ${sql(table)} a
      where a.wallet = (select id from wallets where address = ${hexToBytes(address)})
        and a.seq between ${min} and ${until} and ${isWanted}
      order by a.seq desc limit ${limit})`
  const scans = [
    scan('fills', fillColumns(sql, slippageBp), isMarketFill(sql, 'a')),
    scan(
      'splits',
      sql`case when ${isSplit(sql, 'a')} then ${KIND.split}::integer else ${KIND.merge}::integer end,
          a.amount, 0`,
      isUserAct(sql, 'a'),
    ),
    scan('redemptions', sql`${KIND.redemption}::integer, a.payout, 0`, isUserAct(sql, 'a')),
    scan('conversions', sql`${KIND.conversion}::integer, a.cash, 0`, sql`true`),
  ]
  const rows = await sql<SumsRow[]>`
    with page as materialized (
      select * from (${joinFragments(sql, scans, sql`union all`)}) facts (seq, kind, usd, shares)
       order by seq desc limit ${limit}
    ), edge as materialized (
      select case when count(*) = ${limit} then min(seq) else -1 end as seq from page
    )
    select width_bucket(page.seq, ${[...starts]}::bigint[]) as slice, kind,
           count(*)::integer, sum(usd)::text as usd, sum(greatest(usd, shares))::text as most,
           max(edge.seq)::float8 as edge
      from page, edge
     where page.seq > edge.seq
     group by slice, kind`
  const edge = rows[0]?.edge ?? -1
  return {
    slices: rows.map((row) => ({ slice: row.slice - 1, facts: toFactSums(row) })),
    rest: edge < 0 ? undefined : edge,
  }
}

/** Below both, products with the basis fit a bigint, which is much faster than numeric. */
const BIGINT_AMOUNT_MAX = 2n ** 48n

/** Decides at which fills a dollar a share caps the price of a copier; no other code repeats this rule. */
function fillColumns(sql: Sql, slippageBp: number): Fragment {
  const [worse, par] = [Number(BASIS) + slippageBp, Number(BASIS)]
  return sql`
    case when ${isSell(sql, 'a')} then ${KIND.sell}::integer
         when case when a.usd < ${BIGINT_AMOUNT_MAX} and a.shares < ${BIGINT_AMOUNT_MAX}
                   then a.usd * ${worse}::integer > a.shares * ${par}::integer
                   else a.usd::numeric * ${worse}::integer > a.shares::numeric * ${par}::integer end
         then ${KIND.cappedBuy}::integer
         else ${KIND.buy}::integer end as kind,
    a.usd, a.shares`
}

function toFactSums({ kind, count, usd, most }: SumsRow): FactSums {
  const money = BigInt(usd)
  switch (kind) {
    case KIND.buy:
      return { ...NO_FACTS, trades: count, bought: money }
    case KIND.cappedBuy:
      return { ...NO_FACTS, trades: count, boughtCapped: money, copiedCapped: BigInt(most) }
    case KIND.sell:
      return { ...NO_FACTS, trades: count, sold: money }
    case KIND.split:
      return { ...NO_FACTS, splits: count, split: money }
    case KIND.merge:
      return { ...NO_FACTS, merges: count, merged: money }
    case KIND.redemption:
      return { ...NO_FACTS, redemptions: count, redeemed: money }
    default:
      return { ...NO_FACTS, conversions: count, converted: money }
  }
}

/** A fill, and the sums over it alone. */
export type CountedTrade = {
  timeSec: number
  isBuy: boolean
  usd: bigint
  shares: bigint
  facts: FactSums
}

/** The newest fills of the range that a score counts. Index: wallet of each partition of `fills`. */
export async function selectCountedTrades(
  sql: Sql,
  address: string,
  { min, until }: SeqRange,
  { slippageBp, limit }: { slippageBp: number; limit: number },
): Promise<CountedTrade[]> {
  type Row = { timeSec: number; kind: number; usd: bigint; shares: bigint }
  const rows = await sql<Row[]>`
    with page as materialized (
      select a.seq, ${fillColumns(sql, slippageBp)} from fills a
       where a.wallet = (select id from wallets where address = ${hexToBytes(address)})
         and a.seq between ${min} and ${until} and ${isMarketFill(sql)}
       order by a.seq desc limit ${limit}
    )
    select b.time as time_sec, page.kind, page.usd, page.shares
      from page
      join blocks b on b.number = page.seq >> 20
     order by page.seq desc`
  return rows.map(({ timeSec, kind, usd, shares }) => {
    const most = usd > shares ? usd : shares
    const sums = { slice: 0, edge: 0, kind, count: 1, usd: `${usd}`, most: `${most}` }
    return { timeSec, isBuy: kind !== KIND.sell, usd, shares, facts: toFactSums(sums) }
  })
}

/** Of the positions that realized something in a window. Money is millionths. */
export type RealizedPositions = {
  realized: bigint
  /** How many of them have no shares now. */
  closed: number
  /** Their average entry prices, weighted by what each realized either way; null: too little was. */
  entryPrice: number | null
}

const NOTHING: RealizedPositions = { realized: 0n, closed: 0, entryPrice: null }

/** Below a dollar the weights say nothing. */
const WEIGHT_MIN = 1_000_000

/** Without combos. Indexes: wallet of each partition of `pnl`, positions_pkey. */
export async function selectRealizedPositions(
  sql: Sql,
  address: string,
  range: SeqRange,
): Promise<RealizedPositions> {
  const wallet = await selectWalletId(sql, address)
  if (wallet === undefined) return NOTHING
  const [row] = await sql<(Omit<RealizedPositions, 'realized'> & { realized: string })[]>`
    with steps as materialized (
      select token, sum(amount) as realized
        from pnl
       where ${isRealizedBy(sql, wallet, range)}
       group by token
    ), weighted as (
      select s.realized, p.balance,
             case when p.bought > 0 then abs(s.realized) end as weight,
             case when p.bought > 0 then abs(s.realized) * p.bought_cost / p.bought end as product
        from steps s
        join positions p on p.wallet = ${wallet} and p.token = s.token
    )
    select coalesce(sum(realized), 0)::text as realized,
           (count(*) filter (where balance <= 0))::integer as closed,
           case when sum(weight) >= ${WEIGHT_MIN}::integer
                then round(sum(product) / sum(weight), 4)::float8 end as entry_price
      from weighted`
  return row === undefined ? NOTHING : { ...row, realized: BigInt(row.realized) }
}
