/** What identifiers look like in our answers and in the database: hex digits are in lower case. */
export const CANONICAL_PATTERNS = {
  address: '^0x[0-9a-f]{40}$',
  bytes32: '^0x[0-9a-f]{64}$',
  tokenId: '^[0-9]{1,78}$',
}

/** What callers may write, in any letter case. The functions of this file read it. */
export const ID_PATTERNS = {
  address: '^0x[0-9a-fA-F]{40}$',
  bytes32: '^0x[0-9a-fA-F]{64}$',
  tokenId: CANONICAL_PATTERNS.tokenId,
  // A structured condition id lacks its last byte in some answers of the platform.
  conditionId: '^0x([0-9a-fA-F]{62}|[0-9a-fA-F]{64})$',
  builderCode: '^(0x)?[0-9a-fA-F]{64}$',
}

const ADDRESS = new RegExp(ID_PATTERNS.address)
const BYTES_32 = new RegExp(CANONICAL_PATTERNS.bytes32)
const DECIMAL = new RegExp(CANONICAL_PATTERNS.tokenId)
const TOO_LARGE = 1n << 256n

/** In lower case. `undefined`: the text is no address. */
export function parseAddress(text: string): string | undefined {
  return ADDRESS.test(text) ? text.toLowerCase() : undefined
}

/** The one spelling of a condition, a builder or a token; a text that is none of these stays none. */
export const normalizeConditionId = (text: string): string =>
  text.toLowerCase().replace(/^(0x[0-9a-f]{62})$/, '$100')
export const normalizeBuilderCode = (text: string): string =>
  text.toLowerCase().replace(/^(?=[0-9a-f]{64}$)/, '0x')
export const normalizeTokenId = (text: string): string => text.replace(/^0+(?=\d)/, '')

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
