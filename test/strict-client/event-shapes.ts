import { COMBO_SHAPES } from './combo-shapes.js'
import {
  address,
  anyCondition,
  anyObject,
  bool,
  digits,
  type Fields,
  hash,
  int,
  type Json,
  list,
  loose,
  ms,
  nullable,
  number,
  object,
  oneOf,
  optional,
  problemsOf,
  type Shape,
  seconds,
  text,
} from './shape.js'

const SIDE = oneOf('BUY', 'SELL')
const VERSION = oneOf('v2', 'v3')

const PROTOCOL = optional({ protocol_version: text, module: oneOf('binary', 'neg_risk') })

/** The market of an event: everything may be absent or null. */
const E: Fields = {
  ...loose({
    market_title: text,
    outcome: text,
    market_slug: text,
    event_title: text,
    event_slug: text,
    market_image: text,
    neg_risk: bool,
    tick_size: number,
    taker_base_fee: number,
    condition_id: hash,
    tokens: anyObject,
    outcomes: list(text),
    token_ids: list(digits),
  }),
  ...PROTOCOL,
}

/** The place of a log. */
const L: Fields = { tx_hash: hash, block_number: int, log_index: int, timestamp: ms }

const TRADED: Fields = {
  maker: address,
  taker: address,
  token_id: digits,
  side: SIDE,
  price: number,
  size: number,
  maker_amount: digits,
  taker_amount: digits,
}

const TRADE_ROW = object({
  ...TRADED,
  ...PROTOCOL,
  signer: address,
  ...loose({ outcome: text, order_hash: hash }),
  ...optional({ exchange_version: VERSION }),
})

const CONFIRMED_FILL = object({
  ...TRADED,
  ...PROTOCOL,
  order_hash: hash,
  fee: nullable(number),
  ...optional({ exchange_version: VERSION }),
})

const ORACLE_TYPES = {
  initialization: {},
  proposal: { proposer: address, proposed_price: number, expiration_timestamp: ms },
  dispute: { disputer: address, proposer: address, proposed_price: number },
  settled: { resolved_price: number, proposer: address },
  resolution: { resolved_price: number, payouts: list(int) },
  condition_resolution: { resolved_price: number, payouts: list(int), condition_id: hash },
  manual_resolution: { payouts: list(int) },
  reset: {},
  flag: {},
  unflag: {},
  pause: {},
  unpause: {},
} satisfies Record<string, Fields>

const PAYOUTS_PPM: Shape = (value, path, problems) => {
  list(int)(value, path, problems)
  const sum = Array.isArray(value) ? value.reduce((total, each) => total + Number(each), 0) : 0
  if (sum !== 1_000_000 || (Array.isArray(value) && value.length !== 2))
    problems.push(`${path} must be two parts of a million`)
}

const ORACLE_BASE = object({
  ...L,
  ...E,
  tx_hash: text,
  question_id: text,
  adapter_address: text,
  oracle_type: oneOf(...Object.keys(ORACLE_TYPES)),
  ...loose({
    bond_amount: number,
    payouts_ppm: PAYOUTS_PPM,
    derived: bool,
    resolved_outcome: text,
  }),
})

const ORACLE: Shape = (value, path, problems) => {
  ORACLE_BASE(value, path, problems)
  const type = (value as Json | null)?.oracle_type
  const found = Object.entries(ORACLE_TYPES).find(([name]) => name === type)
  if (found !== undefined) object(found[1])(value, path, problems)
}

const STAKE: Fields = { stakeholder: address, amount: number }
const COLLATERAL: Fields = { collateral_token: address, condition_id: hash }

/** The fields of `data` that a client reads of each event, by event type. */
const EVENT_SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [
    'settlement',
    object({
      ...E,
      tx_hash: hash,
      status: oneOf('pending', 'confirmed'),
      detected_at: ms,
      block_number: nullable(int),
      taker_wallet: address,
      taker_token: digits,
      taker_side: SIDE,
      taker_price: number,
      taker_size: number,
      trades: list(TRADE_ROW),
      ...optional({ exchange_version: VERSION }),
    }),
  ],
  [
    'fill',
    object({
      order_hash: hash,
      user: address,
      taker: address,
      tx_hash: hash,
      side: SIDE,
      price: number,
      shares: int,
      shares_normalized: number,
      token_id: digits,
      token_label: text,
      condition_id: text,
      market_slug: text,
      title: text,
      timestamp: seconds,
      block_number: nullable(int),
      log_index: nullable(int),
      ...PROTOCOL,
    }),
  ],
  [
    'status_update',
    object({
      ...E,
      tx_hash: hash,
      token_id: digits,
      block_number: int,
      confirmed_at: ms,
      pending_detected_at: ms,
      latency_ms: int,
      ...loose({ taker_wallet: address, confirmed_fills: list(CONFIRMED_FILL) }),
      ...optional({ maker_wallets: list(address), order_hashes: list(hash) }),
    }),
  ],
  [
    'trade',
    object({
      ...L,
      ...E,
      ...TRADED,
      fee: nullable(number),
      order_hash: hash,
      exchange: oneOf('ctf_exchange', 'neg_risk_ctf_exchange'),
      ...optional({ exchange_version: VERSION }),
    }),
  ],
  [
    'position_change',
    object({
      ...L,
      ...E,
      from: address,
      to: address,
      token_id: digits,
      amount: number,
      transfer_type: oneOf('single', 'batch'),
    }),
  ],
  ['position_split', object({ ...L, ...E, ...STAKE, ...COLLATERAL })],
  ['position_merge', object({ ...L, ...E, ...STAKE, ...COLLATERAL })],
  [
    'positions_converted',
    object({
      ...L,
      ...E,
      ...STAKE,
      market_id: hash,
      index_set: hash,
      neg_risk: bool,
      ...loose({ converted_outcomes: list(text) }),
    }),
  ],
  [
    'redemption',
    object({
      ...L,
      ...E,
      collateral_token: address,
      condition_id: anyCondition,
      redeemer: address,
      index_sets: list(int),
      payout: number,
      ...optional({ payout_e6: digits, source: text }),
      ...loose({ payouts: list(int), outcome_prices: list(number), winning_outcome: text }),
      ...loose({ winning_outcome_index: int, winning_token_id: digits }),
    }),
  ],
  [
    'deposit',
    object({ ...L, from: address, to: address, amount: number, direction: oneOf('deposit', 'withdrawal') }),
  ],
  [
    'block',
    object({
      block_number: int,
      block_hash: hash,
      timestamp: ms,
      parent_hash: hash,
      tx_count: int,
      polymarket_tx_count: int,
      settlement_count: int,
      trade_volume_usd: number,
    }),
  ],
  ['oracle', ORACLE],
  [
    'price_feed',
    object({
      feed: text,
      price: number,
      bid: number,
      ask: number,
      timestamp: seconds,
      ...optional({ source: text, feed_id: text, is_twap: bool }),
      ...optional({ twap_window_seconds: nullable(oneOf(30, 60)) }),
    }),
  ],
  ...COMBO_SHAPES,
])

/** An event as a client reads it. */
export type StrictEvent = {
  type: string
  /** What `since` continues from: ms, but seconds for fills and price feeds. */
  timestamp: number
  seq: unknown
  data: Json
}

/** Reads a frame, or an entry of a snapshot, as an event. Returns sentences about what is wrong with it. */
export function parseEvent(frame: Json): StrictEvent | string[] {
  const { data } = frame
  const envelope = problemsOf(frame, object({ type: text, data: anyObject }), '')
  if (envelope.length > 0 || !isObject(data)) return envelope
  const type = frame.type === 'event' ? 'fill' : String(data.event_type ?? frame.type)
  const shape = EVENT_SHAPES.get(type)
  if (shape === undefined) return [`no event is called ${type}`]
  const problems = problemsOf(data, shape, `${type}.data`)
  const hasOwnTime = type === 'fill' || type === 'price_feed'
  if (!hasOwnTime) {
    problems.push(...problemsOf(frame, object({ timestamp: ms }), type))
    if (data.event_type !== frame.type) problems.push(`${type} is in a frame of ${frame.type}`)
  }
  if (problems.length > 0) return problems
  const timestamp = Number(hasOwnTime ? data.timestamp : frame.timestamp)
  return { type, timestamp, seq: frame.seq, data }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
