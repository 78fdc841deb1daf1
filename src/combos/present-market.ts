import type { Static } from 'typebox'
import { toDecimalText } from '../core/money.js'
import { toConditionId } from '../core/structured-id.js'
import { toIsoTime } from '../core/unix-time.js'
import type { ComboRankRow, ComboStateRow } from './leaderboard-queries.js'
import type { ComboMarketRow } from './market-queries.js'
import type { WithLegs } from './present.js'
import { presentLeg } from './present-leg.js'
import type { ComboMarket, ComboRank } from './schemas.js'

export const presentComboMarket = (row: WithLegs<ComboMarketRow>): Static<typeof ComboMarket> => ({
  combo_condition_id: toConditionId(row.condition),
  module_name: 'CombinatorialModule',
  status: row.status,
  observed_execution_count: Number(row.executions),
  observed_lifecycle_count: Number(row.lifecycle),
  observed_redeem_count: Number(row.redeems),
  observed_transfer_count: Number(row.transfers),
  volume_usdc: toDecimalText(row.volume),
  last_activity_at: toIsoTime(row.lastSec),
  legs: row.legs.map(presentLeg),
})

export function presentComboRank(row: ComboRankRow): Static<typeof ComboRank> {
  const { realized, unrealized, lastSec } = row
  return {
    rank: row.rank,
    wallet_address: row.address,
    realized_pnl: toDecimalText(realized),
    unrealized_pnl: unrealized === null ? null : toDecimalText(unrealized),
    total_pnl: unrealized === null ? null : toDecimalText(realized + unrealized),
    open_combo_count: row.opened,
    closed_combo_count: row.closed,
    position_count: row.positions,
    event_count: row.events,
    last_activity_at: lastSec === null ? null : toIsoTime(lastSec),
  }
}

/** Of all time the ranks are older than the rest: they speak of prices too. */
export function presentComboBoard(
  state: ComboStateRow,
  { isOfAllTime, rankedCount }: { isOfAllTime: boolean; rankedCount: number },
) {
  return {
    pnl_scope: isOfAllTime ? 'all_time_marked' : 'realized_only',
    coverage: {
      status: 'direct_cost_basis_only',
      raw_wallet_transfers_included: false,
      eligible_wallet_count: rankedCount,
      excluded_wallet_count: state.excluded,
      transfer_incomplete_wallet_count: state.incomplete,
      unmarked_wallet_count: state.unmarked,
    },
    as_of: toIsoTime(isOfAllTime ? state.rankedSec : state.headSec),
    as_of_block: isOfAllTime ? state.rankedBlock : state.headBlock,
    source: 'combo_state.combo_cost_basis_event',
  }
}
