import type { ByteReader, ByteWriter } from './bytes.js'

/** Of prices that are no whole number of ticks of `10^-decimals`, and of sizes with more decimals: the text follows. */
const AS_TEXT = 7
const DECIMALS_MAX = AS_TEXT - 1
const SCALE = 8
/** So that the number with its decimals stays exact. */
const DIGITS_MAX = 14

const POINT = '.'.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

/** How many digits stand after the point. */
export function countDecimals(decimal: string): number {
  const point = decimal.indexOf('.')
  return point === -1 ? 0 : decimal.length - point - 1
}

/** Writes a canonical decimal: its digits as a number, and how many of them stand after the point. */
export function writeDecimal(writer: ByteWriter, decimal: string): void {
  const decimals = countDecimals(decimal)
  if (decimals > DECIMALS_MAX || decimal.length > DIGITS_MAX) {
    writer.unsigned(AS_TEXT)
    writer.text(decimal)
  } else writer.unsigned(digitsOf(decimal) * SCALE + decimals)
}

export function readDecimal(reader: ByteReader): string {
  const code = reader.unsigned()
  const decimals = code % SCALE
  return decimals === AS_TEXT ? reader.text() : toCanonical((code - decimals) / SCALE, decimals)
}

/** A canonical decimal in units of `10^-decimals`. `undefined`: it is no whole number of them, or too large. */
export function toUnits(decimal: string, decimals: number): number | undefined {
  const missing = decimals - countDecimals(decimal)
  if (missing < 0 || decimal.length + missing > DIGITS_MAX) return undefined
  return digitsOf(decimal) * 10 ** missing
}

/** The canonical decimal of a number of units of `10^-decimals`. */
export function toCanonical(units: number, decimals: number): string {
  if (decimals === 0) return String(units)
  const digits = String(units).padStart(decimals + 1, '0')
  let end = digits.length
  const point = end - decimals
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
}

/** The digits as one number, without the point. */
function digitsOf(decimal: string): number {
  let digits = 0
  for (let index = 0; index < decimal.length; index++) {
    const code = decimal.charCodeAt(index)
    if (code !== POINT) digits = digits * 10 + (code - ZERO)
  }
  return digits
}
