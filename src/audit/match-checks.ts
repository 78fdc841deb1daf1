import { FILL_FLAGS } from '../core/fact-flags.js'
import { blockOf } from '../core/seq.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { fromHex, hex, isComboFill, isFeeInMoney, isSell, isTakerOrder, rowsAs } from '../store/sql-words.js'
import { CONTRACTS, EXCHANGES } from '../upstreams/polygon/contracts.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

/** Blocks per query. */
const RANGE_BLOCKS = 50_000

type Found = { seq: number; what: string; total: number }

/** The facts of some blocks that are checked, and those of them that differ: `seq`, `what` and `total`. */
type Queries = { rows: Fragment; different: Fragment }

/**
 * In a match the fills of resting orders come first, then that of the order that took. All are of one
 * transaction; the counterparty of a resting order is the wallet that took, and that of the taking
 * order is the exchange. Opposite sides trade the same token; the same side of the other token makes
 * or merges sets, and the rest of a dollar counts. What the taker receives is what the makers give; what
 * it gives is no less: exchanges before the third log the requested amount, and return a rest.
 */
export const checkMatches = (sql: Sql, scope: Scope, blocks: IdRange): Promise<Finding> =>
  checkRanges(sql, { scope, blocks, check: 'matches', noun: 'fill' }, (within) => ({
    rows: sql`select count(*)::integer as rows from fills where ${within}`,
    different: sql`
      with trades as materialized (
        select seq, usd, shares, wallet, taker, exchange, token, flags, tx_hash,
               ${isSell(sql)} as sells, ${isTakerOrder(sql)} as takes,
               count(*) filter (where ${isTakerOrder(sql)}) over (
                 partition by tx_hash, exchange order by seq
                 rows between unbounded preceding and 1 preceding) as match
          from fills
         where ${within} and tx_hash not in (select tx_hash from quarantine)
      ),
      takers as (select * from trades where takes),
      makers as (
        select maker.seq, maker.taker as counterparty, taker.wallet as took,
               maker.tx_hash, maker.exchange, maker.match, maker.shares,
               case when maker.sells = taker.sells then maker.shares - maker.usd else maker.usd end as usd,
               (maker.token = taker.token) = (maker.sells <> taker.sells) as fits,
               maker.flags
          from trades as maker
          left join takers as taker using (tx_hash, exchange, match)
         where not maker.takes
      ),
      sums as (
        select tx_hash, exchange, match, sum(shares) as shares, sum(usd) as usd
          from makers
         group by tx_hash, exchange, match
      ),
      different as (
        select seq,
               case when took is null then 'fills an order, and no order of the transaction takes'
                    when not fits then 'does not trade what the taker of the match trades'
                    else format('taker is stored as %s, and %s took', ${addressOf(sql, sql`counterparty`)},
                                ${addressOf(sql, sql`took`)}) end as what
          from makers
         -- On the first exchanges an operator could fill an order itself.
         where took is null and flags >> 4 & 7 > 1 or took <> counterparty or not fits
        union all
        select taker.seq,
               case when sums.shares is null then 'takes, and fills no order of the transaction'
                    when taker.taker <> taker.exchange
                    then format('taker is stored as %s, and the order took', ${addressOf(sql, sql`taker.taker`)})
                    else format('%s shares for %s, and the makers have %s for %s', taker.shares, taker.usd,
                                sums.shares, sums.usd) end
          from takers as taker
          left join sums using (tx_hash, exchange, match)
         where sums.shares is null
            or taker.taker <> taker.exchange
            or case when taker.sells
                    then taker.usd <> sums.usd or taker.shares < sums.shares
                         or taker.flags >> 4 & 7 > 2 and taker.shares <> sums.shares
                    else taker.shares <> sums.shares or taker.usd < sums.usd
                         or taker.flags >> 4 & 7 > 2 and taker.usd <> sums.usd end
        union all
        select trades.seq, 'flags do not say what exchange and token are'
          from trades
          join tokens on tokens.id = trades.token
          left join wallets on wallets.id = exchange
          left join (${exchangeFlags(sql)}) as known using (address)
         where known.flags is null
            or trades.flags & 120 <> known.flags
            or (${isComboFill(sql, 'trades')}) <> (substr(tokens.token, 1, 1) = '\\x03'
                 and substr(tokens.token, 20, 8) = '\\x0000000000000000')
      )
      select seq::float8, what, total
        from (select *, count(*) over ()::integer as total from different order by seq limit ${EXAMPLES_MAX}) as first`,
  }))

/** What the fills of a transaction paid is what fee events charged less what they gave back. */
export const checkFees = (sql: Sql, scope: Scope, blocks: IdRange): Promise<Finding> =>
  checkRanges(sql, { scope, blocks, check: 'fees', noun: 'fee event' }, (within) => ({
    rows: sql`select count(*)::integer as rows from fees where ${within}`,
    different: sql`
      select min(seq)::float8 as seq, count(*) over ()::integer as total,
             format('fills pay %s%s, and fee events keep %s', sum(paid),
                    case when asset = 0 then '' else ' shares' end, sum(kept)) as what
        from (select tx_hash, seq, case when ${isFeeInMoney(sql)} then 0 else token end as asset,
                     fee as paid, 0 as kept
                from fills
               where ${within} and fee > 0
              union all
              select tx_hash, seq, coalesce(token, 0), 0, case kind when 0 then amount else -amount end
                from fees
               where ${within} and kind in (0, 1)) as sides
       where tx_hash not in (select tx_hash from quarantine)
       group by tx_hash, asset
      having sum(paid) <> sum(kept)
       order by 1
       limit ${EXAMPLES_MAX}`,
  }))

/** The facts of a transaction are of one block and follow each other in it, whatever their kinds. */
export const checkTransactions = (sql: Sql, scope: Scope, blocks: IdRange): Promise<Finding> =>
  checkRanges(sql, { scope, blocks, check: 'transactions', noun: 'fact' }, (within) => {
    const parts = TABLES_WITH_TX_HASH.map(
      (table) => sql`select seq, tx_hash from ${sql(table)} where ${within} and tx_hash is not null`,
    )
    const facts = joinFragments(sql, parts, sql`union all`)
    const rows = sql`select count(*)::integer as rows from (${facts}) as facts`
    const different = sql`
      with placed as (
        select seq, tx_hash, tx_hash is distinct from lag(tx_hash) over (order by seq) as begins
          from (${facts}) as facts
      )
      select max(seq) filter (where begins)::float8 as seq, count(*) over ()::integer as total,
             'another transaction has facts between those of this one' as what
        from placed
       group by tx_hash
      having count(*) filter (where begins) > 1
       order by 1
       limit ${EXAMPLES_MAX}`
    return { rows, different }
  })

/** Tables whose rows have the hash of their transaction. A log that the node invented may have any hash. */
const TABLES_WITH_TX_HASH = [
  'fills',
  'splits',
  'redemptions',
  'conversions',
  'migrations',
  'transfers',
  'fees',
  'flows',
  'preparations',
  'resolutions',
  'oracle_events',
  'neg_risk_markets',
  'neg_risk_questions',
  'combos',
  'combo_events',
  'raw_logs',
]

/** Some thousand blocks at a time: one query over all of them would sort the whole history. */
async function checkRanges(
  sql: Sql,
  { scope, blocks, check, noun }: { scope: Scope; blocks: IdRange; check: string; noun: string },
  queries: (within: Fragment) => Queries,
): Promise<Finding> {
  const tally = new Tally()
  for (const within of await rangesOf(sql, scope, blocks)) {
    const { rows, different } = queries(within)
    const found = await sql<Found[]>`${different}`
    const [coverage] = await sql<{ rows: number }[]>`${rows}`
    tally.rows += coverage?.rows ?? 0
    tally.addRows(found, ({ seq, what }) => ({ keys: { seq }, what }))
  }
  return tally.toFinding(sql, check, count(tally.rows, noun))
}

/** Conditions on `seq` that together are these blocks, as far as facts of them are kept. */
async function rangesOf(sql: Sql, { keptSeq, isWhole }: Scope, { from, to }: IdRange) {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    select min(number) as first, max(number) as last from blocks`
  const kept = isWhole ? 0 : blockOf(keptSeq)
  const ranges: Fragment[] = []
  const last = Math.min(to, row?.last ?? -1)
  for (let block = Math.max(from, kept, row?.first ?? 0); block <= last; block += RANGE_BLOCKS) {
    const end = Math.min(block + RANGE_BLOCKS - 1, last)
    ranges.push(sql`seq between ${block}::bigint << 20 and (${end}::bigint + 1 << 20) - 1`)
  }
  return ranges
}

/** Bits 8 (neg-risk) and 16 to 64 (generation) of the fills of each exchange. */
const exchangeFlags = (sql: Sql) => {
  const exchanges = CONTRACTS.filter(({ address }) => EXCHANGES.has(address)).map(
    ({ address: name, negRisk, generation }) => ({
      name,
      flags: (negRisk ? FILL_FLAGS.negRisk : 0) + generation * FILL_FLAGS.generation,
    }),
  )
  return sql`
    select ${fromHex(sql, 'name')} as address, flags
      from ${rowsAs(sql, 'known', exchanges, { name: 'text', flags: 'integer' })}`
}

const addressOf = (sql: Sql, wallet: Fragment) => sql`
  coalesce((select ${hex(sql, 'address')} from wallets where id = ${wallet}), ${wallet}::text)`
