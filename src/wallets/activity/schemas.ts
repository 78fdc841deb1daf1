import { Type } from 'typebox'
import { nullable } from '../../lib/nullable.js'

export const Activity = Type.Object({
  event_type: Type.String({ enum: ['split', 'merge', 'nrc', 'redemption'] }),
  id: Type.String({ description: '`<transaction hash>_0x<log index>`' }),
  timestamp: Type.String({ description: 'Unix seconds of the block' }),
  ref_id: Type.String({ description: 'the condition; of `nrc` the neg-risk market' }),
  amount: Type.String({ description: 'millionths; of a redemption what it paid' }),
  extra: nullable(
    Type.String(),
    'of a redemption the index sets, such as `{1,2}`; of `nrc` the number of questions of its market',
  ),
})

export const Flow = Type.Object({
  event_type: Type.String({ enum: ['deposit', 'withdrawal'] }),
  direction: Type.String({ enum: ['in', 'out'] }),
  amount: Type.Number({ description: 'dollars' }),
  amount_usdc: Type.Number({ description: 'the same' }),
  amount_raw: Type.String({ description: 'millionths' }),
  asset: Type.String({ description: 'what was wrapped or unwrapped' }),
  asset_symbol: Type.String({ enum: ['USDC.e', 'USDC', 'unknown'] }),
  ramp: Type.String({ enum: ['CollateralOnramp', 'CollateralOfframp', 'PermissionedRamp'] }),
  source_event: Type.String({ enum: ['Wrapped', 'Transfer+Unwrapped'] }),
  recipient: Type.String(),
  transaction_hash: Type.String(),
  block_number: Type.Integer({ minimum: 0 }),
  block_timestamp: Type.Integer({ description: 'Unix seconds' }),
})

export const FlowSums = {
  total_matching_rows: Type.Integer({ minimum: 0 }),
  total_deposited: Type.Number({ description: 'dollars, over all matching rows' }),
  total_withdrawn: Type.Number({ description: 'dollars, over all matching rows' }),
  net_deposited: Type.Number(),
  source: Type.Literal('polyusd_flows'),
}
