import type { Page } from '../../core/page.js'
import { hexToBytes } from '../../lib/hex.js'
import { type SeqRange, withinSeq } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { isBehind, type OrderColumn, orderedBy } from '../../store/keyset.js'
import { hex } from '../../store/sql-words.js'
import { type ListedMarket, selectMarketsOfConditions } from '../listing/queries.js'

/** A condition on the chain. Tokens are hex text by outcome; `payouts` null: there is no result. */
export type ConditionRow = { tokens: string[]; payouts: string[] | null }

/** `undefined`: the chain does not have it. Indexes: conditions_condition_key, tokens_condition. */
export async function selectCondition(sql: Sql, condition: string): Promise<ConditionRow | undefined> {
  const [row] = await sql<ConditionRow[]>`
    select array(
             select ${hex(sql, 't.token')} from tokens t
              where t.condition = c.id and t.outcome is not null
              order by t.outcome
           ) as tokens,
           (select r.payouts from results r where r.condition = c.id limit 1) as payouts
      from conditions c
     where c.condition = ${hexToBytes(condition)}`
  return row
}

export type ResolutionScope = SeqRange & { condition: string | undefined }

type ResolutionFact = { seq: number; condition: string; payouts: string[]; timeSec: number }
export type ResolutionRow = ResolutionFact & { market: ListedMarket | undefined }

const NEWEST_FIRST: readonly OrderColumn[] = [{ column: 'r.seq', type: 'bigint' }]

/** Results, newest first, each with its market. Indexes: resolutions_pkey, resolutions_condition. */
export async function selectResolutions(
  sql: Sql,
  scope: ResolutionScope,
  { after, limit, offset }: Page,
): Promise<ResolutionRow[]> {
  const { condition } = scope
  const rows = await sql<ResolutionFact[]>`
    select r.seq::float8, ${hex(sql, 'c.condition')} as condition, r.payouts,
           b.time as time_sec
      from resolutions r
      join conditions c on c.id = r.condition
      join blocks b on b.number = (r.seq >> 20)::int
     where ${withinSeq(sql, 'r.seq', scope)} and ${isBehind(sql, NEWEST_FIRST, after, false)}
     ${condition === undefined ? sql`` : sql`and c.condition = ${hexToBytes(condition)}`}
     ${orderedBy(sql, NEWEST_FIRST, false)}
     limit ${limit} offset ${offset}`
  const conditions = rows.map((row) => row.condition)
  const markets = await selectMarketsOfConditions(sql, conditions)
  return rows.map((row) => ({ ...row, market: markets.get(row.condition) }))
}
