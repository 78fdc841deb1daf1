import { ZERO_WALLET } from '../ledger/entry.js'
import type { Sql } from '../store/connection.js'
import type { Scope } from './scope.js'
import type { IdRange } from './span.js'

/**
 * Structured positions of these conditions that came into being, or went, other than by splits, merges, redemptions and
 * migrations: modules turn positions into others (wrap, extract, compress, convert), and the logs do
 * not tell which collateral goes along. It shows by transfers from and to nobody. Where the retention
 * has dropped such transfers, older positions are all taken for unbacked.
 */
export async function selectUnbacked(
  sql: Sql,
  scope: Scope,
  { from, to }: IdRange,
): Promise<number[]> {
  const { fromSeq, toSeq, isWhole, keptSeq } = scope
  const rows = await sql<{ id: number }[]>`
    with made as (
      select token, sum(amount) as amount
        from (select token, amount from transfers
               where from_wallet = ${ZERO_WALLET} and seq between ${fromSeq} and ${toSeq}
              union all
              select token, -amount from transfers
               where to_wallet = ${ZERO_WALLET} and seq between ${fromSeq} and ${toSeq}
              union all
              select to_token, -amount from migrations
               where seq between ${fromSeq} and ${toSeq}) as changes
       group by token
    )
    select id
      from tokens
      left join made on made.token = tokens.id
     where condition between ${from} and ${to} and ${isStructured(sql)}
       and (made.amount <> 0 ${isWhole ? sql`` : sql`or since < ${keptSeq}`})`
  return rows.map(({ id }) => id)
}

/** Module in the first byte, and eight bytes that are not used; ids of the old kind are hashes. */
const isStructured = (sql: Sql) => sql`
  get_byte(tokens.token, 0) between 1 and 4
  and substr(tokens.token, 20, 8) = '\\x0000000000000000'`
