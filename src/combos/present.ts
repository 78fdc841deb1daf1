import { toDecimalText, toPriceText } from '../core/money.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { toConditionId } from '../core/structured-id.js'
import { toTokenId } from '../core/token-id.js'
import type { WithMarket } from '../trades/present.js'
import type { TradeRow } from '../trades/queries.js'

export const COMBO_TRADES_SOURCE = 'v3.wallet_combos.trades'

export function presentComboTrade(row: WithMarket<TradeRow>) {
  const { market, role, maker, taker, usd, shares } = row
  const conditionId = toConditionId(market.token)
  return {
    position_type: 'combo' as const,
    wallet_role: role,
    wallet_address: role === 'maker' ? maker : taker,
    counterparty_address: role === 'maker' ? taker : maker,
    combo_condition_id: conditionId,
    condition_id: conditionId,
    position_id: toTokenId(market.token),
    side: row.isSell ? ('SELL' as const) : ('BUY' as const),
    price: toPriceText(usd, shares),
    size: toDecimalText(shares),
    fee: toDecimalText(row.fee),
    tx_hash: row.txHash,
    log_index: logIndexOf(row.seq),
    block_number: blockOf(row.seq),
    timestamp: row.timeSec,
  }
}
