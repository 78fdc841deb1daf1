import type { Page } from '../core/page.js'
import { blockOf } from '../core/seq.js'
import { changedPositions, scanPositions } from '../lookups/as-of.js'
import type { PositionState } from '../lookups/position.js'
import { isListed, unrealizedPnl } from '../lookups/position-sql.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { isBehind, orderedBy } from '../store/keyset.js'
import { blockTime, hex } from '../store/sql-words.js'
import type { NamedCombo } from './queries.js'

/** What a caller may ask for. */
export const COMBO_STATUSES = [
  'all',
  'open',
  'closed',
  'observed',
  'redeemable',
  'redeemed',
  'resolved',
  'resolved_win',
  'resolved_loss',
] as const

export type ComboPositionScope = NamedCombo & {
  wallet: number
  /** One of COMBO_STATUSES. */
  status: string
  /** Rows are as of the block of this `seq`. */
  until: number
  sizeMin?: bigint | undefined
}

/** A position in a combo. Bytes are hex text, whole numbers of any size text. */
export type ComboPositionRow = PositionState & {
  token: number
  /** The condition; null: no log has stated it. */
  combo: number | null
  position: string
  address: string
  firstSec: number
  lastSec: number
  /** The last block that changed it. */
  lastBlock: number | null
  status: string
  /** Its price; the source is null while there is none. */
  priceSource: string | null
  numerator: string
  denominator: string
  /** Null: the combo has no result yet. */
  resolvedSec: number | null
  /** What redemptions have paid. */
  payout: bigint
  isGone: boolean
}

const ORDER = [
  { column: 'p.last_sec', type: 'integer' },
  { column: 'p.token', type: 'integer' },
] as const

/** Those of a wallet that changed last come first. Indexes: positions_combo; by token the primary key. */
export function selectComboPositions(
  sql: Sql,
  scope: ComboPositionScope,
  { limit, offset, after }: Page,
): Promise<ComboPositionRow[]> {
  const { wallet, condition, token, status, until, sizeMin } = scope
  const orderBy = orderedBy(sql, ORDER, false)
  const conditions = [sql`p.wallet = ${wallet}`, isListed(sql, 'combo'), isBehind(sql, ORDER, after, false)]
  if (sizeMin !== undefined) conditions.push(sql`p.balance >= ${sizeMin}`)
  if (token !== undefined) conditions.push(sql`p.token = ${token}`)
  else if (condition !== undefined) {
    conditions.push(sql`p.token in (select id from tokens where condition = ${condition})`)
  }
  if (status !== 'all') {
    conditions.push(sql`
      (select ${isOfStatus(sql, status)}
         from tokens t left join lateral (${resultOf(sql, until)}) r on true
        where t.id = p.token)`)
  }
  const tokens = token === undefined ? undefined : [token]
  const where = joinFragments(sql, conditions, sql`and`)
  return sql<ComboPositionRow[]>`
    with ${changedPositions(sql, blockOf(until), { wallet, tokens })},
    page as materialized (
      select p.*
        from (${scanPositions(sql, [{ where, orderBy, limit: offset + limit }])}) p
       ${orderBy} offset ${offset} limit ${limit}
    )
    select p.token, t.condition as combo, ${hex(sql, 't.token')} as position,
           ${hex(sql, 'w.address')} as address, p.first_sec, p.last_sec,
           p.balance, p.held, p.cost, p.realized, p.bought, p.bought_cost,
           (select number from blocks where time <= p.last_sec
             order by time desc, number desc limit 1) as last_block,
           ${statusOf(sql)} as status, price.source as price_source,
           price.numerator::text, price.denominator::text,
           ${blockTime(sql, 'r.seq')} as resolved_sec,
           ${redeemedSum(sql)} as payout, w.id is null or t.id is null as is_gone
      from page p
      left join wallets w on w.id = p.wallet
      left join tokens t on t.id = p.token
      left join lateral (${resultOf(sql, until)}) r on true
      left join token_prices price on price.token = p.token
     ${orderBy}`
}

/** The result of the combo of a token `t`; no row while there is none. */
const resultOf = (sql: Sql, until: number): Fragment => sql`
  select r.seq, r.denominator,
         case t.outcome when 0 then r.numerator else r.denominator - r.numerator end as numerator
    from combo_results r
   where r.condition = t.condition and r.seq <= ${until}
   -- Keeps it a lookup for each token: as a join all combos would be summed up.
   limit 1`

/** Of the position `p` with the result `r`. The platform writes results in capitals. */
const statusOf = (sql: Sql): Fragment => sql`
  case when r.numerator = 0 then 'RESOLVED_LOSS'
       when r.numerator = r.denominator then 'RESOLVED_WIN'
       when r.seq is not null then 'RESOLVED_PARTIAL'
       when p.balance <= 0 then 'closed'
       when p.bought = 0 then 'observed'
       else 'open' end`

function isOfStatus(sql: Sql, status: string): Fragment {
  switch (status) {
    case 'resolved':
      return sql`r.seq is not null`
    case 'redeemable':
      return sql`r.numerator > 0 and p.balance > 0`
    case 'redeemed':
      return sql`r.seq is not null and p.balance <= 0 and exists (select ${redemptions(sql)})`
    default:
      return sql`lower(${statusOf(sql)}) = ${status}`
  }
}

/** Index: combo_events_redeemed. */
const redemptions = (sql: Sql): Fragment => sql`
  from combo_events e
 where e.wallet = p.wallet and e.condition = t.condition and e.kind = 'positionRedeemed'
   and e.tokens[1] = p.token`

const redeemedSum = (sql: Sql): Fragment => sql`
  (select coalesce(sum(e.payout), 0)::bigint ${redemptions(sql)})`

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
