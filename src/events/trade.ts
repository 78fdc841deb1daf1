import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { FillFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { enrichToken } from './enrichment.js'
import { toKeys } from './keys.js'
import { logFields } from './log-fields.js'
import { exchangeVersion, feeOf, tradedFields } from './match.js'

export function tradeEvent(fill: FillFact, markets: MarketLookup): EventDraft {
  const { id, outcome, market } = enrichToken(markets, fill.token)
  return {
    type: 'trade',
    timestampMs: fill.timeSec * 1000,
    data: {
      event_type: 'trade',
      ...logFields(fill),
      exchange: fill.negRisk ? 'neg_risk_ctf_exchange' : 'ctf_exchange',
      maker: fill.wallet,
      taker: fill.taker,
      token_id: id,
      ...tradedFields(fill),
      fee: toDecimal(feeOf(fill)),
      order_hash: fill.orderHash,
      exchange_version: exchangeVersion(fill.generation),
      outcome,
      ...market,
    },
    keys: toKeys({
      wallets: [fill.wallet, fill.taker],
      tokens: [id],
      market,
      side: fill.side,
      usd: fill.usd,
    }),
  }
}
