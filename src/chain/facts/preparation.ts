import { copyBytes } from '../../store/copy.js'
import type { FactKind, FactOrigin } from './fact-kind.js'

/** A condition was prepared: its question can be traded from now on. */
export type PreparationFact = FactOrigin & {
  condition: string
  oracle: string
  question: string
  outcomes: number
}

export const PREPARATIONS: FactKind<PreparationFact> = {
  rows: {
    table: 'preparations',
    columns: ['seq', 'condition', 'oracle', 'outcomes', 'question', 'tx_hash'],
    toLine(preparation, ids) {
      const { seq, outcomes, question, txHash } = preparation
      const condition = ids.condition(preparation.condition)
      const oracle = ids.wallet(preparation.oracle)
      return `${seq}\t${condition}\t${oracle}\t${outcomes}\t${copyBytes(question)}\t${copyBytes(txHash)}\n`
    },
  },
  addReferences({ seq, oracle, condition }, ids, ordinal) {
    ids.wallets.add(oracle, seq, ordinal)
    ids.conditions.add(condition, seq, ordinal)
  },
}
