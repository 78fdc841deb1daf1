import { encodeArguments, textArgument } from './abi.js'
import { ADDRESS } from './addresses.js'
import { keccak, keccakText } from './keccak.js'
import { isSquare } from './quadratic-residue.js'
import { addressWord, hexDigits, type Word, word } from './words.js'

// Ids go in and out as 0x and 64 hex digits, except token ids, which are words.

/** The text must be complete: the adapter hashes it with the initializer appended. */
export function questionIdOf(ancillaryData: string): string {
  return `0x${keccakText(ancillaryData)}`
}

/** What the oracle's adapter makes of a question that `creator` puts to it. */
export function withInitializer(text: string, creator: string): string {
  return `${text},initializer:${creator.slice(2)}`
}

export function conditionIdOf(oracle: string, questionId: string): string {
  return `0x${keccak(oracle.slice(2) + questionId.slice(2) + word(2))}`
}

/** Tokens of outcomes 0 and 1. Neg-risk positions are backed by wrapped collateral. */
export function tokenIdsOf(conditionId: string, negRisk: boolean): [Word, Word] {
  const collateral = negRisk ? ADDRESS.wcol : ADDRESS.usdce
  return [positionIdOf(collateral, conditionId, 1), positionIdOf(collateral, conditionId, 2)]
}

export function positionIdOf(collateral: string, conditionId: string, indexSet: 1 | 2): Word {
  return keccak(collateral.slice(2) + collectionId(conditionId.slice(2), indexSet))
}

/** The last byte is zero and leaves room for the index of a question. */
export function negRiskMarketIdOf(oracle: string, feeBips: number, metadata: string): string {
  const args = [addressWord(oracle), word(feeBips), textArgument(metadata)]
  return `0x${keccak(encodeArguments(args)).slice(0, 62)}00`
}

export function negRiskQuestionIdOf(marketId: string, index: number): string {
  return marketId.slice(0, 64) + hexDigits(index, 2)
}

export function negRiskConditionIdOf(marketId: string, index: number): string {
  return conditionIdOf(ADDRESS.negRiskAdapter, negRiskQuestionIdOf(marketId, index))
}

/** Field of the curve y² = x³ + 3 (alt_bn128). */
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const P_WORD = word(P)
const BIT_254 = 1n << 254n

/**
 * Collection id of one outcome, without a parent collection. The contract hashes onto the curve: it
 * increments x to that of the next point and picks the y whose parity is the top bit of the hash. Only that
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
