const DECIMALS = 6

/**
 * The millionths of a decimal as an upstream writes it, with any number of digits: exact up to six
 * decimals, rounded half away from zero beyond.
 */
export function roundToMillionths(decimal: string): bigint {
  const isNegative = decimal.startsWith('-')
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const digits = BigInt(`${whole}${fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0')}`)
  const size = Number(fraction.charAt(DECIMALS)) >= 5 ? digits + 1n : digits
  return isNegative ? -size : size
}

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
