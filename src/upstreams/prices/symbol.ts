import { readString, refuse } from '../transport/read.js'

const SYMBOL = /^([a-z0-9]{1,16}?)(?:\/usd|usdt|usd)$/

/** The coin of `btc/usd`, `btcusdt` or `btcusd`, lower-case. */
export function readCoin(value: unknown, path: string): string {
  const symbol = readString(value, path)
  return SYMBOL.exec(symbol.toLowerCase())?.[1] ?? refuse(path, 'a symbol in dollars', value)
}
