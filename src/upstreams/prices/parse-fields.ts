import { parseInteger, parseString, refuseValue } from '../transport/parse-json.js'

const DECIMALS = 18
const PLAIN = /^(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i

/**
 * A positive amount as an integer with 18 decimals. Takes a JSON number or a text; digits beyond the
 * eighteenth are cut off.
 */
export function parseE18(value: unknown, path: string): bigint {
  const [, whole, fraction = '', exponent = '0'] = PLAIN.exec(String(value)) ?? []
  const isAmount = typeof value === 'number' || typeof value === 'string'
  if (!isAmount || whole === undefined) return refuseValue(path, 'a positive decimal', value)
  const zeros = DECIMALS + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const e18 = zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros)
  return e18 > 0n ? e18 : refuseValue(path, 'a positive decimal', value)
}

/** A positive amount that is already an integer with 18 decimals, as text. */
export function parseE18Integer(value: unknown, path: string): bigint {
  const isInteger = typeof value === 'string' && /^\d{1,60}$/.test(value)
  const e18 = isInteger ? BigInt(value) : 0n
  return e18 > 0n ? e18 : refuseValue(path, 'a positive integer in a string', value)
}

/** The shortest plain decimal: `3120.55`. */
export function formatE18(e18: bigint): string {
  const digits = e18.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** How far the clock of a source may be ahead of ours. */
const AHEAD_MS_MAX = 10_000
/** No market has older prices. Seconds that are taken for milliseconds are before it. */
export const EARLIEST_MS = Date.UTC(2020, 0, 1)

/** The Unix milliseconds of a price: a number, or a text that holds one. */
export function parseTimestampMs(value: unknown, path: string, nowMs: number): number {
  const ms = parseInteger(value, path)
  if (ms < EARLIEST_MS) return refuseValue(path, 'a time in milliseconds', value)
  return ms <= nowMs + AHEAD_MS_MAX ? ms : refuseValue(path, 'a time that is not in the future', value)
}

const SYMBOL = /^([a-z0-9]{1,16}?)(?:\/usd|usdt|usd)$/

/** The coin of `btc/usd`, `btcusdt` or `btcusd`, lower-case. `undefined`: it is not priced in dollars. */
export function parseCoin(value: unknown, path: string): string | undefined {
  return SYMBOL.exec(parseString(value, path).toLowerCase())?.[1]
}
