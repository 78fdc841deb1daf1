import { parseTokenId } from '../core/ids.js'
import type { Page } from '../core/page.js'
import { conditionOfPosition, isStructuredId } from '../core/structured-id.js'
import { hexToBytes } from '../lib/hex.js'
import { isListed, unrealizedPnl } from '../lookups/position-sql.js'
import { type SeqRange, withinSeq } from '../lookups/seq-range.js'
import type { SnapshotState } from '../lookups/snapshot.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { isAfterKey, orderedBy } from '../store/keyset.js'
import { hex } from '../store/sql-words.js'

/** The block and the reorganisation that the tables of combo activity are as of. */
export const COMBO_ACTIVITY: SnapshotState = (sql) => sql`select head_block as block, rewind from combo_state`

/** The parameters that name a combo, one way or another; all that have a value must name the same. */
type ComboNames = {
  market_id?: string | undefined
  condition_id?: string | undefined
  position_id?: string | undefined
}

/** The ids of what a caller named; `undefined`: it named none. */
type NamedCombo = { condition: number | undefined; token: number | undefined }

/**
 * The combo that a caller named. `undefined`: there is none of that name, or the names contradict
 * each other. Indexes: conditions_condition_key, tokens_token_key.
 */
export async function selectNamedCombo(sql: Sql, names: ComboNames): Promise<NamedCombo | undefined> {
  const { market_id: market, condition_id: named, position_id: position } = names
  const token = position === undefined ? undefined : parseTokenId(position)
  if (position !== undefined && token === undefined) return undefined
  const conditions = [market, named, token].flatMap((id) =>
    id === undefined ? [] : isStructuredId(id) ? conditionOfPosition(id) : id,
  )
  const [condition] = conditions
  if (condition === undefined) return { condition: undefined, token: undefined }
  if (new Set(conditions).size > 1) return undefined
  const [row] = await sql<{ condition: number | null; token: number | null }[]>`
    select (select id from conditions where condition = ${hexToBytes(condition)}) as condition,
           (select id from tokens where token = ${hexToBytes(token ?? '0x')}) as token`
  if (row == null || row.condition === null) return undefined
  if (token !== undefined && row.token === null) return undefined
  return { condition: row.condition, token: row.token ?? undefined }
}

/** The tokens of a named combo. `undefined`: all tokens. Index: tokens_condition. */
export async function selectComboTokens(
  sql: Sql,
  { condition, token }: NamedCombo,
): Promise<number[] | undefined> {
  if (token !== undefined) return [token]
  if (condition === undefined) return undefined
  const rows = await sql<{ id: number }[]>`select id from tokens where condition = ${condition}`
  return rows.map(({ id }) => id)
}

export type ComboActivityScope = SeqRange &
  NamedCombo & {
    /** `undefined`: of all wallets. */
    wallet: number | undefined
    kinds: readonly string[]
    isAscending: boolean
  }

/** A step in the life of structured positions. Bytes are hex text. */
export type ComboActivityRow = {
  seq: number
  timeSec: number
  kind: string
  amount: bigint
  payout: bigint | null
  wallet: string
  /** The id of the condition, and the condition itself. */
  combo: number
  condition: string
  /** The first position that the log names; null: it names none. */
  position: string | null
  txHash: string
  isGone: boolean
}

/** In the order of the chain. Indexes: combo_events_wallet, combo_events_condition. */
export function selectComboActivity(
  sql: Sql,
  scope: ComboActivityScope,
  page: Page,
): Promise<ComboActivityRow[]> {
  const { wallet, condition, token, kinds, isAscending } = scope
  const conditions: Fragment[] = [
    withinSeq(sql, 'e.seq', scope),
    sql`e.kind = any(${[...kinds]}::text[])`,
    isAfterKey(sql, ACTIVITY_ORDER, page.after, isAscending),
  ]
  if (wallet !== undefined) conditions.push(sql`e.wallet = ${wallet}`)
  if (condition !== undefined) conditions.push(sql`e.condition = ${condition}`)
  if (token !== undefined) conditions.push(sql`${token} = any(e.tokens)`)
  return sql<ComboActivityRow[]>`
    with page as materialized (
      select e.*
        from combo_events e
       where ${joinFragments(sql, conditions, sql`and`)}
       ${orderedBy(sql, ACTIVITY_ORDER, isAscending)}
      offset ${page.offset} limit ${page.limit}
    )
    select e.seq::float8, b.time as time_sec, e.kind, e.amount, e.payout,
           ${hex(sql, 'w.address')} as wallet, e.condition as combo,
           ${hex(sql, 'c.condition')} as condition,
           ${hex(sql, 't.token')} as position, ${hex(sql, 'e.tx_hash')} as tx_hash,
           b.number is null or w.id is null or c.id is null as is_gone
      from page e
      left join blocks b on b.number = e.seq >> 20
      left join wallets w on w.id = e.wallet
      left join conditions c on c.id = e.condition
      left join tokens t on t.id = e.tokens[1]
     ${orderedBy(sql, ACTIVITY_ORDER, isAscending)}`
}

const ACTIVITY_ORDER = [{ column: 'e.seq', type: 'bigint' }] as const

export type ComboSummaryRow = {
  openCount: number
  closedCount: number
  heldCount: number
  realized: bigint
  /** Null: a position that bears cost has no price. */
  unrealized: bigint | null
  lastSec: number
}

/**
 * What a wallet has and had in combos; `undefined`: nothing. Reads what it holds, by
 * positions_combo_held, and one row of combo_totals and of positions_combo.
 */
export async function selectComboSummary(sql: Sql, wallet: number): Promise<ComboSummaryRow | undefined> {
  const [row] = await sql<ComboSummaryRow[]>`
    with held as (
      select count(*) filter (where price.source is distinct from 'settlement') as open,
             count(*) as all, count(*) filter (where p.bought = 0) as given,
             count(*) filter (where price.source is null and p.held > 0) as unmarked,
             coalesce(sum(${unrealizedPnl(sql)}), 0)::bigint as unrealized
        from positions p
        join token_prices price on price.token = p.token
       where p.wallet = ${wallet} and p.is_combo = 1 and p.balance > 0
    )
    select held.open::integer as open_count, held.all::integer as held_count,
           (coalesce(totals.positions, 0) + held.given - held.open)::integer as closed_count,
           coalesce(totals.realized, 0) as realized,
           case when held.unmarked = 0 then held.unrealized end as unrealized, latest.last_sec
      from held
      join lateral (
        select p.last_sec
          from positions p
         where p.wallet = ${wallet} and ${isListed(sql, 'combo')}
         order by p.last_sec desc
         limit 1
      ) latest on true
      left join combo_totals totals on totals.wallet = ${wallet}`
  return row
}
