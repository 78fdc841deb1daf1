import { Type } from 'typebox'
import { DecimalText, UnixTime, UtcText } from '../http/row-fields.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { Leg } from '../lookups/combos/legs.js'

/** What every list of combos says about itself. */
export const describedBy = (source: string) => ({
  fields: { position_type: Type.Literal('combo'), source: Type.Literal(source) },
  select: () => ({ position_type: 'combo', source }),
})

export const ComboActivity = namedObject('ComboActivity', {
  position_type: Type.Literal('combo'),
  event_kind: Type.String({ description: 'the name of the log' }),
  side: Type.String({ description: 'what it does: `Split`, `Merge`, `Redeem` and so on' }),
  user_address: Type.String(),
  wallet_address: Type.String({ description: 'the same' }),
  module_kind: nullable(Type.String({ enum: ['Binary', 'NegRisk', 'Combinatorial', 'Directional'] })),
  combo_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  combo_position_id: Type.String({
    description: 'the first position that the log names, or else YES of the condition',
  }),
  amount_usdc: DecimalText('6 decimals'),
  payout_usdc: nullable(DecimalText('6 decimals'), 'null: the log pays nothing'),
  tx_hash: Type.String(),
  log_index: Type.Integer({ minimum: 0 }),
  block_number: Type.Integer({ minimum: 0 }),
  timestamp: UnixTime(),
  legs: Type.Array(Leg),
})

const Money = DecimalText('dollars, 6 decimals')
const IsoTime = UtcText({ description: 'ISO 8601' })

export const ComboSummary = namedObject('WalletComboSummary', {
  address: Type.String(),
  summary: namedObject('ComboTotals', {
    position_type: Type.Literal('combo'),
    wallet_address: Type.String(),
    open_combo_count: Type.Integer({ description: 'positions that are held and have no result' }),
    closed_combo_count: Type.Integer({ description: 'all others' }),
    balance_count: Type.Integer({ description: 'positions that are held' }),
    realized_pnl_usdc: Money,
    unrealized_pnl_usdc: nullable(Money, 'null: a position that is held has no price'),
    total_pnl_usdc: Money,
    last_activity_at: nullable(IsoTime),
  }),
  rows_returned: Type.Integer({ description: '0: the wallet has no combos' }),
  position_type: Type.Literal('combo'),
  source: Type.Literal('v3.wallet_combos.summary'),
})

const Count = Type.Integer({ minimum: 0 })

export const ComboMarket = namedObject('ComboMarket', {
  combo_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  module_name: Type.Literal('CombinatorialModule'),
  status: Type.String({
    enum: ['open', 'closed', 'observed', 'RESOLVED_WIN', 'RESOLVED_LOSS', 'RESOLVED_PARTIAL'],
    description: 'of YES; without a result `open` while shares exist, `observed` if it was never traded',
  }),
  observed_execution_count: Type.Integer({ minimum: 0, description: 'matches' }),
  observed_lifecycle_count: Count,
  observed_redeem_count: Count,
  observed_transfer_count: Count,
  volume_usdc: Money,
  last_activity_at: IsoTime,
  legs: Type.Array(Leg),
})

export const ComboRank = namedObject('ComboLeaderboardRow', {
  rank: Type.Integer({ minimum: 1 }),
  wallet_address: Type.String(),
  realized_pnl: Money,
  unrealized_pnl: nullable(Money, 'null: of a part of the time, or a position has no price'),
  total_pnl: nullable(Money, 'null when `unrealized_pnl` is'),
  open_combo_count: Count,
  closed_combo_count: Count,
  position_count: Count,
  event_count: Type.Integer({ minimum: 0, description: 'times that it earned or lost by closing' }),
  last_activity_at: nullable(IsoTime),
})

export const ComboBoard = {
  period: Type.String(),
  window: namedObject('ComboBoardWindow', {
    after: nullable(Type.Integer({ description: 'Unix seconds' })),
    before: nullable(Type.Integer({ description: 'Unix seconds' })),
  }),
  pnl_scope: Type.String({ enum: ['all_time_marked', 'realized_only'] }),
  coverage: namedObject('ComboBoardCoverage', {
    status: Type.Literal('direct_cost_basis_only'),
    raw_wallet_transfers_included: Type.Literal(false),
    eligible_wallet_count: Type.Integer({ minimum: 0, description: 'wallets that have a rank' }),
    excluded_wallet_count: Type.Integer({
      minimum: 0,
      description: 'wallets that hold combos and never bought any',
    }),
    transfer_incomplete_wallet_count: Type.Integer({
      minimum: 0,
      description: 'wallets that hold shares which came without cost',
    }),
    unmarked_wallet_count: Type.Integer({
      minimum: 0,
      description: 'wallets that hold shares without a price',
    }),
  }),
  as_of: IsoTime,
  as_of_block: Count,
  source: Type.Literal('combo_state.combo_cost_basis_event'),
}
