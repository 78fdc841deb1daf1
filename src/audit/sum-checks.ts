import { AMOUNT_MAX } from '../core/money.js'
import { LEDGER_TABLES, type LedgerTable } from '../ledger/rows/tables.js'
import type { Fragment, Sql } from '../store/connection.js'
import {
  isBuy,
  isFeeInMoney,
  isMarketFill,
  isOfTokenContract,
  isSell,
  isSplit,
  isTakerOrder,
} from '../store/sql-words.js'
import { compareTable } from './compare.js'
import { count, type Finding, Tally } from './finding.js'
import { outcomeSets } from './outcome-sets.js'
import type { IdRange, Scope } from './scope.js'

/** Sums over the facts of all wallets, computed by the database. */
export async function checkSupplies(sql: Sql, scope: Scope): Promise<Finding> {
  const { ledgerFrom, cursor, refusedTokens } = scope
  const isChecked = sql`token <> all(${refusedTokens}::integer[])`
  const derived = sql`
    select token, sum(minted) as minted, sum(burned) as burned
      from supply_changes
     where block between ${ledgerFrom} and ${cursor.block} and ${isChecked}
     group by token`
  return checkTable(sql, LEDGER_TABLES.supplies, 'token', { only: isChecked, derived })
}

export async function checkReserves(sql: Sql, scope: Scope): Promise<Finding> {
  const { fromSeq, toSeq } = scope
  const isChecked = sql`condition not in (${refusedConditions(sql, scope)})`
  const within = sql`seq between ${fromSeq} and ${toSeq} and ${isOfTokenContract(sql)} and ${isChecked}`
  const derived = sql`
    select condition, sum(legs) as redeemed_legs, sum(paid_in) as paid_in, sum(paid_out) as paid_out
      from (select condition, 0 as legs,
                   case when ${isSplit(sql)} then amount else 0 end as paid_in,
                   case when ${isSplit(sql)} then 0 else amount end as paid_out
              from splits
             where ${within}
            union all
            select condition, cardinality(tokens), 0, payout from redemptions where ${within}) as moves
     group by condition`
  return checkTable(sql, LEDGER_TABLES.reserves, 'condition', { only: isChecked, derived })
}

/** Tokens per query. */
const RANGE_SIZE = 20_000

const CANDLES = [
  { table: LEDGER_TABLES.minuteCandles, unit: 'minute', seconds: 60 },
  { table: LEDGER_TABLES.hourCandles, unit: 'hour', seconds: 3600 },
] as const

/** Of minutes and of hours. A fill without shares counts, and has no price. */
export async function checkCandles(sql: Sql, scope: Scope): Promise<Finding> {
  const tally = new Tally()
  for (const range of await tokenRanges(sql)) {
    for (const { table, unit, seconds } of CANDLES) {
      const derived = sql`
        select token, time / ${seconds} as ${sql(unit)}, ${marketSums(sql)},
               coalesce((array_agg(price order by seq) filter (where shares > 0))[1], 0) as open,
               coalesce(max(price), 0) as high,
               coalesce(min(price), 0) as low,
               coalesce((array_agg(price order by seq desc) filter (where shares > 0))[1], 0) as close
          from fills
          join blocks on number = (seq >> 20)
         cross join lateral (select ${priceOf(sql)} as price) as priced
         where ${ofTakers(sql, scope, range)}
         group by 1, 2`
      await compareTable(sql, table, { only: isOfRange(sql, scope, range), derived }, tally)
    }
  }
  return tally.toFinding(sql, 'candles', count(tally.rows, 'candle'))
}

export async function checkTokenTotals(sql: Sql, scope: Scope): Promise<Finding> {
  const tally = new Tally()
  for (const range of await tokenRanges(sql)) {
    const derived = sql`
      select token, ${marketSums(sql)} from fills where ${ofTakers(sql, scope, range)} group by token`
    const rows = { only: isOfRange(sql, scope, range), derived }
    await compareTable(sql, LEDGER_TABLES.tokenTotals, rows, tally)
  }
  return tally.toFinding(sql, 'token totals', count(tally.rows, 'token'))
}

const marketSums = (sql: Sql) => sql`
  count(*) as trades, min(seq) as first_seq, max(seq) as last_seq,
  sum(usd) as volume, sum(shares) as shares,
  coalesce(sum(usd) filter (where ${isBuy(sql)}), 0) as buy_volume,
  sum(${feeInMoney(sql)}) as fees`

/** Millionths of a dollar for a share, rounded half up. Without shares there is none. */
const priceOf = (sql: Sql) => sql`
  case when shares > 0
       then least(div(usd::numeric * 2000000 + shares, 2 * shares), ${AMOUNT_MAX}::bigint) end`

const ofTakers = (sql: Sql, scope: Scope, range: IdRange) => sql`
  ${isOfRange(sql, scope, range)} and ${isTakerOrder(sql)}
  and seq between ${scope.fromSeq} and ${scope.toSeq}`

const isOfRange = (sql: Sql, { refusedTokens }: Scope, { from, to }: IdRange) => sql`
  token between ${from} and ${to} and token <> all(${refusedTokens}::integer[])`

/** The last fill of a taking order prices its token, and the other one with what a dollar leaves. */
export async function checkLastPrices(sql: Sql, scope: Scope): Promise<Finding> {
  const { fromSeq, toSeq, refusedTokens } = scope
  const last = (token: Fragment, usd: Fragment, which: Fragment) => sql`
    (select seq, ${usd} as usd, shares
       from fills
      where token = ${token} and seq between ${fromSeq} and ${toSeq}
        and ${isTakerOrder(sql)} and shares > 0 and ${which}
      order by seq desc
      limit 1)`
  const tally = new Tally()
  for (const { from, to } of await tokenRanges(sql)) {
    const range = sql`id between ${from} and ${to}`
    const sets = exactSets(sql, scope, sql`condition in (select condition from tokens where ${range})`)
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

async function tokenRanges(sql: Sql): Promise<IdRange[]> {
  const [row] = await sql<{ last: number | null }[]>`select max(id) as last from tokens`
  const ranges: IdRange[] = []
  for (let from = 0; from <= (row?.last ?? -1); from += RANGE_SIZE) {
    ranges.push({ from, to: from + RANGE_SIZE - 1 })
  }
  return ranges
}

export async function checkBuilderTotals(sql: Sql, scope: Scope): Promise<Finding> {
  const derived = sql`
    select builder, ${builderSums(sql)}, count(distinct wallet) as wallets,
           min(seq) as first_seq, max(seq) as last_seq,
           coalesce(sum(usd) filter (where ${isBuy(sql)}), 0) as buy_usd,
           coalesce(sum(usd) filter (where ${isSell(sql)}), 0) as sell_usd
      from fills
     where ${ofBuilders(sql, scope)}
     group by builder`
  return checkTable(sql, LEDGER_TABLES.builderTotals, 'builder', { only: sql`true`, derived })
}

export async function checkBuilderDays(sql: Sql, scope: Scope): Promise<Finding> {
  const derived = sql`
    select builder, day, ${builderSums(sql)}, count(distinct wallet) as wallets,
           count(*) filter (where seq = first) as new_wallets
      from (select *, time / 86400 as day, min(seq) over (partition by builder, wallet) as first
              from fills
              join blocks on number = (seq >> 20)
             where ${ofBuilders(sql, scope)}) as fills
     group by builder, day`
  return checkTable(sql, LEDGER_TABLES.builderDays, 'day', { only: sql`true`, derived })
}

export async function checkBuilderWallets(sql: Sql, scope: Scope): Promise<Finding> {
  const derived = sql`
    select builder, wallet, ${builderSums(sql)}, count(distinct time / 86400) as active_days,
           min(time) as first_sec, max(time) as last_sec
      from fills
      join blocks on number = (seq >> 20)
     where ${ofBuilders(sql, scope)}
     group by builder, wallet`
  return checkTable(sql, LEDGER_TABLES.builderWallets, 'row', { only: sql`true`, derived })
}

const builderSums = (sql: Sql) => sql`
  count(*) as fills,
  coalesce(sum(shares) filter (where ${isBuy(sql)}), 0) as buy_shares,
  coalesce(sum(shares) filter (where ${isSell(sql)}), 0) as sell_shares,
  sum(${feeInMoney(sql)}) as fees`

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
  builder is not null and ${isMarketFill(sql)} and seq between ${fromSeq} and ${toSeq}
  and seq <> all(${refusedSeqs}::bigint[])`

const feeInMoney = (sql: Sql) => sql`
  case when ${isFeeInMoney(sql)} or fee = 0 then fee
       when shares = 0 then 0
       else div(fee::numeric * usd, shares) end`
