import { ZERO_WALLET } from '../ledger/entry.js'
import type { Sql } from '../store/connection.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

type HoldingRow = {
  positions: number
  doubtful: number
  differences: number
  wallet: number | null
  token: number
  balance: string
  held: string
  cost: string
}

/**
 * A wallet has the shares that bear cost: `held` is from 0 to `balance`, and nothing held costs nothing.
 * A balance is a change since the start of the ledger, so the upper bound is that of tokens whose
 * condition was prepared after it. Entries that the ledger refused, and logs in quarantine, are missing
 * in a balance: their tokens are left out.
 */
export async function checkHoldings(
  sql: Sql,
  { fromSeq, refusedTokens }: Scope,
  { from, to }: IdRange,
): Promise<Finding> {
  const isChecked = sql`positions.token between ${from} and ${to}`
  const isUnsound = sql`held < 0 or (held = 0 and cost <> 0)`
  const rows = await sql<HoldingRow[]>`
    with doubtful as materialized (
      select wallet, positions.token, balance, held, cost, ${isUnsound} as is_unsound,
             tokens.condition, encode(tokens.token, 'hex') as name
        from positions
        join tokens on tokens.id = positions.token
       where ${isChecked}
         and (${isUnsound} or (held > balance and wallet <> ${ZERO_WALLET}))
    ),
    different as materialized (
      select *
        from doubtful
       where is_unsound
          or (token <> all(${refusedTokens}::integer[])
              and (exists (select from preparations as prepared
                            where prepared.condition = doubtful.condition and prepared.seq >= ${fromSeq})
                   or exists (select from combos as prepared
                               where prepared.condition = doubtful.condition
                                 and prepared.seq >= ${fromSeq}))
              and not exists (select from quarantine where position(name in lower(data)) > 0))
    )
    select (select count(*)::integer from positions where ${isChecked}) as positions,
           (select count(*)::integer from doubtful) as doubtful,
           (select count(*)::integer from different) as differences,
           first.*
      from (select) as always
      left join (select wallet, token, balance::text, held::text, cost::text
                   from different order by wallet, token limit ${EXAMPLES_MAX}) as first on true`
  const tally = new Tally()
  for (const { wallet, token, balance, held, cost } of rows) {
    if (wallet === null) continue
    const what = `${held} of ${balance} shares bear a cost of ${cost}`
    tally.add({ keys: { wallet, token }, what })
  }
  const [{ positions, doubtful, differences } = { positions: 0, doubtful: 0, differences: 0 }] = rows
  const leftOut = doubtful - differences
  const coverage = `${count(positions - leftOut, 'position')}${leftOut === 0 ? '' : `, ${leftOut} left out`}`
  return { ...(await tally.toFinding(sql, 'holdings', coverage)), differences }
}
