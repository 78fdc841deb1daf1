import { blockOf } from '../core/seq.js'
import { hexToBytes } from '../lib/hex.js'
import { isListed, type PositionKind, unrealizedPnl } from '../lookups/position-sql.js'
import { type SeqRange, withinSeq } from '../lookups/seq-range.js'
import { isTokenTagged, type TagFilter } from '../lookups/tag-filter.js'
import { isRealizedBy } from '../lookups/wallet-facts.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import {
  EMPTY_SUMMARY,
  NOTHING_REALIZED,
  type PnlBucket,
  type RealizedSum,
  type WalletSummary,
} from './wallet-summary.js'

export type SummaryRow = WalletSummary & {
  address: string
  /** The wallet's fills as owner of the order; those with a fee, the first and the last of them. */
  fills: number
  feeFills: number
  fees: bigint
  firstFeeBlock: number | null
  lastFeeBlock: number | null
  /** The last block that counts; 0 before the first one. */
  headBlock: number
}

/**
 * The summaries of these wallets, in their order; zeros for one without positions. The totals have
 * every position with what it realized, so only the open ones are read, and what is unrealized is
 * added to each. Indexes: wallets_address_key, wallet_totals_pkey, positions_wallet_balance; for
 * combos combo_totals_pkey, positions_combo_held.
 */
export function selectWalletSummaries(
  sql: Sql,
  kind: PositionKind,
  addresses: readonly string[],
): Promise<SummaryRow[]> {
  return sql<SummaryRow[]>`
    select ${hex(sql, 'asked.address')} as address,
           coalesce(t.positions, 0) + open.received as positions,
           open.positions as open_positions,
           coalesce(t.wins, 0) + open.wins as wins,
           coalesce(t.losses, 0) + open.losses as losses,
           coalesce(t.realized, 0) as realized,
           open.unrealized,
           coalesce(t.profit, 0) + open.profit as profit,
           coalesce(t.loss, 0) + open.loss as loss,
           coalesce(t.bought, 0) as bought,
           coalesce(t.fills, 0) as fills,
           coalesce(t.fee_fills, 0) as fee_fills,
           coalesce(t.fees, 0) as fees,
           (nullif(t.first_fee, 0) >> 20)::integer as first_fee_block,
           (nullif(t.last_fee, 0) >> 20)::integer as last_fee_block,
           coalesce((select block from chain_state), 0) as head_block
      from ${requestedWallets(sql, addresses)}
      left join wallets w on w.address = asked.address
      left join ${kind === 'market' ? sql`wallet_totals` : sql`combo_totals`} t on t.wallet = w.id
     cross join lateral (
       select count(*)::integer as positions,
              (count(*) filter (where p.bought = 0))::integer as received,
              (count(*) filter (where p.total > 0) - count(*) filter (where p.realized > 0))::integer
                as wins,
              (count(*) filter (where p.total < 0) - count(*) filter (where p.realized < 0))::integer
                as losses,
              coalesce(sum(p.total - p.realized), 0)::bigint as unrealized,
              coalesce(sum(greatest(p.total, 0) - greatest(p.realized, 0)), 0)::bigint as profit,
              coalesce(sum(least(p.total, 0) - least(p.realized, 0)), 0)::bigint as loss
         from (
           select p.bought, p.realized, p.realized + ${unrealizedPnl(sql)} as total
             from positions p
             join token_prices price on price.token = p.token
            where p.wallet = w.id and p.balance > 0 and ${isListed(sql, kind)}
         ) p
     ) open
     order by asked.place`
}

/** One wallet has its own statement, whose plan is reused: with an array PostgreSQL plans every request again. */
const requestedWallets = (sql: Sql, addresses: readonly string[]): Fragment => {
  const [first = '', ...others] = addresses
  if (others.length === 0) return sql`(select ${hexToBytes(first)}::bytea, 1) asked (address, place)`
  return sql`
    (select decode(substr(given.address, 3), 'hex'), given.place
       from unnest(${[...addresses]}::text[]) with ordinality given (address, place)
    ) asked (address, place)`
}

/** Which tokens count: those that meet all of these conditions. */
export type TokenScope = {
  tokens: readonly number[] | undefined
  tagged: readonly TagFilter[]
}

/**
 * The summary of the wallet's positions in these tokens, without combos. Reads every position of the
 * wallet when tags decide. Index: positions_pkey; then keys alone.
 */
export async function selectSummaryOf(sql: Sql, wallet: number, scope: TokenScope): Promise<WalletSummary> {
  const [row] = await sql<WalletSummary[]>`
    select count(*)::integer as positions,
           (count(*) filter (where p.balance > 0))::integer as open_positions,
           (count(*) filter (where p.total > 0))::integer as wins,
           (count(*) filter (where p.total < 0))::integer as losses,
           coalesce(sum(p.realized), 0)::bigint as realized,
           coalesce(sum(p.total - p.realized), 0)::bigint as unrealized,
           coalesce(sum(greatest(p.total, 0)), 0)::bigint as profit,
           coalesce(sum(least(p.total, 0)), 0)::bigint as loss,
           coalesce(sum(p.bought), 0)::bigint as bought
      from (
        select p.balance, p.bought, p.realized,
               p.realized + case when p.balance > 0 then ${unrealizedPnl(sql)} else 0 end as total
          from positions p
          left join lateral (
            select numerator, denominator from token_prices where token = p.token and p.balance > 0
          ) price on true
         where p.wallet = ${wallet} and ${isListed(sql, 'market')} and ${isInScope(sql, scope)}
      ) p`
  return row ?? EMPTY_SUMMARY
}

/** The condition that the token of `p` is in the scope. Indexes: primary keys. */
function isInScope(sql: Sql, { tokens, tagged }: TokenScope): Fragment {
  const conditions = tagged.map((filter) => isTokenTagged(sql, 'p.token', filter))
  if (tokens !== undefined) conditions.push(sql`p.token = any(${[...tokens]}::integer[])`)
  return joinFragments(sql, [sql`true`, ...conditions], sql`and`)
}

/**
 * What the wallet realized in this range with these tokens, without combos. Indexes: wallet of each
 * partition of `pnl`, positions_combo.
 */
export async function selectRealized(
  sql: Sql,
  wallet: number,
  range: SeqRange,
  { tokens, tagged }: TokenScope,
): Promise<RealizedSum> {
  const steps = sql`
    from pnl
   where ${isRealizedBy(sql, wallet, range)}
     ${tokens === undefined ? sql`` : sql`and token = any(${[...tokens]}::integer[])`}`
  const [row] =
    tagged.length > 0
      ? await sql<RealizedSum[]>`
        select coalesce(sum(p.wins), 0)::integer as wins,
               coalesce(sum(p.losses), 0)::integer as losses,
               coalesce(sum(p.realized), 0)::bigint as realized,
               coalesce(sum(p.profit), 0)::bigint as profit,
               coalesce(sum(p.loss), 0)::bigint as loss
          from (select token, ${realizedSums(sql)} ${steps} group by token) p
         where ${isInScope(sql, { tokens: undefined, tagged })}`
      : await sql<RealizedSum[]>`select ${realizedSums(sql)} ${steps}`
  return row ?? NOTHING_REALIZED
}

const realizedSums = (sql: Sql): Fragment => sql`
  (count(*) filter (where amount > 0))::integer as wins,
  (count(*) filter (where amount < 0))::integer as losses,
  coalesce(sum(amount), 0)::bigint as realized,
  coalesce(sum(amount) filter (where amount > 0), 0)::bigint as profit,
  coalesce(sum(amount) filter (where amount < 0), 0)::bigint as loss`

export const PNL_GROUPS = ['hour', 'day', 'week', 'month'] as const
type PnlGroup = (typeof PNL_GROUPS)[number]

/**
 * What the wallet realized in each bucket of this range, the latest first, without combos and without
 * empty buckets. The beginning of each bucket becomes a `seq`, so that no row of `pnl` is joined with
 * its block. Indexes: wallet of each partition of `pnl`, blocks_time, positions_combo.
 */
export async function selectPnlBuckets(
  sql: Sql,
  wallet: number,
  group: PnlGroup,
  range: SeqRange,
  limit: number,
): Promise<PnlBucket[]> {
  const span = await selectPnlSpan(sql, wallet, range)
  if (span === undefined) return []
  const timeOf = (seq: number) => sql`
    (select to_timestamp(time) at time zone 'UTC' from blocks where number = ${blockOf(seq)})`
  return sql<PnlBucket[]>`
    with bounds as materialized (
      select array_agg(sec order by sec) as secs,
             array_agg((select number::bigint << 20 from blocks
                         where time >= sec order by time, number limit 1) order by sec) as seqs
        from (
          select extract(epoch from start)::integer as sec
            from generate_series(
              date_trunc(${group}::text, ${timeOf(span.min)}),
              ${timeOf(span.until)},
              ('1 ' || ${group}::text)::interval) start
        ) starts
    )
    select (select secs from bounds)[bucket.place] as start_sec,
           bucket.wins, bucket.losses, bucket.realized, bucket.profit, bucket.loss
      from (
        select width_bucket(seq, (select seqs from bounds)) as place, ${realizedSums(sql)}
          from pnl
         where ${isRealizedBy(sql, wallet, span)}
         group by place
         order by place desc
         limit ${limit}
      ) bucket
     order by bucket.place desc`
}

/** The wallet's first and last step in this range. Index: wallet of each partition of `pnl`. */
async function selectPnlSpan(sql: Sql, wallet: number, range: SeqRange): Promise<SeqRange | undefined> {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    select min(seq)::float8 as first, max(seq)::float8 as last
      from pnl
     where wallet = ${wallet} and ${withinSeq(sql, 'seq', range)}`
  if (row?.first == null || row.last === null) return undefined
  return { min: row.first, until: row.last }
}
