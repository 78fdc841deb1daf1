import { type Hex, keccak256 } from 'viem'

/** Ids here are 64 hex digits without prefix, addresses have theirs. */
export function conditionIdOf(oracle: string, questionId: string): string {
  const outcomes = word(2)
  return remember(oracle + questionId, () => hash(oracle.slice(2) + questionId + outcomes))
}

/** Both tokens of a condition of the conditional tokens. */
export function tokenIdsOf(collateral: string, conditionId: string): [string, string] {
  const idOf = (indexSet: number) =>
    remember(`${collateral}${conditionId}${indexSet}`, () =>
      hash(collateral.slice(2) + collectionIdOf(conditionId, indexSet)),
    )
  return [idOf(1), idOf(2)]
}

/** The condition (62 digits) of the combo of these positions. */
export function comboConditionOf(legs: readonly string[]): string {
  const data = word(32) + word(legs.length) + legs.join('')
  const encoded = word(3) + word(64) + word(data.length / 2) + data
  return structuredCondition(3, hash(encoded).slice(-32))
}

/** The condition (62 digits) that stands for one of the conditional tokens among the structured. */
export function binaryConditionOf(legacyConditionId: string): string {
  return structuredCondition(1, legacyConditionId.slice(-32))
}

/** Id of the neg-risk market that an oracle prepared, with what was encoded of its metadata. */
export function negRiskMarketIdOf(oracle: string, feeBips: bigint, metadata: string): string {
  const encoded = oracle.slice(2).padStart(64, '0') + word(feeBips) + word(96) + metadata
  return `${hash(encoded).slice(0, 62)}00`
}

/** Deriving a token takes about a millisecond, and a history is read many times over. */
const derived = new Map<string, string>()

function remember(key: string, derive: () => string): string {
  const known = derived.get(key) ?? derive()
  derived.set(key, known)
  return known
}

const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const ROOT_EXPONENT_BITS = ((P + 1n) / 4n).toString(2)
const TOP_BIT = 1n << 255n
const ODD_FLAG = 1n << 254n

/** The first point of the curve y² = x³ + 3 behind the hash, with its sign from the hash. */
function collectionIdOf(conditionId: string, indexSet: number): string {
  const seed = BigInt(`0x${hash(conditionId + word(indexSet))}`)
  const wantsOdd = (seed & TOP_BIT) !== 0n
  let x = seed
  for (;;) {
    x = (x + 1n) % P
    const square = (x * x * x + 3n) % P
    const root = rootOf(square)
    if ((root * root) % P !== square) continue
    const y = (root % 2n === 1n) === wantsOdd ? root : P - root
    return word(y % 2n === 1n ? x ^ ODD_FLAG : x)
  }
}

/** A square root modulo P, if there is one. */
function rootOf(square: bigint): bigint {
  let root = 1n
  for (const bit of ROOT_EXPONENT_BITS) {
    root = (root * root) % P
    if (bit === '1') root = (root * square) % P
  }
  return root
}

/** Module, base hash, and zeros for arity, reserve, resolution chain and index. */
function structuredCondition(module: number, baseHash: string): string {
  return (module.toString(16).padStart(2, '0') + baseHash).padEnd(62, '0')
}

function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0')
}

function hash(digits: string): string {
  return keccak256(`0x${digits}` as Hex).slice(2)
}
