import { BUILDER_HOURS, BUILDER_WALLETS } from '../ledger/rows/tables.js'
import type { Sql } from '../store/connection.js'
import { compareTable } from './compare-table.js'
import { count, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'

export async function checkBuilderHours(sql: Sql, scope: Scope): Promise<Finding> {
  const derived = sql`
    select builder, time / 3600 as hour, count(*) as fills, count(distinct wallet) as traders,
           sum(usd) as volume, sum(${feeInMoney(sql)}) as fees
      from fills
      join blocks on number = (seq >> 20)
     where ${ofBuilders(sql, scope)}
     group by builder, hour`
  const tally = new Tally()
  await compareTable(sql, BUILDER_HOURS, { only: sql`true`, derived }, tally)
  return tally.toFinding(sql, 'builder hours', count(tally.rows, 'hour'))
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
  const tally = new Tally()
  await compareTable(sql, BUILDER_WALLETS, { only: sql`true`, derived }, tally)
  return tally.toFinding(sql, 'builder wallets', count(tally.rows, 'row'))
}

const ofBuilders = (sql: Sql, { fromSeq, toSeq, refusedSeqs }: Scope) => sql`
  builder is not null and seq between ${fromSeq} and ${toSeq}
  and seq <> all(${refusedSeqs}::bigint[])`

/** Flags: 4 the fee is in shares. */
const feeInMoney = (sql: Sql) => sql`
  case when flags & 4 = 0 or fee = 0 then fee
       when shares = 0 then 0
       else div(fee::numeric * usd, shares) end`
