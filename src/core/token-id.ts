const BYTES_32 = /^0x[0-9a-f]{64}$/
const DECIMAL = /^\d{1,78}$/
const TOO_LARGE = 1n << 256n

/**
 * Tokens are decimal numbers in Gamma, in the CLOB and in our answers, and 32 bytes as hex text (`0x`
 * first) in code. `undefined`: the text is no number of 32 bytes.
 */
export function parseTokenId(decimal: string): string | undefined {
  if (!DECIMAL.test(decimal)) return undefined
  const id = BigInt(decimal)
  return id < TOO_LARGE ? `0x${id.toString(16).padStart(64, '0')}` : undefined
}

/** The decimal number of a token. */
export const toTokenId = (token: string): string => BigInt(token).toString()

/** 32 bytes of hex text, in lower case. `undefined`: they are not. */
export function parseBytes32(text: string | undefined): string | undefined {
  const bytes = text?.toLowerCase()
  return bytes !== undefined && BYTES_32.test(bytes) ? bytes : undefined
}
