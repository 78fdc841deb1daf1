const WORD_DIGITS = 64
const WORD = /^0x[0-9a-f]{64}$/
const DECIMAL = /^\d{1,78}$/
const TOO_LARGE = 1n << 256n

/** The 32 bytes of a decimal token id as hex text. `undefined`: it is no token id. */
export function toTokenWord(decimal: string): string | undefined {
  if (!DECIMAL.test(decimal)) return undefined
  const id = BigInt(decimal)
  return id < TOO_LARGE ? `0x${id.toString(16).padStart(WORD_DIGITS, '0')}` : undefined
}

export const toTokenId = (word: string): string => BigInt(word).toString()

/** 32 bytes in lower-case hex. `undefined`: they are not. */
export function readWord(text: string | undefined): string | undefined {
  const word = text?.toLowerCase()
  return word !== undefined && WORD.test(word) ? word : undefined
}
