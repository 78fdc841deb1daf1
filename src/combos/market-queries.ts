import type { Page } from '../core/page.js'
import { endOfBlock } from '../core/seq.js'
import { COMBO_ACTIONS } from '../events/combo-actions.js'
import { isUnreverted } from '../lookups/snapshot.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { isAfterKey, orderedBy } from '../store/keyset.js'
import { hex, isTakerOrder } from '../store/sql-words.js'
import { COMBO_ACTIVITY } from './queries.js'

type ComboMarketScope = {
  /** `undefined`: all combos. */
  condition: number | undefined
  status: string
  /** Rows are in the order that they had at this `seq`. */
  until: number
}

/** A combo and what happened in it. */
export type ComboMarketRow = {
  combo: number
  condition: string
  lastSeq: number
  lastSec: number
  status: string
  executions: bigint
  volume: bigint
  lifecycle: bigint
  redeems: bigint
  transfers: bigint
  isGone: boolean
}

const ORDER = [
  { column: 'm.last_seq', type: 'bigint' },
  { column: 'm.condition', type: 'integer' },
] as const

/** The last `seq` that combo_markets has; `undefined`: it is not made yet. */
export async function selectComboHead(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ headBlock: number | null }[]>`select head_block from combo_state`
  return row?.headBlock == null ? undefined : endOfBlock(row.headBlock)
}

/**
 * Combos by their last activity, the newest first. Those that were active since `until` stand where
 * they stood then, so that a cursor lists each once. Indexes: combo_markets_last_seq; for those fills by
 * token and combo_events_condition.
 */
export function selectComboMarkets(
  sql: Sql,
  scope: ComboMarketScope,
  { limit, offset, after }: Page,
): Promise<ComboMarketRow[]> {
  const { condition, status, until } = scope
  const orderBy = orderedBy(sql, ORDER, false)
  const conditions = [isAfterKey(sql, ORDER, after, false), isHeld(sql)]
  if (condition !== undefined) conditions.push(sql`m.condition = ${condition}`)
  if (status !== 'all') {
    conditions.push(sql`(select ${isOfStatus(sql, status)} from ${stateOf(sql, until)})`)
  }
  const where = joinFragments(sql, conditions, sql`and`)
  return sql<ComboMarketRow[]>`
    with moved as materialized (
      select m.condition, m.executions, m.redeems,
             greatest(c.seq, coalesce(event.seq, 0), coalesce(fill.seq, 0)) as last_seq,
             m.touched_seq
        from combo_markets m
        join combos c on c.condition = m.condition and c.seq <= ${until}
        left join lateral (
          select e.seq from combo_events e
           where e.condition = m.condition and e.seq <= ${until}
             and e.kind = any(${[...COMBO_ACTIONS.keys()]}::text[])
           order by e.seq desc limit 1
        ) event on true
        left join lateral (
          select max(last.seq) as seq
            from tokens t
           cross join lateral (
             select f.seq from fills f
              where f.token = t.id and f.seq <= ${until} and ${isTakerOrder(sql, 'f')}
              order by f.seq desc limit 1
           ) last
           where t.condition = m.condition
        ) fill on true
       where m.last_seq > ${until}
    ), page as materialized (
      select m.condition, m.last_seq
        from (
          (select m.condition, m.last_seq from combo_markets m
            where m.last_seq <= ${until} and ${where} ${orderBy} limit ${offset + limit})
          union all
          (select m.condition, m.last_seq from moved m where ${where})
        ) m
       ${orderBy} offset ${offset} limit ${limit}
    )
    select p.condition as combo, ${hex(sql, 'c.condition')} as condition,
           p.last_seq::float8, b.time as last_sec, ${statusOf(sql)} as status,
           m.executions, m.volume, m.lifecycle, m.redeems, m.transfers,
           c.id is null or b.number is null as is_gone
      from page p
      join combo_markets m on m.condition = p.condition
      left join conditions c on c.id = p.condition
      left join blocks b on b.number = p.last_seq >> 20
     cross join lateral (select * from ${stateOf(sql, until)}) state
     order by p.last_seq desc, p.condition desc`
}

/** Whether nothing of what is counted of the combo `m` was reverted since. */
const isHeld = (sql: Sql): Fragment => isUnreverted(sql, sql`m.touched_seq`, COMBO_ACTIVITY)

/** The shares that exist of the combo `m`, and its result, which is null while there is none. */
const stateOf = (sql: Sql, until: number): Fragment => sql`
  (select coalesce(sum(s.minted - s.burned), 0) as shares
     from tokens t join supplies s on s.token = t.id
    where t.condition = m.condition) supply
  left join (
    select numerator, denominator, seq
      from combo_results
     where condition = m.condition and seq <= ${until}
     -- Keeps it a lookup for each combo.
     limit 1
  ) r on true`

/** The result is that of YES. */
const statusOf = (sql: Sql): Fragment => sql`
  case when numerator = 0 then 'RESOLVED_LOSS'
       when numerator = denominator then 'RESOLVED_WIN'
       when seq is not null then 'RESOLVED_PARTIAL'
       when shares > 0 then 'open'
       when m.executions > 0 then 'closed'
       else 'observed' end`

function isOfStatus(sql: Sql, status: string): Fragment {
  switch (status) {
    case 'resolved':
      return sql`seq is not null`
    case 'redeemable':
      return sql`seq is not null and shares > 0`
    case 'redeemed':
      return sql`seq is not null and shares = 0 and m.redeems > 0`
    default:
      return sql`lower(${statusOf(sql)}) = ${status}`
  }
}
