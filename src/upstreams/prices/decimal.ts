import { refuseValue } from '../transport/parse-json.js'

const DECIMALS = 18
const PLAIN = /^(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i

/**
 * A positive amount as an integer with 18 decimals. Takes a JSON number or a text; digits beyond the
 * eighteenth are cut off.
 */
export function readE18(value: unknown, path: string): bigint {
  const [, whole, fraction = '', exponent = '0'] = PLAIN.exec(String(value)) ?? []
  const isAmount = typeof value === 'number' || typeof value === 'string'
  if (!isAmount || whole === undefined) return refuseValue(path, 'a positive decimal', value)
  const zeros = DECIMALS + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const e18 = zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros)
  return e18 > 0n ? e18 : refuseValue(path, 'a positive decimal', value)
}

/** A positive amount that is already an integer with 18 decimals, as text. */
export function readE18Integer(value: unknown, path: string): bigint {
  const isInteger = typeof value === 'string' && /^\d{1,60}$/.test(value)
  const e18 = isInteger ? BigInt(value) : 0n
  return e18 > 0n ? e18 : refuseValue(path, 'a positive integer in a string', value)
}

/** The shortest plain decimal: `3120.55`. */
export function fromE18(e18: bigint): string {
  const digits = e18.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
