/** The 64 hex digits of 32 bytes, without 0x: what logs and calldata are made of. */
export type Word = string

export const ZERO_WORD: Word = '0'.repeat(64)

// The logs of a transaction mostly repeat the same amount, so the last word is worth keeping.
let lastNumber: number | bigint = 0
let lastWord = ZERO_WORD

/** Amounts are non-negative; a negative number has no word. */
export function word(n: number | bigint): Word {
  if (n !== lastNumber) {
    lastNumber = n
    lastWord = n.toString(16).padStart(64, '0')
  }
  return lastWord
}

/** From 0x and 40 hex digits. */
export function addressWord(address: string): Word {
  return `000000000000000000000000${address.slice(2)}`
}

/** From 0x and up to 64 hex digits; short ids (bytes31, bytes29, bytes4) stand on the left. */
export function bytesWord(bytes: string): Word {
  return bytes.slice(2).padEnd(64, '0')
}

export function utf8Hex(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex')
}
