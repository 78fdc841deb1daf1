import { Type } from 'typebox'
import { DecimalText, UtcText } from '../../http/row-fields.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { Leg } from '../../lookups/combos/legs.js'
import { ComboActivity } from '../schemas.js'

const Id = (description: string) => nullable(Type.String(), description)
const Legs = (description: string) => nullable(Type.Array(Leg), description)
const LegCount = nullable(
  Type.Integer(),
  'null: the log changes no number of legs, or the legs are not known',
)
const Shares = DecimalText('6 decimals')

export const ComboRedemption = namedObject('ComboRedemption', {
  ...ComboActivity.properties,
  is_combo: Type.Literal(true),
  id: Type.String({ description: '`<transaction hash>_0x<log index>`' }),
  type: Type.String({ description: '`side` in capitals: `REDEEM`, `COMPRESS` and so on' }),
  module_id: Type.Literal(3),
  combo_outcome_index: nullable(Type.Integer({ minimum: 0 }), 'of the first position that the log names'),
  tx_dttm: UtcText({ description: 'ISO 8601' }),
  redemption_scope: namedEnum('ComboRedemptionScope', ['full', 'partial', 'transformation']),
  redemption_type: namedEnum('ComboRedemptionType', ['FULL_COMBO', 'PARTIAL_COMBO', 'COMBO_TRANSFORMATION']),
  redemption_evidence: namedEnum('ComboRedemptionEvidence', [
    'terminal_position_redeemed',
    'terminal_compression',
    'post_resolution_compression',
    'condition_extraction',
    'condition_injection',
    'lifecycle_transformation',
  ]),
  is_full_combo_redemption: Type.Boolean(),
  is_partial_combo_redemption: Type.Boolean(),
  is_terminal_redemption: Type.Boolean({ description: 'nothing is left' }),
  is_partial_combo_reduction: Type.Boolean({ description: 'partial, or a condition was extracted' }),
  has_collateral_payout: Type.Boolean(),
  position_amount_usdc: Shares,
  collateral_out_usdc: nullable(Shares, 'null: the log pays nothing'),
  full_combo_condition_id: Id('the combo with all its legs, where the log names it as such'),
  parent_combo_condition_id: Id('the combo that was split, merged or converted'),
  source_combo_condition_id: Id('what was given'),
  reduced_combo_condition_id: Id('what a compression left; null: nothing'),
  residual_combo_condition_id: Id('not kept'),
  child_yes_combo_condition_id: Id('not kept'),
  child_no_combo_condition_id: Id('not kept'),
  destination_combo_condition_id: Id('what was received'),
  source_position_id: Id('null: the log names no position'),
  destination_position_id: Id('null: the log names none, or nothing was left'),
  underlying_position_id: Id('of a wrap or unwrap, the position inside'),
  lineage_event_id: Type.String({ description: 'the same as `id`' }),
  lineage_status: nullable(Type.String(), 'not kept'),
  parity_status: nullable(Type.String(), 'not kept'),
  source_leg_count: Type.Integer({ minimum: 0 }),
  removed_leg_count: LegCount,
  remaining_leg_count: LegCount,
  leg_transition: nullable(Type.String(), 'such as `5_to_1`'),
  full_legs: Legs('of `full_combo_condition_id`'),
  source_legs: Type.Array(Leg, { description: 'the same as `legs`' }),
  remaining_legs: Legs('of a compression'),
  removed_legs: Legs('of a compression'),
  residual_legs: Legs('not kept'),
  remaining_combo: Type.Optional(
    namedObject('RemainingCombo', {
      combo_condition_id: Type.String(),
      combo_position_id: Type.String(),
      shares_created: Shares,
      current_wallet_balance: Shares,
      still_held: Type.Boolean(),
      status: Type.String({ enum: ['OPEN', 'CLOSED'] }),
    }),
  ),
  metadata_coverage: namedEnum('ComboMetadataCoverage', [
    'complete',
    'missing_source_legs',
    'missing_reduced_legs',
  ]),
})
