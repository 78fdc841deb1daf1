import { IS_COMBO } from '../chain/ids/queries.js'
import { ZERO_WALLET } from '../ledger/entry.js'
import { LEDGER_TABLES } from '../ledger/rows/tables.js'
import type { Sql } from '../store/connection.js'
import { isFeeInShares, isOfTokenContract, isSell, isSplit } from '../store/sql-words.js'
import { compareTable } from './compare.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

type BalanceRow = {
  tokens: number
  differences: number
  token: number | null
  held: string
  owed: string
  supply: string
}

/**
 * All wallets together hold of a token what was minted and not burned, and the zero address owes as
 * much. The supply comes from the transfer logs alone, balances from all that was booked. An entry
 * that the ledger refused to book is missing on one of these sides: its tokens are left out.
 */
export async function checkBalances(
  sql: Sql,
  { refusedTokens }: Scope,
  { from, to }: IdRange,
): Promise<Finding> {
  const isChecked = sql`
    token between ${from} and ${to} and token <> all(${refusedTokens}::integer[])`
  const rows = await sql<BalanceRow[]>`
    with sums as (
      select token,
             sum(balance) filter (where wallet <> ${ZERO_WALLET}) as held,
             sum(balance) filter (where wallet = ${ZERO_WALLET}) as owed
        from positions
       where ${isChecked}
       group by token
    ),
    compared as (
      select token,
             coalesce(held, 0) as held,
             coalesce(owed, 0) as owed,
             coalesce(minted, 0) - coalesce(burned, 0) as supply
        from sums
        full join (select * from supplies where ${isChecked}) as made using (token)
    ),
    different as (select * from compared where held <> supply or owed <> -supply)
    select (select count(*)::integer from compared) as tokens,
           (select count(*)::integer from different) as differences,
           first.*
      from (select) as always
      left join (select token, held::text, owed::text, supply::text
                   from different order by token limit ${EXAMPLES_MAX}) as first on true`
  const tally = new Tally()
  for (const { token, held, owed, supply } of rows) {
    if (token === null) continue
    const what = `all wallets hold ${held}, the zero address ${owed}, and the supply is ${supply}`
    tally.add({ keys: { token }, what })
  }
  const [{ tokens, differences } = { tokens: 0, differences: 0 }] = rows
  const finding = await tally.toFinding(sql, 'sums of balances', count(tokens, 'token'))
  return { ...finding, differences }
}

/**
 * The positions of the zero address and of the exchanges: all trades and sets from the other side.
 * They bear no cost and have no profit.
 */
export async function checkCounterparts(sql: Sql, scope: Scope): Promise<Finding> {
  const { counterparts, refusedTokens } = scope
  const isChecked = sql`
    wallet = any(${counterparts}::integer[]) and token <> all(${refusedTokens}::integer[])`
  const derived = sql`
    select wallet, token, earliest.time as first_sec, latest.time as last_sec, 0 as filled_sec,
           (select ${sql.unsafe(IS_COMBO)} from tokens where id = sums.token)::integer as is_combo,
           balance, 0 as held, 0 as cost, 0 as realized, 0 as bought, 0 as bought_cost, 0 as fees
      from (select wallet, token, sum(change) as balance, min(seq) as first, max(seq) as last
              from (${changes(sql, scope)}) as changes
             where ${isChecked}
             group by wallet, token) as sums
      join blocks as earliest on earliest.number = (first >> 20)
      join blocks as latest on latest.number = (last >> 20)`
  const tally = new Tally()
  await compareTable(sql, LEDGER_TABLES.positions, { only: isChecked, derived }, tally)
  const [profits] = await sql<{ rows: number }[]>`
    select count(*)::integer as rows
      from (select wallet from wallet_totals union all select wallet from combo_totals) as totals
     where wallet = any(${counterparts}::integer[])`
  if (profits !== undefined && profits.rows > 0) {
    tally.add({ keys: {}, what: 'an exchange or the zero address has totals of its own' }, profits.rows)
  }
  return tally.toFinding(sql, 'exchanges and zero address', count(tally.rows, 'position'))
}

/** Every change of a balance. */
const changes = (sql: Sql, { fromSeq, toSeq }: Scope) => {
  const within = sql`seq between ${fromSeq} and ${toSeq}`
  return sql`
    select exchange as wallet, token, seq,
           case when ${isSell(sql)} then shares
                when ${isFeeInShares(sql)} then fee - shares
                else -shares end as change
      from fills
     where ${within}
    union all
    select party.wallet, token, seq, party.sign * case when ${isSplit(sql)} then amount else -amount end
      from splits
     cross join lateral unnest(coalesce(tokens,
       (select array_agg(id) from tokens as set
         where set.condition = splits.condition and outcome is not null))) as token
     cross join lateral (values (splits.wallet, 1), (${ZERO_WALLET}, -1)) as party (wallet, sign)
     where ${within} and ${isOfTokenContract(sql)}
    union all
    select party.wallet, leg.token, seq, party.sign * leg.amount
      from redemptions
     cross join lateral unnest(tokens, amounts) as leg (token, amount)
     cross join lateral (values (redemptions.wallet, -1), (${ZERO_WALLET}, 1)) as party (wallet, sign)
     where ${within} and ${isOfTokenContract(sql)}
    union all
    select from_wallet, token, seq, -amount from transfers where ${within}
    union all
    select to_wallet, token, seq, amount from transfers where ${within}`
}
