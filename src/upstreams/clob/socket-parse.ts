import {
  arrayOf,
  type Parser,
  parseAmount,
  parseEncoded,
  parseFields,
  parseId,
  parseNumber,
  parseString,
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
    tokenId: fields.required('asset_id', parseId),
    newTickSize: fields.required('new_tick_size', parseAmount),
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
  }
}

function parseTop(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    type: 'best_bid_ask' as const,
    tokenId: fields.required('asset_id', parseId),
    bestBid: fields.optional('best_bid', parseAmount),
    bestAsk: fields.optional('best_ask', parseAmount),
  }
}

function parseNewMarket(value: unknown, path: string) {
  return { type: 'new_market' as const, tokenIds: parseFields(value, path).list('assets_ids', parseId) }
}

/** Its frames show that the socket lives; the result is read from the chain. */
function parseResolution() {
  return { type: 'market_resolved' as const }
}
