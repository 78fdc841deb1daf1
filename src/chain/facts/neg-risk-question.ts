import { copyBytes } from '../../store/copy.js'
import type { FactKind, FactOrigin } from './fact-kind.js'

/** A neg-risk market got a question. */
export type NegRiskQuestionFact = FactOrigin & { market: string; question: string; index: number }

export const NEG_RISK_QUESTIONS: FactKind<NegRiskQuestionFact> = {
  rows: {
    table: 'neg_risk_questions',
    columns: ['seq', 'index', 'market', 'question', 'tx_hash'],
    toLine: ({ seq, index, market, question, txHash }) =>
      `${seq}\t${index}\t${copyBytes(market)}\t${copyBytes(question)}\t${copyBytes(txHash)}\n`,
  },
}
