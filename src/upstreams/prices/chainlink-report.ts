import { ParseError } from '../transport/parse-json.js'

/** Prices as they stand in the report: integers with the decimals of the feed. */
export type ChainlinkReport = {
  /** 0x and 64 hex digits, lower-case. The first two bytes are the version of the schema. */
  feedId: string
  validFromSec: number
  observedSec: number
  price: bigint
  /** Only version 3 has them. */
  bid: bigint | undefined
  ask: bigint | undefined
}

const WORD_DIGITS = 64

/** Words before the parts of variable length: three of context, three offsets, the packed v's. */
const BLOB_OFFSET_WORD = 3
const HEAD_WORDS = 7

/** Feed id, two times, two fees, the expiry; then the prices. */
const PRICE_WORD = 6
const BLOB_WORDS: ReadonlyMap<string, number> = new Map([
  ['0002', PRICE_WORD + 1],
  ['0003', PRICE_WORD + 3],
])

const INT192_MAX = 1n << 191n

/**
 * Decodes `(bytes32[3] context, bytes blob, bytes32[] rs, bytes32[] ss, bytes32 vs)` and the blob in
 * it. The signatures are not checked: we talk to the oracle's own host. Throws a ParseError.
 */
export function decodeFullReport(hex: string): ChainlinkReport {
  if (!/^0x(?:[0-9a-f]{64})+$/i.test(hex)) throw new ParseError('fullReport must be hex words')
  const digits = hex.slice(2).toLowerCase()
  const at = readOffset(digits, BLOB_OFFSET_WORD)
  const bytes = readSmall(digits, at, 'the length of the blob')
  const blob = digits.slice((at + 1) * WORD_DIGITS, (at + 1) * WORD_DIGITS + bytes * 2)

  const version = blob.slice(0, 4)
  const words = BLOB_WORDS.get(version)
  if (words === undefined) throw new ParseError(`fullReport has the unknown version ${version}`)
  if (blob.length < words * WORD_DIGITS) throw new ParseError('fullReport ends too early')
  const isV3 = version === '0003'
  return {
    feedId: `0x${blob.slice(0, WORD_DIGITS)}`,
    validFromSec: readSmall(blob, 1, 'validFromTimestamp'),
    observedSec: readSmall(blob, 2, 'observationsTimestamp'),
    price: readInt192(blob, PRICE_WORD),
    bid: isV3 ? readInt192(blob, PRICE_WORD + 1) : undefined,
    ask: isV3 ? readInt192(blob, PRICE_WORD + 2) : undefined,
  }
}

const wordAt = (digits: string, index: number): bigint => {
  const word = digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)
  if (word.length < WORD_DIGITS) throw new ParseError('fullReport ends too early')
  return BigInt(`0x${word}`)
}

/** A number that fits 32 bits. */
function readSmall(digits: string, index: number, name: string): number {
  const word = wordAt(digits, index)
  if (word >> 32n !== 0n) throw new ParseError(`fullReport: ${name} must have 32 bits`)
  return Number(word)
}

/** An offset in bytes, as the index of a word behind the head. */
function readOffset(digits: string, index: number): number {
  const bytes = readSmall(digits, index, 'the offset of the blob')
  if (bytes % 32 !== 0 || bytes < HEAD_WORDS * 32)
    throw new ParseError('fullReport: the offset of the blob must be a word behind the head')
  return bytes / 32
}

function readInt192(digits: string, index: number): bigint {
  const value = BigInt.asIntN(256, wordAt(digits, index))
  if (value >= INT192_MAX || value < -INT192_MAX)
    throw new ParseError('fullReport: a price must have 192 bits')
  return value
}
