import { Type } from 'typebox'
import { DecimalText, FillRoleField, TradeSideField, UnixTime, UtcText } from '../http/row-fields.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

const Text = nullable(Type.String())

/** Fields from `leg_outcome_label` on, but for those of the result, are only there with a market. */
export const Leg = namedObject('ComboLeg', {
  leg_index: Type.Integer({ minimum: 0 }),
  leg_position_id: Type.String({
    description: 'the structured token, which is not the CLOB token',
  }),
  leg_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  leg_outcome_index: Type.Integer({ minimum: 0 }),
  leg_status: Type.String({
    enum: ['OPEN', 'RESOLVED_WIN', 'RESOLVED_LOSS', 'RESOLVED_PARTIAL'],
  }),
  leg_result: Type.String({ enum: ['won', 'lost', 'resolved', 'pending'] }),
  leg_resolved_at: nullable(Type.String({ description: 'ISO 8601' }), 'null: no result yet'),
  leg_current_price: nullable(Type.String({ description: '4 decimals' }), 'null: none is known'),
  leg_price_source: nullable(
    Type.String({ enum: ['settlement', 'clob_mid', 'last_fill', 'polymarket_market'] }),
  ),
  leg_outcome_label: Type.Optional(Text),
  market_token_id: Type.Optional(nullable(Type.String({ description: 'the CLOB token' }))),
  market_slug: Type.Optional(Text),
  market_title: Type.Optional(Text),
  event_title: Type.Optional(Text),
  market: Type.Optional(
    namedObject('ComboLegMarket', {
      market_id: Type.String(),
      slug: Text,
      title: Text,
      outcome: Text,
      image_url: Text,
      icon_url: Text,
      category: Text,
      subcategory: Text,
      tags: Type.Array(Type.String()),
      end_date: Text,
      active: nullable(Type.Boolean()),
      closed: nullable(Type.Boolean()),
      accepting_orders: nullable(Type.Boolean()),
      resolved: Type.Boolean(),
      winning_outcome_index: nullable(Type.Integer()),
      event_title: Text,
      event: namedObject('ComboLegEvent', {
        event_id: Text,
        event_slug: Text,
        event_title: Text,
        event_image: Text,
      }),
    }),
  ),
})

export const ComboTrade = namedObject('ComboTrade', {
  position_type: Type.Literal('combo'),
  wallet_role: FillRoleField(),
  wallet_address: Type.String(),
  counterparty_address: Type.String({ description: 'the exchange for an order that took' }),
  combo_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  condition_id: Type.String({ description: 'the same' }),
  position_id: Type.String(),
  side: TradeSideField('what the owner of the order does'),
  is_taker_order: Type.Boolean({ description: 'the row of the order that took' }),
  price: DecimalText('4 decimals'),
  size: DecimalText('shares, 6 decimals'),
  fee: DecimalText('dollars, 6 decimals'),
  tx_hash: Type.String(),
  log_index: Type.Integer({ minimum: 0 }),
  block_number: Type.Integer({ minimum: 0 }),
  timestamp: UnixTime(),
  source: Type.Optional(Type.String({ description: 'only beside trades of other markets' })),
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

export const ComboPosition = namedObject('ComboPosition', {
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
