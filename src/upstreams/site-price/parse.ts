import { arrayOf, parseBoolean, parseFields, parseInteger, parseNumber } from '../transport/parse-json.js'

/**
 * The price at both ends of a window. `openPrice` is `undefined` before it opens and for some seconds
 * after; while it runs, `closePrice` is absent or the price of the moment.
 */
export type SiteCryptoPrice = ReturnType<typeof parseCryptoPrice>

export function parseCryptoPrice(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    openPrice: fields.optional('openPrice', parseNumber),
    closePrice: fields.optional('closePrice', parseNumber),
    completed: fields.required('completed', parseBoolean),
  }
}

export type SiteCandle = ReturnType<typeof parseCandle>

/** Oldest first, which the site does not promise. */
export function parseCandles(value: unknown, path: string): SiteCandle[] {
  return parseFields(value, path)
    .required('candles', arrayOf(parseCandle))
    .sort((a, b) => a.timeSec - b.timeSec)
}

function parseCandle(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    timeSec: fields.required('time', parseInteger),
    close: fields.required('close', parseNumber),
  }
}
