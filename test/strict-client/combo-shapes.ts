import {
  address,
  anyObject,
  bool,
  digits,
  type Fields,
  hash,
  int,
  list,
  loose,
  ms,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './shape.js'

const SIDE = oneOf('BUY', 'SELL')
const YES_NO = oneOf('YES', 'NO')

const LEG = object({
  position_id: digits,
  module_id: int,
  module_name: text,
  condition_id: text,
  ...optional({ event_id: text, arity: int, condition_index: int, outcome_index: int }),
  ...optional({ leg_outcome_label: text, market: anyObject }),
})

const ROW = object({
  position_id: digits,
  ...optional({ order_hash: hash, maker_address: address, signer_address: address }),
  ...optional({ taker_address: address, side: SIDE, outcome_side: YES_NO, outcome: YES_NO }),
  ...optional({ price: number, size: number, amount_usdc: number, price_e6: digits }),
  ...optional({ size_e6: digits, maker_amount_e6: digits, taker_amount_e6: digits }),
  ...optional({ fee_e6: digits, fee: number, maker: address, signer: address, taker: address }),
})

const SUMMARY = object({
  taker_order_hash: hash,
  taker_order_maker: address,
  position_id: digits,
  maker_amount_e6: digits,
  taker_amount_e6: digits,
  ...optional({ side: text, price: number, size: number, log_index: int }),
})

const FEE = object({ receiver: address, amount_e6: digits, amount_usdc: number, log_index: int })

const TRANSFER = object({
  position_id: digits,
  from: address,
  to: address,
  amount_e6: digits,
  log_index: int,
})

const DIAGNOSTICS = object({
  ...loose({ tx_from: address, tx_to: address, selector: text, decoded_function: text }),
  ...loose({ match_hint: text, wrapper_depth: int, input_len: int }),
  ...optional({ call_path: list(text) }),
})

const STAGE: Fields = {
  tx_hash: hash,
  status: oneOf('pending', 'confirmed'),
  detected_at: ms,
  block_number: nullable(int),
}

/** Names of the condition, its positions and its parties, in both generations of the payload. */
const COMBO: Fields = {
  ...loose({ combo_condition_id: text, yes_position_id: digits, no_position_id: digits }),
  ...loose({ amount_usdc: number, notional_usdc: number }),
  ...loose({ maker_address: address, signer_address: address, taker_address: address }),
  ...optional({ leg_position_ids: list(digits), legs: list(LEG) }),
}

const LIFECYCLE_FIELDS: Fields = {
  ...STAGE,
  ...COMBO,
  action: oneOf(
    'Prepare',
    'Split',
    'Merge',
    'HorizontalSplit',
    'HorizontalMerge',
    'Convert',
    'Redeem',
    'Wrap',
    'Unwrap',
    'Transfer',
    'Compress',
    'Extract',
    'Inject',
    'ConvertToYesBasket',
    'MergeFromYesBasket',
  ),
  ...loose({ log_index: int, user: address, module_id: int, module_name: text, side: YES_NO }),
  ...loose({ amount_e6: digits, payout_e6: digits, payout_usdc: number, stakeholder: address }),
  ...optional({ condition_ids: list(text), event_ids: list(text), position_ids: list(digits) }),
  ...optional({ source_position_ids: list(digits), destination_position_ids: list(digits) }),
  ...optional({ confirmed_transfers: list(TRANSFER) }),
  ...loose({ diagnostics: DIAGNOSTICS }),
}

export const COMBO_SHAPES: readonly (readonly [string, Shape])[] = [
  [
    'combo_execution',
    object({
      ...STAGE,
      ...COMBO,
      ...loose({ direction: SIDE, side: YES_NO, price_e6: digits, size_e6: digits }),
      ...loose({ legs_total: int, rfq_id: text, quote_id: text, signature_type: int }),
      ...loose({ taker_wallet: address, taker_token: digits, taker_side: SIDE, outcome: YES_NO }),
      ...loose({ taker_price: number, taker_size: number, diagnostics: DIAGNOSTICS }),
      ...optional({ order_hashes: list(hash), trades: list(ROW) }),
    }),
  ],
  [
    'combo_status_update',
    object({
      ...COMBO,
      tx_hash: hash,
      block_number: int,
      confirmed_at: ms,
      execution_status: oneOf('CONFIRMED', 'FAILED', 'MATCHED', 'MINED', 'RETRYING'),
      ...loose({ pending_detected_at: ms, latency_ms: int }),
      ...loose({ gas_used: digits, effective_gas_price: digits, diagnostics: DIAGNOSTICS }),
      ...optional({ order_hashes: list(hash), confirmed_fills: list(ROW), fees: list(FEE) }),
      ...optional({ execution_summaries: list(SUMMARY), confirmed_transfers: list(TRANSFER) }),
      ...optional({ lifecycle_events: list(object(LIFECYCLE_FIELDS)) }),
    }),
  ],
  ['combo_lifecycle', object(LIFECYCLE_FIELDS)],
  [
    'combo_approval',
    object({
      ...STAGE,
      owner: address,
      operator: address,
      approved: bool,
      approval_type: oneOf('position_manager_approval_for_all', 'collateral_allowance'),
      ...loose({ amount_e6: digits, target_role: text }),
    }),
  ],
]
