import type { Fragment, Sql } from '../store/connection.js'

/** The tokens of a condition by outcome, and the block that stated them: the ledger has them from there on. */
export type OutcomeSet = { condition: number; tokens: number[]; statedIn: number }

export function selectOutcomeSets(sql: Sql, conditions: Iterable<number>): Promise<OutcomeSet[]> {
  return sql<OutcomeSet[]>`
    select condition, tokens, stated_in
      from (${outcomeSets(sql, sql`condition = any(${[...conditions]}::integer[])`)}) as sets
     where stated_in is not null`
}

/** Tokens without an outcome are of another collateral and only share the condition (`is_mixed`). */
export const outcomeSets = (sql: Sql, which: Fragment) => sql`
  select condition,
         array_agg(id order by outcome) filter (where outcome is not null) as tokens,
         min(stated_in) filter (where outcome is not null) as stated_in,
         bool_or(outcome is null) as is_mixed
    from tokens
   where ${which}
   group by condition`
