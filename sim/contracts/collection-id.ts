import { keccak } from './keccak.js'
import { isSquare } from './quadratic-residue.js'
import { type Word, word } from './words.js'

/** Field of the curve y² = x³ + 3 (alt_bn128). */
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const P_WORD = word(P)
const BIT_254 = 1n << 254n

/**
 * Collection id of one outcome, without a parent collection. The contract hashes onto the curve: it
 * walks x up to the next point and picks the y whose parity is the top bit of the hash. Only that
 * parity enters the id, so whether x³ + 3 has a root is all that must be known of y.
 */
export function collectionId(condition: Word, indexSet: 1 | 2): Word {
  const hash = BigInt(`0x${keccak(condition + word(indexSet))}`)
  let x = hash % P
  do {
    x = x + 1n === P ? 0n : x + 1n
  } while (!isSquare(word((x * x * x + 3n) % P), P_WORD))
  return word(hash >> 255n === 1n ? x ^ BIT_254 : x)
}
