import { parseString } from '../transport/parse-json.js'

const SYMBOL = /^([a-z0-9]{1,16}?)(?:\/usd|usdt|usd)$/

/** The coin of `btc/usd`, `btcusdt` or `btcusd`, lower-case. `undefined`: it is not priced in dollars. */
export function readCoin(value: unknown, path: string): string | undefined {
  return SYMBOL.exec(parseString(value, path).toLowerCase())?.[1]
}
