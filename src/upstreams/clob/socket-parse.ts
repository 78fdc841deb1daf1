import {
  arrayOf,
  type Parser,
  parseAmount,
  parseBoolean,
  parseDecimal,
  parseEncoded,
  parseFields,
  parseId,
  parseNumber,
  parseString,
  parseTimeMs,
} from '../transport/parse-json.js'
import { type ClobBook, parseBook, parseClobAmount, parseClobSide, parseClobTimeMs } from './parse.js'

/** One event of the market socket. Decimals are kept as they were written; what is empty is `undefined`. */
export type ClobEvent =
  | ({ type: 'book' } & ClobBook)
  | ReturnType<typeof parsePriceChange>
  | ReturnType<typeof parseTickSizeChange>
  | ReturnType<typeof parseTrade>
  | ReturnType<typeof parseTop>
  | ReturnType<typeof parseNewMarket>
  | ReturnType<typeof parseResolution>

/** Frames of the exchange that are no JSON: PONG, NO NEW ASSETS, INVALID OPERATION. */
const PLAIN_TEXT = /^[A-Z ]{0,40}$/

/**
 * The events of a frame, which is one object or an array of them. `undefined`: no JSON, or
 * only events of unknown types. Throws a ParseError when any part of it is refused.
 */
export function parseClobFrame(text: string): ClobEvent[] | undefined {
  if (PLAIN_TEXT.test(text)) return undefined
  return parseEncoded(text, 'frame', (frame) => {
    const items = Array.isArray(frame) ? frame : [frame]
    const parsed = items.map((item, index) => parseEvent(item, `frame[${index}]`))
    const events = parsed.filter((event) => event !== undefined)
    return events.length === 0 && items.length > 0 ? undefined : events
  })
}

const PARSERS: ReadonlyMap<string, Parser<ClobEvent>> = new Map<string, Parser<ClobEvent>>([
  ['book', (value, path) => ({ type: 'book', ...parseBook(value, path) })],
  ['price_change', parsePriceChange],
  ['tick_size_change', parseTickSizeChange],
  ['last_trade_price', parseTrade],
  ['best_bid_ask', parseTop],
  ['new_market', parseNewMarket],
  ['market_resolved', parseResolution],
])

function parseEvent(value: unknown, path: string): ClobEvent | undefined {
  const type = parseFields(value, path).required('event_type', parseString)
  return PARSERS.get(type)?.(value, path)
}

/** Orders came or went. One order shows on both tokens of its market. */
function parsePriceChange(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'price_change' as const,
    conditionId: fields.required('market', parseString),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
    changes: fields.required('price_changes', arrayOf(parseChange)),
  }
}

function parseChange(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    tokenId: fields.required('asset_id', parseId),
    side: fields.required('side', parseClobSide),
    price: fields.required('price', parseClobAmount),
    // What the level holds now; zero: the level is gone.
    size: fields.required('size', parseClobAmount),
    // Of the book after the change.
    hash: fields.optional('hash', parseString),
    bestBid: fields.optional('best_bid', parseAmount),
    bestAsk: fields.optional('best_ask', parseAmount),
  }
}

function parseTickSizeChange(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'tick_size_change' as const,
    conditionId: fields.required('market', parseString),
    tokenId: fields.required('asset_id', parseId),
    oldTickSize: fields.optional('old_tick_size', parseAmount),
    newTickSize: fields.required('new_tick_size', parseAmount),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
  }
}

function parseTrade(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'last_trade_price' as const,
    conditionId: fields.required('market', parseString),
    tokenId: fields.required('asset_id', parseId),
    price: fields.required('price', parseClobAmount),
    size: fields.optional('size', parseAmount),
    side: fields.optional('side', parseClobSide),
    feeRateBps: fields.optional('fee_rate_bps', parseNumber),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
    transactionHash: fields.optional('transaction_hash', parseString),
  }
}

function parseTop(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'best_bid_ask' as const,
    conditionId: fields.required('market', parseString),
    tokenId: fields.required('asset_id', parseId),
    bestBid: fields.optional('best_bid', parseAmount),
    bestAsk: fields.optional('best_ask', parseAmount),
    spread: fields.optional('spread', parseDecimal),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
  }
}

function parseNewMarket(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'new_market' as const,
    id: fields.required('id', parseId),
    conditionId: fields.required('market', parseString),
    question: fields.optional('question', parseString),
    slug: fields.optional('slug', parseString),
    description: fields.optional('description', parseString),
    groupItemTitle: fields.optional('group_item_title', parseString),
    tokenIds: fields.list('assets_ids', parseId),
    outcomes: fields.list('outcomes', parseString),
    event: fields.optional('event_message', parseEventMessage),
    tags: fields.list('tags', parseString),
    active: fields.optional('active', parseBoolean),
    sportsMarketType: fields.optional('sports_market_type', parseString),
    line: fields.optional('line', parseDecimal),
    gameStartTimeMs: fields.optional('game_start_time', parseGameStartMs),
    tickSize: fields.optional('order_price_min_tick_size', parseAmount),
    takerBaseFee: fields.optional('taker_base_fee', parseNumber),
    feesEnabled: fields.optional('fees_enabled', parseBoolean),
    feeSchedule: fields.optional('fee_schedule', parseFeeSchedule),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
  }
}

/** As ISO text, or as milliseconds. */
function parseGameStartMs(value: unknown, path: string): number {
  const text = parseString(value, path)
  return /^\d{12,15}$/.test(text) ? Number(text) : parseTimeMs(text, path)
}

function parseResolution(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'market_resolved' as const,
    id: fields.required('id', parseId),
    conditionId: fields.required('market', parseString),
    tokenIds: fields.list('assets_ids', parseId),
    // Both are undefined when neither outcome won alone.
    winningTokenId: fields.optional('winning_asset_id', parseId),
    winningOutcome: fields.optional('winning_outcome', parseString),
    event: fields.optional('event_message', parseEventMessage),
    tags: fields.list('tags', parseString),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
  }
}

function parseEventMessage(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    ticker: fields.optional('ticker', parseString),
    slug: fields.optional('slug', parseString),
    title: fields.optional('title', parseString),
    description: fields.optional('description', parseString),
  }
}

function parseFeeSchedule(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    exponent: fields.optional('exponent', parseNumber),
    rate: fields.optional('rate', parseNumber),
    takerOnly: fields.optional('taker_only', parseBoolean),
    rebateRate: fields.optional('rebate_rate', parseNumber),
  }
}
