import { LAST_PRICES, MARKET_HOURS, RESERVES, SUPPLIES } from '../ledger/rows/tables.js'
import type { Fragment, Sql } from '../store/connection.js'
import { compareTable } from './compare-table.js'
import { count, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'
import type { IdRange } from './span.js'
import { toldSets } from './told-sets.js'

/** Sums over the facts of everybody, computed by the database. */
export async function checkSupplies(sql: Sql, scope: Scope): Promise<Finding> {
  const { ledgerFrom, cursor, refusedTokens } = scope
  const isLookedAt = sql`token <> all(${refusedTokens}::integer[])`
  const tally = new Tally()
  const derived = sql`
    select token, sum(minted) as minted, sum(burned) as burned
      from supply_changes
     where block between ${ledgerFrom} and ${cursor.block} and ${isLookedAt}
     group by token`
  await compareTable(sql, SUPPLIES, { only: isLookedAt, derived }, tally)
  return tally.toFinding(sql, 'supplies', count(tally.rows, 'token'))
}

/** Flags: 1 a merge, 2 told by the token contract. */
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
  const tally = new Tally()
  await compareTable(sql, RESERVES, { only: isLookedAt, derived }, tally)
  return tally.toFinding(sql, 'reserves', count(tally.rows, 'condition'))
}

/** Conditions or tokens per query. */
const RANGE_SIZE = 20_000

/**
 * Flags: 2 the order took. What comes before the block that told of the set counts for no market; yet
 * who traded in the same hour before is no new trader after.
 */
export async function checkMarketHours(sql: Sql, scope: Scope): Promise<Finding> {
  const { fromSeq, toSeq } = scope
  const tally = new Tally()
  for (const { from, to } of await rangesOf(sql, 'conditions')) {
    const sets = exactSets(sql, scope, sql`condition between ${from} and ${to}`)
    const derived = sql`
      select condition, hour, sum(trades) as trades,
             count(*) filter (where first >= told::bigint << 20) as traders,
             coalesce(sum(volume), 0) as volume
        from (select condition, time / 3600 as hour, wallet, told, min(seq) as first,
                     count(*) filter (where is_known and flags & 2 <> 0) as trades,
                     sum(usd) filter (where is_known and flags & 2 <> 0) as volume,
                     bool_or(is_known) as is_market
                from (${sets}) as sets
               cross join lateral unnest(tokens) as token
                join fills using (token)
                join blocks on number = (seq >> 20)
               cross join lateral (select number >= told as is_known) as knowledge
               where seq between ${fromSeq} and ${toSeq}
               group by condition, hour, wallet, told) as traded
       where is_market
       group by condition, hour`
    const only = sql`condition in (select condition from (${sets}) as sets)`
    await compareTable(sql, MARKET_HOURS, { only, derived }, tally)
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
      select id, sets.told,
             case when cardinality(tokens) = 2 then (array_remove(tokens, id))[1] end as other
        from tokens as mine
        left join (${sets}) as sets using (condition)
       where ${range}
         and (condition is null or sets.told is not null)
         and id <> all(${refusedTokens}::integer[])`
    const derived = sql`
      select id as token, price.seq, price.usd, price.shares
        from (${priced}) as priced
       cross join lateral (
         select *
           from (${last(sql`id`, sql`usd`, sql`true`)}
                 union all
                 ${last(sql`other`, sql`shares - usd`, sql`usd <= shares and seq >= told::bigint << 20`)}
                ) as prices
          order by seq desc
          limit 1
       ) as price`
    const only = sql`token in (select id from (${priced}) as priced)`
    await compareTable(sql, LAST_PRICES, { only, derived }, tally)
  }
  return tally.toFinding(sql, 'last prices', count(tally.rows, 'token'))
}

const refusedConditions = (sql: Sql, { refusedTokens }: Scope) => sql`
  select condition from tokens
   where id = any(${refusedTokens}::integer[]) and condition is not null`

/**
 * Sets of which it is known since when the ledger knows them: not those that facts older than the
 * ledger, read later, have told of; nor those whose condition has tokens of a second collateral, which
 * count for the market without being of the set.
 */
const exactSets = (sql: Sql, scope: Scope, which: Fragment) => sql`
  select condition, tokens, told
    from (${toldSets(sql, which)}) as told_sets
   where not is_mixed
     and told >= ${scope.ledgerFrom}
     and condition not in (${refusedConditions(sql, scope)})`

async function rangesOf(sql: Sql, table: 'conditions' | 'tokens'): Promise<IdRange[]> {
  const [row] = await sql<{ last: number | null }[]>`select max(id) as last from ${sql(table)}`
  const ranges: IdRange[] = []
  for (let from = 0; from <= (row?.last ?? -1); from += RANGE_SIZE) {
    ranges.push({ from, to: from + RANGE_SIZE - 1 })
  }
  return ranges
}
