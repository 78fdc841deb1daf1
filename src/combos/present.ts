import type { Static } from 'typebox'
import { toTokenId } from '../core/ids.js'
import { toDecimalText } from '../core/money.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { parseStructuredId, toConditionId } from '../core/structured-id.js'
import { toIsoTime } from '../core/unix-time.js'
import { COMBO_ACTIONS } from '../events/combo-actions.js'
import { presentLeg, type WithLegs } from '../lookups/combos/legs.js'
import type { ComboRankRow, ComboStateRow } from './leaderboard-queries.js'
import type { ComboMarketRow } from './market-queries.js'
import type { ComboActivityRow, ComboSummaryRow } from './queries.js'
import type { ComboMarket, ComboRank, ComboSummary } from './schemas.js'

/** The names of logs as the platform prints them, with ours. */
export const EVENT_KINDS: ReadonlyMap<string, string> = new Map(
  [...COMBO_ACTIONS.keys()].map((kind) => {
    const name = kind.replace(/^combo/, '')
    return [name.charAt(0).toUpperCase() + name.slice(1), kind]
  }),
)

const EVENT_NAMES = new Map([...EVENT_KINDS].map(([name, kind]) => [kind, name]))

/** By module id, from 1 on. */
const MODULE_KINDS = ['Binary', 'NegRisk', 'Combinatorial', 'Directional']

export function presentComboActivity(row: WithLegs<ComboActivityRow>) {
  const { kind, wallet, condition, payout } = row
  const moduleId = parseStructuredId(condition)?.moduleId ?? 0
  return {
    position_type: 'combo' as const,
    event_kind: EVENT_NAMES.get(kind) ?? kind,
    side: COMBO_ACTIONS.get(kind) ?? kind,
    user_address: wallet,
    wallet_address: wallet,
    module_kind: MODULE_KINDS[moduleId - 1] ?? null,
    combo_condition_id: toConditionId(condition),
    combo_position_id: toTokenId(row.position ?? condition),
    amount_usdc: toDecimalText(row.amount),
    payout_usdc: payout === null ? null : toDecimalText(payout),
    tx_hash: row.txHash,
    log_index: logIndexOf(row.seq),
    block_number: blockOf(row.seq),
    timestamp: row.timeSec,
    legs: row.legs.map(presentLeg),
  }
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

/** The ranks of all time depend on prices too, so they are older than the rest. */
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
