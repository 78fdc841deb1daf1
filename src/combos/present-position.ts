import type { Static } from 'typebox'
import { toTokenId } from '../core/ids.js'
import { toDecimalText, toPriceText } from '../core/money.js'
import { COMBO_MODULE, toConditionId } from '../core/structured-id.js'
import { toIsoTime } from '../core/unix-time.js'
import { sideOf } from '../events/combo-legs.js'
import { averagePriceOf, sharesOf, unrealizedOf } from '../lookups/position.js'
import type { ComboPositionRow, ComboSummaryRow } from './position-queries.js'
import type { WithLegs } from './present.js'
import { legStatusOf, presentLeg } from './present-leg.js'
import type { ComboPosition, ComboSummary } from './schemas.js'

const MILLION = 1_000_000n

export function presentComboPosition(row: WithLegs<ComboPositionRow>): Static<typeof ComboPosition> {
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

/** `undefined`: the wallet has no combos. */
export function presentComboSummary(
  address: string,
  row: ComboSummaryRow | undefined,
): Static<typeof ComboSummary> {
  const realized = row?.realized ?? 0n
  const unrealized = row === undefined ? 0n : row.unrealized
  return {
    address,
    summary: {
      position_type: 'combo',
      wallet_address: address,
      open_combo_count: row?.openCount ?? 0,
      closed_combo_count: row?.closedCount ?? 0,
      balance_count: row?.heldCount ?? 0,
      realized_pnl_usdc: toDecimalText(realized),
      unrealized_pnl_usdc: unrealized === null ? null : toDecimalText(unrealized),
      total_pnl_usdc: toDecimalText(realized + (unrealized ?? 0n)),
      last_activity_at: row === undefined ? null : toIsoTime(row.lastSec),
    },
    rows_returned: row === undefined ? 0 : 1,
    position_type: 'combo',
    source: 'v3.wallet_combos.summary',
  }
}
