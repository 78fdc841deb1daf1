import { ZERO_WALLET } from '../ledger/entry.js'
import type { Sql } from '../store/connection.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'
import type { IdRange } from './span.js'

type Row = {
  tokens: number
  differences: number
  token: number | null
  everybody: string
  nobody: string
  supply: string
}

/**
 * What everybody holds of a token together is what was made of it and not destroyed, and nobody owes
 * as much. The supply comes from the transfer logs alone, balances from all that was booked. What the
 * ledger refused to book is missing on one of these sides: its tokens are left out.
 */
export async function checkBalances(
  sql: Sql,
  { refusedTokens }: Scope,
  { from, to }: IdRange,
): Promise<Finding> {
  const isLookedAt = sql`
    token between ${from} and ${to} and token <> all(${refusedTokens}::integer[])`
  const rows = await sql<Row[]>`
    with held as (
      select token,
             sum(balance) filter (where wallet <> ${ZERO_WALLET}) as everybody,
             sum(balance) filter (where wallet = ${ZERO_WALLET}) as nobody
        from positions
       where ${isLookedAt}
       group by token
    ),
    compared as (
      select token,
             coalesce(everybody, 0) as everybody,
             coalesce(nobody, 0) as nobody,
             coalesce(minted, 0) - coalesce(burned, 0) as supply
        from held
        full join (select * from supplies where ${isLookedAt}) as made using (token)
    ),
    different as (select * from compared where everybody <> supply or nobody <> -supply)
    select (select count(*)::integer from compared) as tokens,
           (select count(*)::integer from different) as differences,
           first.*
      from (select) as always
      left join (select token, everybody::text, nobody::text, supply::text
                   from different order by token limit ${EXAMPLES_MAX}) as first on true`
  const tally = new Tally()
  for (const { token, everybody, nobody, supply } of rows) {
    if (token === null) continue
    const what = `all wallets hold ${everybody}, nobody ${nobody}, and ${supply} are there`
    tally.add({ keys: { token }, what })
  }
  const [{ tokens, differences } = { tokens: 0, differences: 0 }] = rows
  const finding = await tally.toFinding(sql, 'sums of balances', count(tokens, 'token'))
  return { ...finding, differences }
}
