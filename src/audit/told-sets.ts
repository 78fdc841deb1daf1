import type { Fragment, Sql } from '../store/connection.js'

/** The tokens of a condition by outcome, and the block from which on the ledger knows them. */
export type ToldSet = { condition: number; tokens: number[]; told: number }

export function selectToldSets(sql: Sql, conditions: Iterable<number>): Promise<ToldSet[]> {
  return sql<ToldSet[]>`
    select condition, tokens, told
      from (${toldSets(sql, sql`condition = any(${[...conditions]}::integer[])`)}) as sets
     where told is not null`
}

/** Tokens without an outcome are of another collateral and only share the condition (`is_mixed`). */
export const toldSets = (sql: Sql, which: Fragment) => sql`
  select condition,
         array_agg(id order by outcome) filter (where outcome is not null) as tokens,
         min(told) filter (where outcome is not null) as told,
         bool_or(outcome is null) as is_mixed
    from tokens
   where ${which}
   group by condition`
