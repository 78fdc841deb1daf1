import {
  address,
  bool,
  digits,
  type Fields,
  hash,
  int,
  isJson,
  type Json,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  problemsOf,
  type Shape,
  text,
} from '../strict-client/shape.js'

/**
 * What a delivery of each event type must look like, written from the reference and nothing else: the
 * code of the service has no part in it.
 */

const pattern =
  (expected: string, regex: RegExp): Shape =>
  (value, path, problems) => {
    if (typeof value !== 'string' || !regex.test(value))
      problems.push(`${path} must be ${expected}, not ${JSON.stringify(value)}`)
  }

const within =
  (min: number, max: number): Shape =>
  (value, path, problems) => {
    number(value, path, problems)
    if (Number(value) < min || Number(value) > max)
      problems.push(`${path} must lie from ${min} to ${max}, not at ${value}`)
  }

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const eventId = pattern('evt_ and a UUID', new RegExp(`^evt_${UUID}$`))
const isoNanos = pattern('a time with nine decimals', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00$/)
const iso = pattern('a time in ISO 8601', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|\+00:00)$/)
const micros = pattern('a time with microseconds', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/)
const secondsText = pattern('Unix seconds in a string', /^\d{10}$/)
const msText = pattern('Unix milliseconds in a string', /^\d{13}$/)
const logId = pattern('<transaction>_<log index>', /^0x[0-9a-f]{64}_\d+$/)
const numerators = pattern('numerators in braces', /^\{\d+(,\d+)+\}$/)
const tags = pattern('texts in braces', /^\{.*\}$/)
const usd = within(0, 1e12)
const price = within(0, 1)
const known = nullable(text)

/** Fields of a trade. What is known of the market only when the catalogue has it may be null. */
const TRADE: Fields = {
  id: logId,
  maker: address,
  taker: address,
  amount_usd: usd,
  price,
  fee_usd: usd,
  direction: oneOf('BUY', 'SELL'),
  is_taker_order: bool,
  token_id: digits,
  market: known,
  slug: known,
  outcome: known,
  condition_id: nullable(hash),
  event_slug: known,
  transaction_hash: hash,
  order_hash: hash,
  builder: hash,
  timestamp: secondsText,
}

const REDEMPTION: Fields = {
  wallet: address,
  condition_id: hash,
  timestamp: secondsText,
  market: known,
  outcome: known,
  payout_usd: usd,
  transaction_hash: hash,
  id: logId,
  slug: known,
  event_slug: known,
}

const SETS: Fields = {
  wallet: address,
  condition_id: hash,
  amount: usd,
  timestamp: secondsText,
  market: known,
  transaction_hash: hash,
  id: logId,
  slug: known,
  event_slug: known,
}

const CONVERSION: Fields = {
  wallet: address,
  market_id: hash,
  timestamp: secondsText,
  amount: usd,
  index_set: hash,
  transaction_hash: hash,
  id: logId,
  event_title: known,
  market: known,
  slug: known,
  condition_id: nullable(hash),
  event_slug: known,
}

/** The last two are ours. */
const SOURCES = ['erc1155_transfer', 'split', 'merge', 'redemption', 'resolution', 'neg_risk_conversion']
const STATUS = ['open', 'closed', 'redeemable', 'redeemed']

const FIELDS = {
  trade: TRADE,
  large_trade: TRADE,
  builder_trade: TRADE,
  first_trade: { ...TRADE, wallet: address },
  price_change: {
    token_id: digits,
    price,
    updated_at: micros,
    market: known,
    slug: known,
    outcome: known,
    condition_id: nullable(hash),
    previous_price: price,
    delta_pct: nullable(number),
  },
  market_resolved: {
    condition_id: hash,
    question: known,
    slug: known,
    payout_numerators: numerators,
    payout_denominator: digits,
    resolved_at: msText,
    event_slug: known,
    tags,
    winning_outcome: known,
    winning_token_id: nullable(digits),
  },
  market_created: {
    condition_id: hash,
    question: text,
    slug: text,
    event_slug: known,
    tags,
    image_url: known,
    created_at: micros,
  },
  pnl_change: {
    wallet: address,
    token_id: digits,
    realized_pnl: number,
    market: known,
    outcome: known,
    previous_realized_pnl: number,
    change_usd: number,
    slug: known,
    condition_id: nullable(hash),
    timestamp: secondsText,
  },
  position_status_change: {
    wallet: address,
    token_id: digits,
    condition_id: nullable(hash),
    from_status: oneOf('none', ...STATUS),
    to_status: oneOf(...STATUS),
    previous_amount: usd,
    new_amount: usd,
    delta_amount: number,
    transfer_amount: usd,
    source: oneOf(...SOURCES),
    raw_event_type: text,
    source_event_id: logId,
    transaction_hash: hash,
    block_number: int,
    timestamp: iso,
    market: known,
    slug: known,
    event_slug: known,
    outcome: known,
    tags,
  },
  redemption: REDEMPTION,
  split: SETS,
  merge: SETS,
  neg_risk_conversion: CONVERSION,
  fee_earned: {
    receiver: address,
    fee_usd: usd,
    transaction_hash: hash,
    timestamp: secondsText,
    ...optional({ id: logId }),
  },
  order_complete: {
    order_hash: hash,
    fill_count: within(2, 1e6),
    total_usd: usd,
    fills: list(object({ amount_usd: usd, price, market: known, outcome: known, timestamp: secondsText })),
    wallet: address,
    avg_price: price,
    market: known,
    slug: known,
    outcome: known,
    condition_id: nullable(hash),
    event_slug: known,
  },
} satisfies Record<string, Fields>

const ACTIVITIES: Readonly<Record<string, Fields>> = {
  trade: TRADE,
  redemption: REDEMPTION,
  split: SETS,
  merge: SETS,
  neg_risk_conversion: CONVERSION,
}

export type EventTypeName = keyof typeof FIELDS | 'wallet_activity'

export const EVENT_TYPE_NAMES = [...Object.keys(FIELDS), 'wallet_activity'] as EventTypeName[]

/** The envelope that every delivery is. */
export type Envelope = { id: string; type: string; created_at: string; data: Json }

const envelope = object({ id: eventId, type: oneOf(...EVENT_TYPE_NAMES), created_at: isoNanos })

/** Everything that is wrong with a delivered envelope; a field that is not known is wrong too. */
export function problemsOfEnvelope(value: unknown): string[] {
  const problems = problemsOf(value, envelope)
  if (!isJson(value) || !isJson(value.data)) return [...problems, 'data must be an object']
  const { type, data } = value
  const fields = fieldsOf(String(type), data)
  if (fields === undefined) return [...problems, `data must be one of ${type}`]
  const unknown = [
    ...namesBeside(value, ['id', 'type', 'created_at', 'data']),
    ...namesBeside(data, Object.keys(fields)),
  ]
  return [
    ...problems,
    ...problemsOf(data, object(fields), String(type)),
    ...unknown.map((name) => `${type}: no field is named ${name}`),
  ]
}

function fieldsOf(type: string, data: Json): Fields | undefined {
  if (type !== 'wallet_activity') return FIELDS[type as keyof typeof FIELDS]
  const fields = ACTIVITIES[String(data.activity_type)]
  return fields && { activity_type: text, ...fields }
}

const namesBeside = (value: Json, names: readonly string[]): string[] =>
  Object.keys(value).filter((name) => !names.includes(name))
