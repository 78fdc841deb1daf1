import type { Sql } from '../store/connection.js'
import { count, type Finding, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

/** Steps of an oracle that report a result to the token contract in the same transaction. */
const REPORTS = ['resolved', 'manually_resolved', 'emergency_resolved', 'reported']

type ResultRow = { condition: number; seq: number; isReported: boolean }

/**
 * A condition that was prepared since the ledger began, and of which shares were redeemed, has a
 * result; so it has in each transaction in which its oracle reports one. Left out: results whose log
 * is in quarantine.
 */
export async function checkResults(
  sql: Sql,
  { fromSeq, toSeq }: Scope,
  { from, to }: IdRange,
): Promise<Finding> {
  const rows = await sql<ResultRow[]>`
    with prepared as (
      select condition, oracle, question, seq
        from preparations
       where condition between ${from} and ${to} and seq between ${fromSeq} and ${toSeq}
    ),
    different as materialized (
      select condition, seq, false as is_reported
        from prepared
        join reserves using (condition)
       where redeemed_legs > 0
         and not exists (select from resolutions
                          where resolutions.condition = prepared.condition
                            and resolutions.seq > prepared.seq)
      union all
      select condition, report.seq, true
        from oracle_events as report
        join prepared on prepared.oracle = report.contract and prepared.question = report.question
       where kind = any(${REPORTS}::text[])
         and not exists (select from resolutions
                          where resolutions.condition = prepared.condition
                            and resolutions.tx_hash = report.tx_hash
                            and (report.payouts is null or report.payouts = resolutions.payouts))
    )
    select different.condition, seq::float8, is_reported
      from different
      join conditions on conditions.id = different.condition
     where not exists (select from quarantine
                        where topics like '%' || encode(conditions.condition, 'hex') || '%')
     order by different.seq`
  const [size] = await sql<{ results: number }[]>`
    select count(*)::integer as results from resolutions where condition between ${from} and ${to}`
  const tally = new Tally()
  for (const { seq, condition, isReported } of rows) {
    const what = isReported
      ? 'is reported, and resolutions has no such result'
      : 'was prepared here and redeemed later, and has no result'
    tally.add({ keys: { seq, condition }, what })
  }
  return tally.toFinding(sql, 'results', count(size?.results ?? 0, 'result'))
}
