import {
  arrayOf,
  type JsonObject,
  type Parser,
  parseAmount,
  parseArray,
  parseBoolean,
  parseFields,
  parseId,
  parseInteger,
  parseNumber,
  parseObject,
  parseOptional,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'

/** A book with the best level first on both sides. Decimals are kept as they were written: "0.51". */
export type ClobBook = ReturnType<typeof parseBook>

/** Levels come with the best one last, by one account also first: they are sorted here. */
export function parseBook(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    conditionId: fields.required('market', parseString),
    tokenId: fields.required('asset_id', parseId),
    timestampMs: fields.required('timestamp', parseClobTimeMs),
    // Changes with every version of the book.
    hash: fields.optional('hash', parseString),
    // Without one of the sides it would look like a book in which nothing is offered.
    bids: fields.required('bids', parseLevels).sort((a, b) => Number(b.price) - Number(a.price)),
    asks: fields.required('asks', parseLevels).sort((a, b) => Number(a.price) - Number(b.price)),
    minOrderSize: fields.optional('min_order_size', parseAmount),
    tickSize: fields.optional('tick_size', parseAmount),
    negRisk: fields.optional('neg_risk', parseBoolean),
    lastTradePrice: fields.optional('last_trade_price', parseAmount),
  }
}

const parseLevels = arrayOf((value, path) => {
  const fields = parseFields(value, path)
  return {
    price: fields.required('price', parseClobAmount),
    size: fields.required('size', parseClobAmount),
  }
})

/** A price or a size, always as text: a number may have lost digits on its way. */
export const parseClobAmount: Parser<string> = (value, path) => parseAmount(parseString(value, path), path)

/** Unix milliseconds, always as text. */
export function parseClobTimeMs(value: unknown, path: string): number {
  return /^\d{1,15}$/.test(parseString(value, path))
    ? Number(value)
    : refuseValue(path, 'milliseconds', value)
}

/** `{"<token>": …}`: tokens that the upstream does not have are absent. */
export function parseByToken<T>(parse: Parser<T>) {
  return (value: unknown, path: string): Map<string, T> => {
    const byToken = new Map<string, T>()
    for (const [tokenId, item] of Object.entries(parseObject(value, path))) {
      const parsed = parseOptional(item, `${path}.${tokenId}`, parse)
      if (parsed !== undefined) byToken.set(tokenId, parsed)
    }
    return byToken
  }
}

/** Best prices by the side of the resting order: `buy` is the best bid, `sell` the best ask. */
export type ClobPrices = ReturnType<typeof parsePrices>

export function parsePrices(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    buy: fields.optional('BUY', parseClobAmount),
    sell: fields.optional('SELL', parseClobAmount),
  }
}

/** In any letter case. */
export function parseClobSide(value: unknown, path: string): 'BUY' | 'SELL' {
  const side = parseString(value, path).toUpperCase()
  return side === 'BUY' || side === 'SELL' ? side : refuseValue(path, 'BUY or SELL', value)
}

export type ClobPricePoint = { timeSec: number; price: number }

export function parseHistories(value: unknown, path: string): Map<string, ClobPricePoint[]> {
  return parseFields(value, path).required('history', parseByToken(parsePoints))
}

function parsePoints(value: unknown, path: string): ClobPricePoint[] {
  return parseArray(value, path, parsePoint).sort((a, b) => a.timeSec - b.timeSec)
}

function parsePoint(value: unknown, path: string): ClobPricePoint {
  const fields = parseFields(value, path)
  return { timeSec: fields.required('t', parseInteger), price: fields.required('p', parseNumber) }
}

/**
 * A page of markets that pay rewards, as the CLOB sent it: it is shown as it is. Refused where a part
 * that every page has is missing.
 */
export function parseRewardPage(value: unknown, path: string): JsonObject {
  const fields = parseFields(value, path)
  fields.required('data', arrayOf(parseRewardMarket))
  fields.optional('next_cursor', parseString)
  return parseObject(value, path)
}

function parseRewardMarket(value: unknown, path: string): void {
  const fields = parseFields(value, path)
  fields.required('condition_id', parseString)
  fields.required('rewards_config', arrayOf(parseRewardConfig))
  fields.list('tokens', (token, at) => parseFields(token, at).required('token_id', parseString))
}

function parseRewardConfig(value: unknown, path: string): void {
  const fields = parseFields(value, path)
  fields.required('asset_address', parseString)
  fields.required('rate_per_day', parseNumber)
}

/** What a maker got back of the fees of a day in one market. `rebatedFeesUsdc` is a decimal. */
export type ClobRebate = ReturnType<typeof parseRebate>

function parseRebate(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    date: fields.required('date', parseString),
    conditionId: fields.required('condition_id', parseString),
    assetAddress: fields.required('asset_address', parseString),
    makerAddress: fields.required('maker_address', parseString),
    rebatedFeesUsdc: fields.required('rebated_fees_usdc', parseAmount),
  }
}

/** Null is an empty list. */
export const parseRebates: Parser<ClobRebate[]> = (value, path) =>
  value === null ? [] : parseArray(value, path, parseRebate)
