/** The 64 hex digits of 32 bytes, without 0x: what logs and calldata are made of. */
export type Word = string

export const ZERO_WORD: Word = '0'.repeat(64)

/** Three hex digits of each 12-bit number. Putting words together from these is far faster than `toString(16)`. */
const DIGITS = Array.from({ length: 4_096 }, (_, n) => n.toString(16).padStart(3, '0'))
const ZEROS = '0'.repeat(49)
const ONES = 'f'.repeat(49)

/** Amounts are non-negative, and exact as long as they are numbers. */
export function word(n: number | bigint): Word {
  return typeof n === 'bigint' ? n.toString(16).padStart(64, '0') : ZEROS + lowDigits(n, 0)
}

/** 2^256 - 1 - n: what is left of an unlimited allowance. */
export function complementWord(n: number): Word {
  return ONES + lowDigits(n, 0xfff)
}

/** The last 15 digits, with the bits of `flip` turned round in every three of them. */
function lowDigits(n: number, flip: number): string {
  const low = n % 0x1000000
  const rest = Math.floor(n / 0x1000000)
  const middle = rest % 0x1000000
  const high = Math.floor(rest / 0x1000000)
  return (
    digits(high ^ flip) +
    digits((middle >>> 12) ^ flip) +
    digits((middle & 0xfff) ^ flip) +
    digits((low >>> 12) ^ flip) +
    digits((low & 0xfff) ^ flip)
  )
}

const digits = (n: number): string => DIGITS[n] ?? ''

/** From 0x and 40 hex digits. */
export function addressWord(address: string): Word {
  return `000000000000000000000000${address.slice(2)}`
}

/** From 0x and up to 64 hex digits; short ids (bytes31, bytes29, bytes4) stand on the left. */
export function bytesWord(bytes: string): Word {
  return bytes.slice(2).padEnd(64, '0')
}

/** A number of a fixed length in digits. */
export function hexDigits(n: number, digits: number): string {
  return n.toString(16).padStart(digits, '0')
}

export function utf8Hex(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex')
}
