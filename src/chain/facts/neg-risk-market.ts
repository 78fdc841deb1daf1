import type { Sql } from '../../store/connection.js'
import { copyBytes } from '../../store/copy.js'
import { hex, selectBytes } from '../../store/sql-words.js'
import type { FactKind, FactOrigin } from './fact-kind.js'

/** A market with several questions, of which at most one comes true, was prepared. */
export type NegRiskMarketFact = FactOrigin & { market: string; oracle: string; feeBips: number }

export const NEG_RISK_MARKETS: FactKind<NegRiskMarketFact> = {
  rows: {
    table: 'neg_risk_markets',
    columns: ['seq', 'oracle', 'fee_bips', 'market', 'tx_hash'],
    isSelectedInTransaction: true,
    toLine: ({ seq, oracle, feeBips, market, txHash }, ids) =>
      `${seq}\t${ids.wallet(oracle)}\t${feeBips}\t${copyBytes(market)}\t${copyBytes(txHash)}\n`,
  },
  addReferences({ seq, oracle }, ids, ordinal) {
    ids.wallets.add(oracle, seq, ordinal)
  },
}

/** The fees of these markets, as far as they are stored. Index: neg_risk_markets_market. */
export async function selectMarketFees(sql: Sql, markets: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql<{ market: string; feeBips: number }[]>`
    select ${hex(sql, 'market')} as market, fee_bips
      from neg_risk_markets
     where market in (${selectBytes(sql, markets)})
     order by seq`
  return new Map(rows.map(({ market, feeBips }) => [market, feeBips]))
}
