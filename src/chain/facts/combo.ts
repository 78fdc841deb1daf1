import { copyBytes } from '../../store/copy.js'
import type { FactKind, FactOrigin } from './fact-kind.js'

/** A condition that joins several others, its legs, was prepared. */
export type ComboFact = FactOrigin & { condition: string; legs: readonly string[] }

export const COMBOS: FactKind<ComboFact> = {
  rows: {
    table: 'combos',
    columns: ['seq', 'condition', 'legs', 'tx_hash'],
    toLine({ seq, condition, legs, txHash }, ids) {
      const digits = legs.map((leg) => leg.slice(2)).join('')
      return `${seq}\t${ids.condition(condition)}\t${copyBytes(`0x${digits}`)}\t${copyBytes(txHash)}\n`
    },
  },
  addReferences({ seq, condition }, ids, ordinal) {
    ids.conditions.add(condition, seq, ordinal)
  },
}
