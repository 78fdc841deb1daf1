/**
 * The functions of this file decode ABI words of hex text by their offset in it. Each checks the
 * digits that it takes, and throws this error. `at` is the index of a word's first digit; log data
 * and topics start at 2, after `0x`.
 */
export class DecodeError extends Error {
  override name = 'DecodeError'
}

export const WORD = 64
export const START = 2
export const ZERO_WORD = `0x${'0'.repeat(WORD)}`

const ZEROS = '0'.repeat(WORD)
const ADDRESS_DIGITS = 40
const ADDRESS_PADDING = '0'.repeat(WORD - ADDRESS_DIGITS)
/** A number of up to 13 hex digits is exact in a double. */
const SMALL_DIGITS = 13
const SMALL_PADDING = '0'.repeat(WORD - SMALL_DIGITS)
const HALF_DIGITS = 6
const HALF_SCALE = 16 ** (SMALL_DIGITS - HALF_DIGITS)

const DIGITS = new Uint8Array(128).fill(255)
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGITS[digit.charCodeAt(0)] = value

/** 32 bytes as they stand: `0x` and 64 lower-case digits. */
export function wordAt(hex: string, at: number): string {
  if (hasAt(hex, at, ZEROS)) return ZERO_WORD
  checkDigits(hex, at, at + WORD)
  return at === START && hex.length === START + WORD ? hex : `0x${hex.slice(at, at + WORD)}`
}

export function addressAt(hex: string, at: number): string {
  if (!hasAt(hex, at, ADDRESS_PADDING)) throw new DecodeError('an address is not padded')
  const from = at + ADDRESS_PADDING.length
  checkDigits(hex, from, at + WORD)
  return `0x${hex.slice(from, at + WORD)}`
}

/** An address as a topic or a word of data holds it. */
export function addressToWord(address: string): string {
  return `0x${ADDRESS_PADDING}${address.slice(START)}`
}

export function uintToWord(value: bigint): string {
  return `0x${value.toString(16).padStart(WORD, '0')}`
}

export function uintAt(hex: string, at: number): bigint {
  if (hasAt(hex, at, SMALL_PADDING)) return BigInt(smallDigitsAt(hex, at))
  return BigInt(wordAt(hex, at))
}

/** A signed word, in two's complement. */
export function intAt(hex: string, at: number): bigint {
  return BigInt.asIntN(256, uintAt(hex, at))
}

/** A number that cannot be large: an offset, a length, a small enumeration. */
export function smallAt(hex: string, at: number): number {
  if (!hasAt(hex, at, SMALL_PADDING)) throw new DecodeError('a number is out of range')
  return smallDigitsAt(hex, at)
}

export function boolAt(hex: string, at: number): boolean {
  const value = smallAt(hex, at)
  if (value > 1) throw new DecodeError('a boolean is neither 0 nor 1')
  return value === 1
}

/** `bytes4`, `bytes29`, `bytes31`: aligned to the left, the rest of the word is zero. */
export function fixedBytesAt(hex: string, at: number, bytes: number): string {
  const end = at + bytes * 2
  checkDigits(hex, at, end)
  if (!hasAt(hex, end, ZEROS.slice(bytes * 2))) throw new DecodeError('fixed bytes are not padded')
  return `0x${hex.slice(at, end)}`
}

/** The digits of a `bytes` value whose offset stands at `at`, counted from `base`. */
export function bytesAt(hex: string, at: number, base: number): string {
  const lengthAt = targetOf(hex, at, base)
  const from = lengthAt + WORD
  const end = from + smallAt(hex, lengthAt) * 2
  checkDigits(hex, from, end)
  return `0x${hex.slice(from, end)}`
}

/** An array of words whose offset stands at `at`, counted from `base`. */
export function arrayAt<T>(
  hex: string,
  at: number,
  base: number,
  decodeItem: (hex: string, at: number) => T,
): T[] {
  const lengthAt = targetOf(hex, at, base)
  const count = smallAt(hex, lengthAt)
  const from = lengthAt + WORD
  if (from + count * WORD > hex.length) throw new DecodeError('an array is longer than the data')
  return Array.from({ length: count }, (_, index) => decodeItem(hex, from + index * WORD))
}

/** Where the value begins whose offset stands at `at`. */
export function targetOf(hex: string, at: number, base: number): number {
  const target = base + smallAt(hex, at) * 2
  if (target + WORD > hex.length) throw new DecodeError('an offset points behind the data')
  return target
}

/** For texts that are kept: a part of a longer text keeps all of it alive, a copy does not. */
export function flatten(text: string): string {
  return text === ZERO_WORD ? text : Buffer.from(text, 'latin1').toString('latin1')
}

/** Whether the text is `0x` and exactly that many bytes in lower-case digits. */
export function isHex(text: string, bytes: number): boolean {
  return text.length === START + bytes * 2 && text.startsWith('0x') && areDigits(text, START, text.length)
}

/** Value of a lower-case digit; 255 for every other character. */
export function digitAt(hex: string, at: number): number {
  return DIGITS[hex.charCodeAt(at)] ?? 255
}

/** A slice that is compared takes a quarter of the time of `startsWith` with a position. */
function hasAt(hex: string, at: number, part: string): boolean {
  return hex.slice(at, at + part.length) === part
}

function smallDigitsAt(hex: string, at: number): number {
  const from = at + WORD - SMALL_DIGITS
  let seen = 0
  let high = 0
  let low = 0
  for (let i = from; i < from + HALF_DIGITS; i++) {
    const digit = digitAt(hex, i)
    seen |= digit
    high = (high << 4) | digit
  }
  for (let i = from + HALF_DIGITS; i < from + SMALL_DIGITS; i++) {
    const digit = digitAt(hex, i)
    seen |= digit
    low = (low << 4) | digit
  }
  if (seen > 15) throw new DecodeError('a number has a character that is no hex digit')
  return high * HALF_SCALE + low
}

function checkDigits(hex: string, from: number, to: number): void {
  if (to > hex.length) throw new DecodeError('the data is too short')
  if (!areDigits(hex, from, to)) throw new DecodeError('a character is no hex digit')
}

function areDigits(hex: string, from: number, to: number): boolean {
  let seen = 0
  for (let i = from; i < to; i++) seen |= digitAt(hex, i)
  return seen < 16
}
