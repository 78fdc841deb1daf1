import type { CursorPage } from '../transport/cursor.js'
import {
  readAmount,
  readArray,
  readBoolean,
  readFields,
  readId,
  readInteger,
  readNumber,
  readObject,
  readOptional,
  readString,
  readTimeMs,
  refuse,
} from '../transport/read.js'
import type {
  ClobBook,
  ClobLastTrade,
  ClobLevel,
  ClobMarket,
  ClobMarketToken,
  ClobPricePoint,
  ClobPrices,
} from './messages.js'

type Read<T> = (value: unknown, path: string) => T

/** Levels come with the best one last, by one account also first: they are sorted here. */
export function parseBook(value: unknown, path: string): ClobBook {
  const fields = readFields(value, path)
  return {
    conditionId: fields.required('market', readString),
    tokenId: fields.required('asset_id', readId),
    timestampMs: fields.required('timestamp', readInteger),
    hash: fields.optional('hash', readString),
    bids: fields.list('bids', parseLevel).sort((a, b) => Number(b.price) - Number(a.price)),
    asks: fields.list('asks', parseLevel).sort((a, b) => Number(a.price) - Number(b.price)),
    minOrderSize: fields.optional('min_order_size', readAmount),
    tickSize: fields.optional('tick_size', readAmount),
    negRisk: fields.optional('neg_risk', readBoolean),
    lastTradePrice: fields.optional('last_trade_price', readAmount),
  }
}

function parseLevel(value: unknown, path: string): ClobLevel {
  const fields = readFields(value, path)
  return {
    price: fields.required('price', readAmount),
    size: fields.required('size', readAmount),
  }
}

/** `{"<token>": …}`: tokens that the upstream does not know are not in it. */
export function parseByToken<T>(read: Read<T>) {
  return (value: unknown, path: string): Map<string, T> => {
    const byToken = new Map<string, T>()
    for (const [tokenId, item] of Object.entries(readObject(value, path))) {
      const parsed = readOptional(item, `${path}.${tokenId}`, read)
      if (parsed !== undefined) byToken.set(tokenId, parsed)
    }
    return byToken
  }
}

export function parsePrices(value: unknown, path: string): ClobPrices {
  const fields = readFields(value, path)
  return {
    buy: fields.optional('BUY', readAmount),
    sell: fields.optional('SELL', readAmount),
  }
}

export function parseLastTrades(value: unknown, path: string): Map<string, ClobLastTrade> {
  const trades = readArray(value, path, (item, at): [string, ClobLastTrade] => {
    const fields = readFields(item, at)
    const price = fields.required('price', readAmount)
    return [fields.required('token_id', readId), { price, side: fields.optional('side', readSide) }]
  })
  return new Map(trades)
}

export function readSide(value: unknown, path: string): 'BUY' | 'SELL' {
  return value === 'BUY' || value === 'SELL' ? value : refuse(path, 'BUY or SELL', value)
}

export function parseHistory(value: unknown, path: string): ClobPricePoint[] {
  return readFields(value, path).required('history', parsePoints)
}

export function parseHistories(value: unknown, path: string): Map<string, ClobPricePoint[]> {
  return readFields(value, path).required('history', parseByToken(parsePoints))
}

function parsePoints(value: unknown, path: string): ClobPricePoint[] {
  const points = readOptional(value, path, (items, at) => readArray(items, at, parsePoint)) ?? []
  return points.sort((a, b) => a.timeSec - b.timeSec)
}

function parsePoint(value: unknown, path: string): ClobPricePoint {
  const fields = readFields(value, path)
  return { timeSec: fields.required('t', readInteger), price: fields.required('p', readNumber) }
}

const LAST_CURSOR = 'LTE='

export function parseMarketPage(value: unknown, path: string): CursorPage<ClobMarket> {
  const fields = readFields(value, path)
  const cursor = fields.optional('next_cursor', readString)
  return {
    items: fields.required('data', (items, at) => readArray(items, at, parseMarket)),
    nextCursor: cursor === LAST_CURSOR ? undefined : cursor,
  }
}

export function parseMarket(value: unknown, path: string): ClobMarket {
  const fields = readFields(value, path)
  return {
    conditionId: fields.required('condition_id', readString),
    questionId: fields.optional('question_id', readString),
    question: fields.optional('question', readString),
    description: fields.optional('description', readString),
    marketSlug: fields.optional('market_slug', readString),
    tokens: fields.list('tokens', parseMarketToken),
    tags: fields.list('tags', readString),
    endDateMs: fields.optional('end_date_iso', readTimeMs),
    gameStartTimeMs: fields.optional('game_start_time', readTimeMs),
    acceptingOrderTimestampMs: fields.optional('accepting_order_timestamp', readTimeMs),
    active: fields.optional('active', readBoolean),
    closed: fields.optional('closed', readBoolean),
    archived: fields.optional('archived', readBoolean),
    acceptingOrders: fields.optional('accepting_orders', readBoolean),
    enableOrderBook: fields.optional('enable_order_book', readBoolean),
    negRisk: fields.optional('neg_risk', readBoolean),
    negRiskMarketId: fields.optional('neg_risk_market_id', readString),
    negRiskRequestId: fields.optional('neg_risk_request_id', readString),
    is5050Outcome: fields.optional('is_50_50_outcome', readBoolean),
    minimumOrderSize: fields.optional('minimum_order_size', readNumber),
    minimumTickSize: fields.optional('minimum_tick_size', readNumber),
    makerBaseFee: fields.optional('maker_base_fee', readNumber),
    takerBaseFee: fields.optional('taker_base_fee', readNumber),
    secondsDelay: fields.optional('seconds_delay', readInteger),
    icon: fields.optional('icon', readString),
    image: fields.optional('image', readString),
  }
}

function parseMarketToken(value: unknown, path: string): ClobMarketToken {
  const fields = readFields(value, path)
  return {
    // Placeholders of a market that is not live yet have an empty id.
    tokenId: fields.required('token_id', readString),
    outcome: fields.required('outcome', readString),
    price: fields.optional('price', readNumber),
    winner: fields.optional('winner', readBoolean),
  }
}
