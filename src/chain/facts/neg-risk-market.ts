import { copyBytes } from '../../store/copy.js'
import type { FactKind, FactOrigin } from './fact-kind.js'

/** A market with several questions, of which at most one comes true, was prepared. */
export type NegRiskMarketFact = FactOrigin & { market: string; oracle: string; feeBips: number }

export const NEG_RISK_MARKETS: FactKind<NegRiskMarketFact> = {
  rows: {
    table: 'neg_risk_markets',
    columns: ['seq', 'oracle', 'fee_bips', 'market', 'tx_hash'],
    toLine: ({ seq, oracle, feeBips, market, txHash }, ids) =>
      `${seq}\t${ids.wallet(oracle)}\t${feeBips}\t${copyBytes(market)}\t${copyBytes(txHash)}\n`,
  },
  addReferences({ seq, oracle }, ids, place) {
    ids.wallets.add(oracle, seq, place)
  },
}
