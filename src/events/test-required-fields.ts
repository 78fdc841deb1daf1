/**
 * What clients of such streams require of each message, written from the reference alone (the
 * payloads of §8 to §10 and what client libraries validate, §16.2) and not from our schemas. A client
 * drops an event that lacks one of these fields, or has null or another type there.
 */

type Kind = 'text' | 'int' | 'number' | 'bool' | 'texts' | 'ints' | 'rows'
type Fields = Readonly<Record<string, Kind | `${Kind}?` | readonly string[]>>

/** A question mark: null is allowed, and the key is there. A list: one of these texts. */
const LOG: Fields = { tx_hash: 'text', block_number: 'int', log_index: 'int', timestamp: 'int' }
const SIDE = ['BUY', 'SELL']
const YES_NO = ['YES', 'NO']
const TRADED: Fields = {
  side: SIDE,
  price: 'number',
  size: 'number',
  maker_amount: 'text',
  taker_amount: 'text',
}
const COMBO_PARTIES: Fields = {
  direction: SIDE,
  side: YES_NO,
  price_e6: 'text',
  size_e6: 'text',
  amount_usdc: 'number',
  notional_usdc: 'number',
  maker_address: 'text',
  taker_address: 'text',
  yes_position_id: 'text',
  no_position_id: 'text',
}

const LIFECYCLE: Fields = {
  tx_hash: 'text',
  status: ['pending', 'confirmed'],
  detected_at: 'int',
  block_number: 'int',
  log_index: 'int',
  action: 'text',
  condition_ids: 'texts',
  event_ids: 'texts',
  position_ids: 'texts',
}

export const REQUIRED_DATA: Readonly<Record<string, Fields>> = {
  settlement: {
    tx_hash: 'text',
    status: ['pending', 'confirmed'],
    detected_at: 'int',
    block_number: 'int?',
    taker_wallet: 'text',
    taker_token: 'text',
    taker_side: SIDE,
    taker_price: 'number',
    taker_size: 'number',
    trades: 'rows',
  },
  fill: {
    order_hash: 'text',
    user: 'text',
    taker: 'text',
    tx_hash: 'text',
    side: SIDE,
    price: 'number',
    shares: 'int',
    shares_normalized: 'number',
    token_id: 'text',
    token_label: 'text',
    condition_id: 'text',
    market_slug: 'text',
    title: 'text',
    timestamp: 'int',
    block_number: 'int?',
    log_index: 'int?',
  },
  status_update: {
    tx_hash: 'text',
    token_id: 'text',
    block_number: 'int',
    confirmed_at: 'int',
    pending_detected_at: 'int',
    latency_ms: 'int',
    taker_wallet: 'text',
    maker_wallets: 'texts',
    confirmed_fills: 'rows',
  },
  trade: {
    ...LOG,
    exchange: ['ctf_exchange', 'neg_risk_ctf_exchange'],
    maker: 'text',
    taker: 'text',
    token_id: 'text',
    ...TRADED,
    fee: 'number?',
    order_hash: 'text',
  },
  position_change: {
    ...LOG,
    from: 'text',
    to: 'text',
    token_id: 'text',
    amount: 'number',
    transfer_type: ['single', 'batch'],
  },
  position_split: {
    ...LOG,
    stakeholder: 'text',
    collateral_token: 'text',
    condition_id: 'text',
    amount: 'number',
    token_ids: 'texts',
  },
  position_merge: {
    ...LOG,
    stakeholder: 'text',
    collateral_token: 'text',
    condition_id: 'text',
    amount: 'number',
    token_ids: 'texts',
  },
  positions_converted: {
    ...LOG,
    stakeholder: 'text',
    market_id: 'text',
    index_set: 'text',
    amount: 'number',
    neg_risk: 'bool',
  },
  redemption: {
    ...LOG,
    redeemer: 'text',
    collateral_token: 'text',
    condition_id: 'text',
    index_sets: 'ints',
    payout: 'number',
    token_ids: 'texts',
  },
  deposit: {
    ...LOG,
    from: 'text',
    to: 'text',
    amount: 'number',
    direction: ['deposit', 'withdrawal'],
  },
  block: {
    block_number: 'int',
    block_hash: 'text',
    timestamp: 'int',
    parent_hash: 'text',
    tx_count: 'int',
    polymarket_tx_count: 'int',
    settlement_count: 'int',
    trade_volume_usd: 'number',
  },
  oracle: { ...LOG, oracle_type: 'text', question_id: 'text', adapter_address: 'text' },
  combo_execution: {
    tx_hash: 'text',
    status: ['pending'],
    detected_at: 'int',
    block_number: 'int?',
    combo_condition_id: 'text',
    legs: 'rows',
    taker_wallet: 'text',
    taker_token: 'text',
    taker_side: SIDE,
    outcome: YES_NO,
    taker_price: 'number',
    taker_size: 'number',
    order_hashes: 'texts',
    trades: 'rows',
    ...COMBO_PARTIES,
    signer_address: 'text',
    leg_position_ids: 'texts',
    legs_total: 'int',
    signature_type: 'int',
  },
  combo_status_update: {
    tx_hash: 'text',
    block_number: 'int',
    confirmed_at: 'int',
    execution_status: ['CONFIRMED', 'FAILED', 'MATCHED', 'MINED', 'RETRYING'],
    ...COMBO_PARTIES,
    order_hashes: 'texts',
    confirmed_fills: 'rows',
    execution_summaries: 'rows',
    fees: 'rows',
    confirmed_transfers: 'rows',
    lifecycle_events: 'rows',
  },
  combo_lifecycle: LIFECYCLE,
  combo_approval: {
    tx_hash: 'text',
    status: ['pending', 'confirmed'],
    detected_at: 'int',
    block_number: 'int',
    approval_type: ['position_manager_approval_for_all', 'collateral_allowance'],
    owner: 'text',
    operator: 'text',
    approved: 'bool',
  },
  price_feed: { feed: 'text', price: 'number', bid: 'number', ask: 'number', timestamp: 'int' },
  // Ours.
  reorg: { fork_block: 'int', first_removed_block: 'int', removed_blocks: 'int' },
  // The source may leave out any of it.
  score_update: {},
}

const COMBO_ROW: Fields = {
  position_id: 'text',
  order_hash: 'text',
  maker: 'text',
  maker_address: 'text',
  taker: 'text',
  taker_address: 'text',
  side: SIDE,
  outcome: YES_NO,
  outcome_side: YES_NO,
  price: 'number',
  size: 'number',
  amount_usdc: 'number',
  fee: 'number',
  price_e6: 'text',
  size_e6: 'text',
  maker_amount_e6: 'text',
  taker_amount_e6: 'text',
  fee_e6: 'text',
}

/** Of the rows inside of the data. */
const REQUIRED_ROWS: Readonly<Record<string, Fields>> = {
  'settlement.trades': {
    maker: 'text',
    signer: 'text',
    taker: 'text',
    token_id: 'text',
    ...TRADED,
  },
  'status_update.confirmed_fills': {
    order_hash: 'text',
    maker: 'text',
    taker: 'text',
    token_id: 'text',
    ...TRADED,
    fee: 'number?',
  },
  'combo_execution.trades': { ...COMBO_ROW, signer: 'text', signer_address: 'text' },
  'combo_status_update.confirmed_fills': COMBO_ROW,
  'combo_execution.legs': { position_id: 'text', leg_outcome_label: 'text' },
  'combo_status_update.legs': { position_id: 'text', leg_outcome_label: 'text' },
  'combo_lifecycle.legs': { position_id: 'text', leg_outcome_label: 'text' },
  'combo_status_update.execution_summaries': {
    taker_order_hash: 'text',
    taker_order_maker: 'text',
    position_id: 'text',
    maker_amount_e6: 'text',
    taker_amount_e6: 'text',
  },
  'combo_status_update.fees': {
    receiver: 'text',
    amount_e6: 'text',
    amount_usdc: 'number',
    log_index: 'int',
  },
  'combo_status_update.confirmed_transfers': {
    position_id: 'text',
    from: 'text',
    to: 'text',
    amount_e6: 'text',
    log_index: 'int',
  },
  'combo_status_update.lifecycle_events': LIFECYCLE,
}

/** Types whose envelope has the time in milliseconds, and data that repeats their name. */
const isOrdinary = (type: string) => type !== 'fill' && type !== 'price_feed'

type Json = Record<string, unknown>

/** What a strict client would complain about in the message of an event of this type. */
export function findMissing(type: string, text: string): string[] {
  const message: Json = JSON.parse(text)
  const data = message.data as Json
  const wrong = check(type, data, REQUIRED_DATA[type] ?? {})
  for (const [path, fields] of Object.entries(REQUIRED_ROWS)) {
    const [owner, list = ''] = path.split('.')
    if (owner !== type || data[list] === undefined) continue
    for (const row of data[list] as Json[]) wrong.push(...check(path, row, fields))
  }
  if (!Number.isInteger(message.seq)) wrong.push(`${type}: seq`)
  if (isOrdinary(type)) {
    wrong.push(...check(type, message, { type: [type], timestamp: 'int' }))
    wrong.push(...check(type, data, { event_type: [type] }))
  }
  return [...wrong, ...findNulls(type, data)]
}

const check = (path: string, value: Json, fields: Fields): string[] =>
  Object.entries(fields)
    .filter(([name, kind]) => !hasKind(value[name], kind))
    .map(([name]) => `${path}.${name} is ${JSON.stringify(value[name])}`)

function hasKind(value: unknown, kind: Fields[string]): boolean {
  if (typeof kind !== 'string') return kind.some((text) => text === value)
  if (kind.endsWith('?')) return value === null || hasKind(value, kind.slice(0, -1) as Kind)
  switch (kind) {
    case 'int':
      return Number.isSafeInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'bool':
      return typeof value === 'boolean'
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
    case 'ints':
      return Array.isArray(value) && value.every(Number.isSafeInteger)
    case 'rows':
      return Array.isArray(value) && value.every((item) => typeof item === 'object' && item)
    default:
      return typeof value === 'string'
  }
}

/** The only fields that may be null, wherever they are. */
const NULLABLE = ['block_number', 'log_index', 'fee', 'taker_base_fee']

function findNulls(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => findNulls(path, item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) =>
    field === null && !NULLABLE.includes(name)
      ? [`${path}.${name} is null`]
      : findNulls(`${path}.${name}`, field),
  )
}
