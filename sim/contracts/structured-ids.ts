import { arrayArgument, bytesArgument, encodeArguments } from './abi.js'
import { keccak } from './keccak.js'
import { hexDigits, word } from './words.js'

// A structured position id, from the left: module 1 byte, base hash 16, arity 2, reserved 8,
// resolution chain 2, condition index 2, outcome 1. Its condition is the first 31 bytes.

/** Condition (0x and 62 hex digits) into which a legacy market that stands alone migrates. */
export function binaryConditionOf(legacyConditionId: string): string {
  return structuredCondition(1, legacyConditionId.slice(-32), 0, 0)
}

/** The same for question `index` of the `arity` questions of a neg-risk market. */
export function negRiskConditionOf(marketId: string, arity: number, index: number): string {
  return structuredCondition(2, marketId.slice(-32), arity, index)
}

/** Condition of the combo of these positions, whose order does not matter. */
export function comboConditionOf(legs: readonly bigint[]): string {
  const data = encodeArguments([arrayArgument(sortLegs(legs).map(word))])
  const hash = keccak(encodeArguments([word(3), bytesArgument(data)]))
  return structuredCondition(3, hash.slice(-32), 0, 0)
}

export function structuredPositionId(condition: string, outcome: 0 | 1): bigint {
  return BigInt(`${condition}0${outcome}`)
}

/** Legs as the contract wants them: ascending. */
export function sortLegs(legs: readonly bigint[]): bigint[] {
  return legs.toSorted((a, b) => (a < b ? -1 : 1))
}

function structuredCondition(module: number, baseHash: string, arity: number, index: number): string {
  return `0x0${module}${baseHash}${hexDigits(arity, 4)}${hexDigits(0, 20)}${hexDigits(index, 4)}`
}
