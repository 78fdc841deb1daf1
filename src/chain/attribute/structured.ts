import { conditionOfPosition, isStructuredId, positionsOf } from '../../core/structured-id.js'
import type { Attribution } from './attribution.js'

/** Adds the pair of positions of which the token is one; nothing if it is no structured position. */
export function addStructuredOutcomes(attribution: Attribution, seq: number, token: string): void {
  if (!isStructuredId(token)) return
  const condition = conditionOfPosition(token)
  const positions = positionsOf(condition)
  if (positions.includes(token)) attribution.addOutcomes(seq, condition, positions)
}
