import { Type } from 'typebox'
import { toTokenId } from '../../core/ids.js'
import { toDecimalText, toPriceText } from '../../core/money.js'
import type { Page } from '../../core/page.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import { toConditionId } from '../../core/structured-id.js'
import { createView } from '../../http/list.js'
import { DecimalText, FillRoleField, TradeSideField, UnixTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import type { Sql } from '../../store/connection.js'
import { withMarkets } from '../market-block.js'
import type { WithMarket } from './present.js'
import { selectTrades, type TradeRow, type TradeScope } from './queries.js'

export const ComboTrade = namedObject('ComboTrade', {
  position_type: Type.Literal('combo'),
  wallet_role: FillRoleField(),
  wallet_address: Type.String(),
  counterparty_address: Type.String({ description: 'the exchange for an order that took' }),
  combo_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  condition_id: Type.String({ description: 'the same' }),
  position_id: Type.String(),
  side: TradeSideField('what the owner of the order does'),
  is_taker_order: Type.Boolean({ description: 'the row of the order that took' }),
  price: DecimalText('4 decimals'),
  size: DecimalText('shares, 6 decimals'),
  fee: DecimalText('dollars, 6 decimals'),
  tx_hash: Type.String(),
  log_index: Type.Integer({ minimum: 0 }),
  block_number: Type.Integer({ minimum: 0 }),
  timestamp: UnixTime(),
  source: Type.Optional(Type.String({ description: 'only beside trades of other markets' })),
})

export const COMBO_TRADES_SOURCE = 'v3.wallet_combos.trades'

function presentComboTrade(row: WithMarket<TradeRow>) {
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
    is_taker_order: row.isTakerOrder,
    price: toPriceText(usd, shares),
    size: toDecimalText(shares),
    fee: toDecimalText(row.fee),
    tx_hash: row.txHash,
    log_index: logIndexOf(row.seq),
    block_number: blockOf(row.seq),
    timestamp: row.timeSec,
  }
}

/** Trades of combos, in the order of the chain. */
export const comboTradesByTime = createView({
  row: ComboTrade,
  select: (sql: Sql, scope: TradeScope, page: Page) => selectTrades(sql, 'combo', scope, page),
  keyOf: ({ seq }) => [seq],
  complete: withMarkets,
  present: presentComboTrade,
})
