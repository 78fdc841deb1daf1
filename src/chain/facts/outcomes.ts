import type { FactKind } from './fact-kind.js'

/**
 * Which tokens a condition has, from the logs that make or destroy full sets. It has no table: the id
 * registry notes it in the rows of the tokens.
 */
export type OutcomesFact = { seq: number; condition: string; tokens: readonly string[] }

export const OUTCOMES: FactKind<OutcomesFact> = {
  addReferences({ seq, condition, tokens }, ids, ordinal) {
    ids.conditions.add(condition, seq, ordinal)
    ids.tokens.addAll(tokens, seq, ordinal)
  },
}
