import type { Page } from '../../core/page.js'
import { hexToBytes } from '../../lib/hex.js'
import { type SeqRange, withinSeq } from '../../lookups/seq-range.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { boundedPage, isAfterKey, orderedBy } from '../../store/keyset.js'
import { hex, isOfOrder, selectBytes } from '../../store/sql-words.js'
import type { ComboActivityRow } from '../queries.js'
import { NO_POSITION } from './redemption-kind.js'

export type ComboRedemptionScope = SeqRange & {
  /** `undefined`: of all wallets, combos, positions and transactions. */
  wallet: number | undefined
  conditions: readonly number[] | undefined
  token: number | undefined
  txHash: string | undefined
  kinds: readonly string[]
  /** Of compressions, those that leave nothing or those that leave something; `undefined`: both. */
  leavesNothing: boolean | undefined
  isAscending: boolean
}

/** A log that ended or changed a combo. Bytes are hex text. */
export type ComboRedemptionRow = ComboActivityRow & {
  /** The positions that the log names. */
  positions: string[]
  /** The condition of the second of them; null: it has none, or is no combo. */
  destination: number | null
  /** What the wallet has of the second position now. */
  balance: bigint | null
}

/** Ids of these conditions; unknown ones are left out. Index: conditions_condition_key. */
export async function selectConditionIds(sql: Sql, conditions: readonly string[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from conditions where condition in (${selectBytes(sql, conditions)})`
  return rows.map(({ id }) => id)
}

/** `undefined`: no fact names it. Index: tokens_token_key. */
export async function selectTokenId(sql: Sql, token: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`select id from tokens where token = ${hexToBytes(token)}`
  return row?.id
}

const ORDER = [{ column: 'e.seq', type: 'bigint' }] as const

/**
 * In the order of the chain. Indexes: combo_events_wallet, combo_events_condition, combo_events_tokens,
 * combo_events_tx_prefix; without any of these filters combo_events_kind, one scan for each kind, which are merged: a
 * scan of all kinds could not be in order.
 */
export function selectComboRedemptions(
  sql: Sql,
  scope: ComboRedemptionScope,
  page: Page,
): Promise<ComboRedemptionRow[]> {
  const { wallet, conditions, token, txHash, kinds, isAscending } = scope
  const order = orderedBy(sql, ORDER, isAscending)
  const filters = [
    withinSeq(sql, 'e.seq', scope),
    isAfterKey(sql, ORDER, page.after, isAscending),
    isCombo(sql),
    leavesAsMuch(sql, scope.leavesNothing),
  ]
  if (wallet !== undefined) filters.push(sql`e.wallet = ${wallet}`)
  if (conditions !== undefined) filters.push(sql`e.condition = any(${[...conditions]}::integer[])`)
  if (token !== undefined) filters.push(sql`e.tokens @> array[${token}::integer]`)
  if (txHash !== undefined) filters.push(isOfOrder(sql, 'e.tx_hash', sql`${hexToBytes(txHash)}::bytea`))

  const isNarrowed = [wallet, conditions, token, txHash].some((named) => named !== undefined)
  const scanned = isNarrowed ? [kinds] : kinds.map((kind) => [kind])
  const scans = scanned.map(
    (some) => sql`
      (select e.* from combo_events e
        where ${joinFragments(sql, filters, sql`and`)} and ${isOfKinds(sql, some)}
        ${order} limit ${page.offset + page.limit})`,
  )
  const merged = sql`
    select * from (${joinFragments(sql, scans, sql`union all`)}) e
     ${order} offset ${page.offset} limit ${page.limit}`
  return sql<ComboRedemptionRow[]>`
    with page as materialized (${boundedPage(sql, merged)})
    select e.seq::float8, b.time as time_sec, e.kind, e.amount, e.payout,
           ${hex(sql, 'w.address')} as wallet, e.condition as combo, ${hex(sql, 'c.condition')} as condition,
           named.positions, named.positions[1] as position, destination.condition as destination,
           held.balance, ${hex(sql, 'e.tx_hash')} as tx_hash,
           b.number is null or w.id is null or c.id is null
             or cardinality(named.positions) < cardinality(e.tokens) as is_gone
      from page e
      left join blocks b on b.number = e.seq >> 20
      left join wallets w on w.id = e.wallet
      left join conditions c on c.id = e.condition
      left join tokens destination on destination.id = e.tokens[2]
      left join positions held on held.wallet = e.wallet and held.token = e.tokens[2]
      left join lateral (
        select coalesce(array_agg(${hex(sql, 't.token')} order by place), '{}') as positions
          from unnest(e.tokens) with ordinality as listed (id, place)
          join tokens t on t.id = listed.id
      ) named on true
     ${order}`
}

/**
 * One kind is a literal, a constant of the code: a plan that does not know it takes it for a common one, and reads all
 * logs for the few of a rare kind.
 */
const isOfKinds = (sql: Sql, kinds: readonly string[]): Fragment =>
  kinds.length === 1 ? sql.unsafe(`e.kind = '${kinds[0]}'`) : sql`e.kind = any(${[...kinds]}::text[])`

/** The other modules have redemptions too. Index: conditions_pkey. */
const isCombo = (sql: Sql): Fragment => sql`
  exists (select from conditions c where c.id = e.condition and get_byte(c.condition, 0) = 3)`

function leavesAsMuch(sql: Sql, leavesNothing: boolean | undefined): Fragment {
  if (leavesNothing === undefined) return sql`true`
  const isNothing = sql`
    exists (select from tokens t where t.id = e.tokens[2] and t.token = ${hexToBytes(NO_POSITION)})`
  return sql`(e.kind <> 'compressed' or ${leavesNothing ? isNothing : sql`not ${isNothing}`})`
}
