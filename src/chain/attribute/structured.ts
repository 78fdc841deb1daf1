import { START } from '../../upstreams/polygon/abi.js'
import type { Attribution } from './attribution.js'

/**
 * Positions that say in their id what they are, in hex digits from the left: module 2, hash 32,
 * arity 4, unused 16, resolution chain 4, index of the condition 4, outcome 2. Ids of conditions
 * lack the outcome and ids of events the last three bytes; all are kept with zeros in their place.
 */
const MODULES = '1234'
const UNUSED_AT = START + 38
const UNUSED = '0'.repeat(16)
const OUTCOME_AT = START + 62

/** A condition of 31 bytes or an event of 29 as the 32 bytes under which it is kept. */
export const padId = (id: string): string => id.padEnd(START + 64, '0')

/** The condition of a structured position. */
export const conditionOf = (position: string): string => `${position.slice(0, OUTCOME_AT)}00`

/** Both positions of a structured condition, by outcome. */
export function positionsOf(condition: string): [string, string] {
  const id = condition.slice(0, OUTCOME_AT)
  return [`${id}00`, `${id}01`]
}

/** Learns the pair of which the token is one; nothing if it is no structured position. */
export function addStructuredOutcomes(attribution: Attribution, seq: number, token: string): void {
  if (!isStructured(token)) return
  const condition = conditionOf(token)
  const positions = positionsOf(condition)
  if (positions.includes(token)) attribution.addOutcomes(seq, condition, positions)
}

/** Of a position, or of a condition or event as it is kept. An old id is a hash and practically never fits. */
export const isStructured = (id: string): boolean =>
  id.charAt(START) === '0' &&
  MODULES.includes(id.charAt(START + 1)) &&
  id.slice(UNUSED_AT, UNUSED_AT + UNUSED.length) === UNUSED
