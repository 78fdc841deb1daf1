import { Type } from 'typebox'
import { Decimal, IntegerText, SecondsText, UnixTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'

export const Activity = namedObject('WalletActivity', {
  event_type: Type.String({ enum: ['split', 'merge', 'nrc', 'redemption'] }),
  id: Type.String({ description: '`<transaction hash>_0x<log index>`' }),
  timestamp: SecondsText('Unix seconds of the block'),
  ref_id: Type.String({ description: 'the condition; of `nrc` the neg-risk market' }),
  amount: IntegerText('millionths; of a redemption what it paid'),
  extra: nullable(
    Type.String(),
    'of a redemption the index sets, such as `{1,2}`; of `nrc` the number of questions of its market',
  ),
})

export const Flow = namedObject('WalletFlow', {
  event_type: Type.String({ enum: ['deposit', 'withdrawal'] }),
  direction: Type.String({ enum: ['in', 'out'] }),
  amount: Decimal('dollars'),
  amount_usdc: Decimal('the same'),
  amount_raw: IntegerText('millionths'),
  asset: Type.String({ description: 'what was wrapped or unwrapped' }),
  asset_symbol: Type.String({ enum: ['USDC.e', 'USDC', 'unknown'] }),
  ramp: Type.String({ enum: ['CollateralOnramp', 'CollateralOfframp', 'PermissionedRamp'] }),
  source_event: Type.String({ enum: ['Wrapped', 'Transfer+Unwrapped'] }),
  recipient: Type.String(),
  transaction_hash: Type.String(),
  block_number: Type.Integer({ minimum: 0 }),
  block_timestamp: UnixTime(),
})

export const FlowSums = {
  total_matching_rows: Type.Integer({ minimum: 0 }),
  total_deposited: Type.Number({ description: 'dollars, over all matching rows' }),
  total_withdrawn: Type.Number({ description: 'dollars, over all matching rows' }),
  net_deposited: Type.Number(),
  source: Type.Literal('polyusd_flows'),
}
