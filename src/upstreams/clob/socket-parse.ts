import {
  readAmount,
  readArray,
  readBoolean,
  readDecimal,
  readEncoded,
  readFields,
  readId,
  readInteger,
  readNumber,
  readString,
} from '../transport/read.js'
import { parseBook, readSide } from './parse.js'
import type {
  ClobEvent,
  ClobEventMessage,
  ClobFeeSchedule,
  ClobLevelChange,
  ClobNewMarket,
  ClobPriceChange,
  ClobResolution,
  ClobTickSizeChange,
  ClobTop,
  ClobTrade,
} from './socket-messages.js'

/** What the exchange says in plain words: PONG, NO NEW ASSETS, INVALID OPERATION. */
const WORDS = /^[A-Z ]{0,40}$/

/**
 * The events of a frame, which is one object or an array of them. `undefined`: plain words, or
 * nothing but events that we do not know. Throws a ReadError when any part of it is odd.
 */
export function parseClobFrame(text: string): ClobEvent[] | undefined {
  if (WORDS.test(text)) return undefined
  return readEncoded(text, 'frame', (frame) => {
    const items = Array.isArray(frame) ? frame : [frame]
    const parsed = items.map((item, index) => parseEvent(item, `frame[${index}]`))
    const events = parsed.filter((event) => event !== undefined)
    return events.length === 0 && items.length > 0 ? undefined : events
  })
}

type Parse = (value: unknown, path: string) => ClobEvent

const PARSERS: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ['book', (value, path) => ({ type: 'book', ...parseBook(value, path) })],
  ['price_change', parsePriceChange],
  ['tick_size_change', parseTickSizeChange],
  ['last_trade_price', parseTrade],
  ['best_bid_ask', parseTop],
  ['new_market', parseNewMarket],
  ['market_resolved', parseResolution],
])

function parseEvent(value: unknown, path: string): ClobEvent | undefined {
  const type = readFields(value, path).required('event_type', readString)
  return PARSERS.get(type)?.(value, path)
}

function parsePriceChange(value: unknown, path: string): ClobPriceChange {
  const fields = readFields(value, path)
  return {
    type: 'price_change',
    conditionId: fields.required('market', readString),
    timestampMs: fields.required('timestamp', readInteger),
    changes: fields.required('price_changes', (items, at) => readArray(items, at, parseChange)),
  }
}

function parseChange(value: unknown, path: string): ClobLevelChange {
  const fields = readFields(value, path)
  return {
    tokenId: fields.required('asset_id', readId),
    side: fields.required('side', readSide),
    price: fields.required('price', readAmount),
    size: fields.required('size', readAmount),
    hash: fields.optional('hash', readString),
    bestBid: fields.optional('best_bid', readAmount),
    bestAsk: fields.optional('best_ask', readAmount),
  }
}

function parseTickSizeChange(value: unknown, path: string): ClobTickSizeChange {
  const fields = readFields(value, path)
  return {
    type: 'tick_size_change',
    conditionId: fields.required('market', readString),
    tokenId: fields.required('asset_id', readId),
    oldTickSize: fields.optional('old_tick_size', readAmount),
    newTickSize: fields.required('new_tick_size', readAmount),
    timestampMs: fields.required('timestamp', readInteger),
  }
}

function parseTrade(value: unknown, path: string): ClobTrade {
  const fields = readFields(value, path)
  return {
    type: 'last_trade_price',
    conditionId: fields.required('market', readString),
    tokenId: fields.required('asset_id', readId),
    price: fields.required('price', readAmount),
    size: fields.optional('size', readAmount),
    side: fields.optional('side', readSide),
    feeRateBps: fields.optional('fee_rate_bps', readNumber),
    timestampMs: fields.required('timestamp', readInteger),
    transactionHash: fields.optional('transaction_hash', readString),
  }
}

function parseTop(value: unknown, path: string): ClobTop {
  const fields = readFields(value, path)
  return {
    type: 'best_bid_ask',
    conditionId: fields.required('market', readString),
    tokenId: fields.required('asset_id', readId),
    bestBid: fields.optional('best_bid', readAmount),
    bestAsk: fields.optional('best_ask', readAmount),
    spread: fields.optional('spread', readDecimal),
    timestampMs: fields.required('timestamp', readInteger),
  }
}

function parseNewMarket(value: unknown, path: string): ClobNewMarket {
  const fields = readFields(value, path)
  return {
    type: 'new_market',
    id: fields.required('id', readId),
    conditionId: fields.required('market', readString),
    question: fields.optional('question', readString),
    slug: fields.optional('slug', readString),
    description: fields.optional('description', readString),
    groupItemTitle: fields.optional('group_item_title', readString),
    tokenIds: fields.list('assets_ids', readId),
    outcomes: fields.list('outcomes', readString),
    event: fields.optional('event_message', parseEventMessage),
    tags: fields.list('tags', readString),
    active: fields.optional('active', readBoolean),
    sportsMarketType: fields.optional('sports_market_type', readString),
    line: fields.optional('line', readDecimal),
    gameStartTime: fields.optional('game_start_time', readString),
    tickSize: fields.optional('order_price_min_tick_size', readAmount),
    takerBaseFee: fields.optional('taker_base_fee', readNumber),
    feesEnabled: fields.optional('fees_enabled', readBoolean),
    feeSchedule: fields.optional('fee_schedule', parseFeeSchedule),
    timestampMs: fields.required('timestamp', readInteger),
  }
}

function parseResolution(value: unknown, path: string): ClobResolution {
  const fields = readFields(value, path)
  return {
    type: 'market_resolved',
    id: fields.optional('id', readId),
    conditionId: fields.required('market', readString),
    tokenIds: fields.list('assets_ids', readId),
    winningTokenId: fields.optional('winning_asset_id', readId),
    winningOutcome: fields.optional('winning_outcome', readString),
    event: fields.optional('event_message', parseEventMessage),
    tags: fields.list('tags', readString),
    timestampMs: fields.required('timestamp', readInteger),
  }
}

function parseEventMessage(value: unknown, path: string): ClobEventMessage {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    ticker: fields.optional('ticker', readString),
    slug: fields.optional('slug', readString),
    title: fields.optional('title', readString),
    description: fields.optional('description', readString),
  }
}

function parseFeeSchedule(value: unknown, path: string): ClobFeeSchedule {
  const fields = readFields(value, path)
  return {
    exponent: fields.optional('exponent', readNumber),
    rate: fields.optional('rate', readNumber),
    takerOnly: fields.optional('taker_only', readBoolean),
    rebateRate: fields.optional('rebate_rate', readNumber),
  }
}
