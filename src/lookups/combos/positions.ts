import { type Static, Type } from 'typebox'
import { toTokenId } from '../../core/ids.js'
import { toDecimalText, toPriceText } from '../../core/money.js'
import type { Page } from '../../core/page.js'
import { blockOf } from '../../core/seq.js'
import { COMBO_MODULE, sideOf, toConditionId } from '../../core/structured-id.js'
import { toIsoTime } from '../../core/unix-time.js'
import { createView } from '../../http/list.js'
import { DecimalText, UtcText } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { isAfterKey, orderedBy } from '../../store/keyset.js'
import { changedPositions, scanPositions } from '../as-of.js'
import { averagePriceOf, type PositionState, sharesOf, unrealizedOf } from '../position.js'
import { isListed } from '../position-sql.js'
import { Leg, legStatusOf, presentLeg, type WithLegs, withLegs } from './legs.js'

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

type ComboPositionScope = {
  /** Of one condition or token alone; `undefined`: of all. */
  condition: number | undefined
  token: number | undefined
  wallet: number
  /** One of COMBO_STATUSES. */
  status: string
  /** Rows are as of the block of this `seq`. */
  until: number
  sizeMin?: bigint | undefined
}

/** A position in a combo. Bytes are hex text, whole numbers of any size text. */
type ComboPositionRow = PositionState & {
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
function selectComboPositions(
  sql: Sql,
  scope: ComboPositionScope,
  { limit, offset, after }: Page,
): Promise<ComboPositionRow[]> {
  const { wallet, condition, token, status, until, sizeMin } = scope
  const orderBy = orderedBy(sql, ORDER, false)
  const conditions = [sql`p.wallet = ${wallet}`, isListed(sql, 'combo'), isAfterKey(sql, ORDER, after, false)]
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
    select p.token, t.condition as combo, '0x' || encode(t.token, 'hex') as position,
           '0x' || encode(w.address, 'hex') as address, p.first_sec, p.last_sec,
           p.balance, p.held, p.cost, p.realized, p.bought, p.bought_cost,
           (select number from blocks where time <= p.last_sec
             order by time desc, number desc limit 1) as last_block,
           ${statusOf(sql)} as status, price.source as price_source,
           price.numerator::text, price.denominator::text,
           (select time from blocks where number = r.seq >> 20) as resolved_sec,
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

const Money = DecimalText('dollars, 6 decimals')
const IsoTime = UtcText({ description: 'ISO 8601' })

const ComboPosition = namedObject('ComboPosition', {
  position_type: Type.Literal('combo'),
  wallet_address: Type.String(),
  combo_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  combo_position_id: Type.String(),
  side: Type.String({ enum: ['YES', 'NO'] }),
  module_id: Type.Integer(),
  shares_balance: DecimalText('shares, 6 decimals'),
  entry_avg_price_usdc: nullable(DecimalText('4 decimals'), 'null: it was never bought'),
  entry_cost_usdc: DecimalText('of the shares that are left; 6 decimals'),
  total_cost_usdc: DecimalText('of all that were ever bought; 6 decimals'),
  realized_pnl_usdc: Money,
  unrealized_pnl_usdc: nullable(Money, 'null: no price is known'),
  total_pnl_usdc: Money,
  realized_payout_usdc: DecimalText('what redemptions have paid; 6 decimals'),
  status: Type.String({
    enum: ['open', 'closed', 'observed', 'RESOLVED_WIN', 'RESOLVED_LOSS', 'RESOLVED_PARTIAL'],
    description: '`observed`: it is held, and was never bought',
  }),
  redeemable: Type.Boolean(),
  legs_total: Type.Integer({ minimum: 0 }),
  legs_resolved: Type.Integer({ minimum: 0 }),
  legs_pending: Type.Integer({ minimum: 0 }),
  first_entry_at: IsoTime,
  last_activity_at: IsoTime,
  updated_at: UtcText({ description: 'the same' }),
  resolved_at: nullable(IsoTime, 'null: it has no result yet'),
  last_update_block: nullable(Type.Integer({ minimum: 0 })),
  legs: Type.Array(Leg),
})

const MILLION = 1_000_000n

function presentComboPosition(row: WithLegs<ComboPositionRow>): Static<typeof ComboPosition> {
  const { realized, position, legs } = row
  const unrealized = unrealizedIn(row)
  const average = averagePriceOf(row)
  const decided = legs.filter((leg) => legStatusOf(leg) !== 'OPEN').length
  const paysSomething = row.status === 'RESOLVED_WIN' || row.status === 'RESOLVED_PARTIAL'
  return {
    position_type: 'combo',
    wallet_address: row.address,
    combo_condition_id: toConditionId(position),
    combo_position_id: toTokenId(position),
    side: sideOf(position),
    module_id: COMBO_MODULE,
    shares_balance: toDecimalText(sharesOf(row)),
    entry_avg_price_usdc: average === undefined ? null : toPriceText(average, MILLION),
    entry_cost_usdc: toDecimalText(row.cost),
    total_cost_usdc: toDecimalText(row.boughtCost),
    realized_pnl_usdc: toDecimalText(realized),
    unrealized_pnl_usdc: unrealized === undefined ? null : toDecimalText(unrealized),
    total_pnl_usdc: toDecimalText(realized + (unrealized ?? 0n)),
    realized_payout_usdc: toDecimalText(row.payout),
    status: row.status,
    redeemable: paysSomething && sharesOf(row) > 0n,
    legs_total: legs.length,
    legs_resolved: decided,
    legs_pending: legs.length - decided,
    first_entry_at: toIsoTime(row.firstSec),
    last_activity_at: toIsoTime(row.lastSec),
    updated_at: toIsoTime(row.lastSec),
    resolved_at: row.resolvedSec === null ? null : toIsoTime(row.resolvedSec),
    last_update_block: row.lastBlock,
    legs: legs.map(presentLeg),
  }
}

/** `undefined`: shares bear cost, and no price is known. */
function unrealizedIn(row: ComboPositionRow): bigint | undefined {
  if (row.held === 0n) return 0n
  if (row.priceSource === null) return undefined
  const price = { numerator: BigInt(row.numerator), denominator: BigInt(row.denominator) }
  return unrealizedOf(row, price)
}

/** Positions in combos, those that changed last first. */
export const comboPositionsByChange = createView({
  row: ComboPosition,
  select: selectComboPositions,
  keyOf: ({ lastSec, token }) => [lastSec, token],
  complete: withLegs,
  present: presentComboPosition,
})
