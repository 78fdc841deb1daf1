import { LEDGER_TABLES, type LedgerTable } from '../ledger/rows/tables.js'
import type { Fragment, Sql } from '../store/connection.js'
import { compareTable } from './compare.js'
import { count, type Finding, Tally } from './finding.js'
import { outcomeSets } from './outcome-sets.js'
import type { IdRange, Scope } from './scope.js'

/** Sums over the facts of all wallets, computed by the database. */
export async function checkSupplies(sql: Sql, scope: Scope): Promise<Finding> {
  const { ledgerFrom, cursor, refusedTokens } = scope
  const isLookedAt = sql`token <> all(${refusedTokens}::integer[])`
  const derived = sql`
    select token, sum(minted) as minted, sum(burned) as burned
      from supply_changes
     where block between ${ledgerFrom} and ${cursor.block} and ${isLookedAt}
     group by token`
  return checkTable(sql, LEDGER_TABLES.supplies, 'token', { only: isLookedAt, derived })
}

/** Flags: 1 a merge, 2 logged by the token contract. */
export async function checkReserves(sql: Sql, scope: Scope): Promise<Finding> {
  const { fromSeq, toSeq } = scope
  const isLookedAt = sql`condition not in (${refusedConditions(sql, scope)})`
  const within = sql`seq between ${fromSeq} and ${toSeq} and flags & 2 <> 0 and ${isLookedAt}`
  const derived = sql`
    select condition, sum(legs) as redeemed_legs, sum(paid_in) as paid_in, sum(paid_out) as paid_out
      from (select condition, 0 as legs,
                   case when flags & 1 = 0 then amount else 0 end as paid_in,
                   case when flags & 1 = 0 then 0 else amount end as paid_out
              from splits
             where ${within}
            union all
            select condition, cardinality(tokens), 0, payout from redemptions where ${within}) as moves
     group by condition`
  return checkTable(sql, LEDGER_TABLES.reserves, 'condition', { only: isLookedAt, derived })
}

/** Conditions or tokens per query. */
const RANGE_SIZE = 20_000

/**
 * Flags: 2 the order took. What comes before the block that stated the set counts for no market; yet
 * a wallet that traded in the same hour before that block is no new trader after it.
 */
export async function checkMarketHours(sql: Sql, scope: Scope): Promise<Finding> {
  const { fromSeq, toSeq } = scope
  const tally = new Tally()
  for (const { from, to } of await rangesOf(sql, 'conditions')) {
    const sets = exactSets(sql, scope, sql`condition between ${from} and ${to}`)
    const derived = sql`
      select condition, hour, sum(trades) as trades,
             count(*) filter (where first >= stated_in::bigint << 20) as traders,
             coalesce(sum(volume), 0) as volume
        from (select condition, time / 3600 as hour, wallet, stated_in, min(seq) as first,
                     count(*) filter (where is_known and flags & 2 <> 0) as trades,
                     sum(usd) filter (where is_known and flags & 2 <> 0) as volume,
                     bool_or(is_known) as is_market
                from (${sets}) as sets
               cross join lateral unnest(tokens) as token
                join fills using (token)
                join blocks on number = (seq >> 20)
               cross join lateral (select number >= stated_in as is_known) as knowledge
               where seq between ${fromSeq} and ${toSeq}
               group by condition, hour, wallet, stated_in) as traded
       where is_market
       group by condition, hour`
    const only = sql`condition in (select condition from (${sets}) as sets)`
    await compareTable(sql, LEDGER_TABLES.marketHours, { only, derived }, tally)
  }
  return tally.toFinding(sql, 'market hours', count(tally.rows, 'hour'))
}

/** The last fill of a taking order prices its token, and the other one with what a dollar leaves. */
export async function checkLastPrices(sql: Sql, scope: Scope): Promise<Finding> {
  const { fromSeq, toSeq, refusedTokens } = scope
  const last = (token: Fragment, usd: Fragment, which: Fragment) => sql`
    (select seq, ${usd} as usd, shares
       from fills
      where token = ${token} and seq between ${fromSeq} and ${toSeq}
        and flags & 2 <> 0 and shares > 0 and ${which}
      order by seq desc
      limit 1)`
  const tally = new Tally()
  for (const { from, to } of await rangesOf(sql, 'tokens')) {
    const range = sql`id between ${from} and ${to}`
    const sets = exactSets(
      sql,
      scope,
      sql`condition in (select condition from tokens where ${range})`,
    )
    const priced = sql`
      select id, sets.stated_in,
             case when cardinality(tokens) = 2 then (array_remove(tokens, id))[1] end as other
        from tokens as mine
        left join (${sets}) as sets using (condition)
       where ${range}
         and (condition is null or sets.stated_in is not null)
         and id <> all(${refusedTokens}::integer[])`
    const derived = sql`
      select id as token, price.seq, price.usd, price.shares
        from (${priced}) as priced
       cross join lateral (
         select *
           from (${last(sql`id`, sql`usd`, sql`true`)}
                 union all
                 ${last(sql`other`, sql`shares - usd`, sql`usd <= shares and seq >= stated_in::bigint << 20`)}
                ) as prices
          order by seq desc
          limit 1
       ) as price`
    const only = sql`token in (select id from (${priced}) as priced)`
    await compareTable(sql, LEDGER_TABLES.lastPrices, { only, derived }, tally)
  }
  return tally.toFinding(sql, 'last prices', count(tally.rows, 'token'))
}

const refusedConditions = (sql: Sql, { refusedTokens }: Scope) => sql`
  select condition from tokens
   where id = any(${refusedTokens}::integer[]) and condition is not null`

/**
 * Sets of which it is known since when the ledger had them: not those that facts older than the
 * ledger, read later, have stated; nor those whose condition has tokens of a second collateral, which
 * count for the market without being of the set.
 */
const exactSets = (sql: Sql, scope: Scope, which: Fragment) => sql`
  select condition, tokens, stated_in
    from (${outcomeSets(sql, which)}) as outcome_sets
   where not is_mixed
     and stated_in >= ${scope.ledgerFrom}
     and condition not in (${refusedConditions(sql, scope)})`

async function rangesOf(sql: Sql, table: 'conditions' | 'tokens'): Promise<IdRange[]> {
  const [row] = await sql<{ last: number | null }[]>`select max(id) as last from ${sql(table)}`
  const ranges: IdRange[] = []
  for (let from = 0; from <= (row?.last ?? -1); from += RANGE_SIZE) {
    ranges.push({ from, to: from + RANGE_SIZE - 1 })
  }
  return ranges
}

export async function checkBuilderHours(sql: Sql, scope: Scope): Promise<Finding> {
  const derived = sql`
    select builder, time / 3600 as hour, count(*) as fills, count(distinct wallet) as traders,
           sum(usd) as volume, sum(${feeInMoney(sql)}) as fees
      from fills
      join blocks on number = (seq >> 20)
     where ${ofBuilders(sql, scope)}
     group by builder, hour`
  return checkTable(sql, LEDGER_TABLES.builderHours, 'hour', { only: sql`true`, derived })
}

export async function checkBuilderWallets(sql: Sql, scope: Scope): Promise<Finding> {
  const derived = sql`
    select builder, wallet, fills, earliest.time as first_sec, latest.time as last_sec, volume, fees
      from (select builder, wallet, count(*) as fills, min(seq) as first, max(seq) as last,
                   sum(usd) as volume, sum(${feeInMoney(sql)}) as fees
              from fills
             where ${ofBuilders(sql, scope)}
             group by builder, wallet) as sums
      join blocks as earliest on earliest.number = (first >> 20)
      join blocks as latest on latest.number = (last >> 20)`
  return checkTable(sql, LEDGER_TABLES.builderWallets, 'row', { only: sql`true`, derived })
}

async function checkTable(
  sql: Sql,
  table: LedgerTable,
  what: string,
  rows: { only: Fragment; derived: Fragment },
): Promise<Finding> {
  const tally = new Tally()
  await compareTable(sql, table, rows, tally)
  return tally.toFinding(sql, table.name.replace('_', ' '), count(tally.rows, what))
}

const ofBuilders = (sql: Sql, { fromSeq, toSeq, refusedSeqs }: Scope) => sql`
  builder is not null and seq between ${fromSeq} and ${toSeq}
  and seq <> all(${refusedSeqs}::bigint[])`

/** Flags: 4 the fee is in shares. */
const feeInMoney = (sql: Sql) => sql`
  case when flags & 4 = 0 or fee = 0 then fee
       when shares = 0 then 0
       else div(fee::numeric * usd, shares) end`
