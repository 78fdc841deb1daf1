import { toTokenId } from '../core/ids.js'
import { toDecimalText, toPriceText } from '../core/money.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { parseStructuredId, toConditionId } from '../core/structured-id.js'
import { COMBO_ACTIONS } from '../events/combo-actions.js'
import type { WithMarket } from '../trades/present.js'
import type { TradeRow } from '../trades/queries.js'
import type { LegRow } from './leg-queries.js'
import { presentLeg } from './present-leg.js'
import type { ComboActivityRow } from './queries.js'

/** A row with the legs of its combo. */
export type WithLegs<Row> = Row & { legs: LegRow[] }

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

/** The names of logs as the platform prints them, with ours. */
export const EVENT_KINDS: ReadonlyMap<string, string> = new Map(
  [...COMBO_ACTIONS.keys()].map((kind) => {
    const name = kind.replace(/^combo/, '')
    return [name.charAt(0).toUpperCase() + name.slice(1), kind]
  }),
)

const EVENT_NAMES = new Map([...EVENT_KINDS].map(([name, kind]) => [kind, name]))

/** By module id, from 1 on. */
const MODULE_KINDS = ['Binary', 'NegRisk', 'Combinatorial', 'Directional']

export function presentComboActivity(row: WithLegs<ComboActivityRow>) {
  const { kind, wallet, condition, payout } = row
  const moduleId = parseStructuredId(condition)?.moduleId ?? 0
  return {
    position_type: 'combo' as const,
    event_kind: EVENT_NAMES.get(kind) ?? kind,
    side: COMBO_ACTIONS.get(kind) ?? kind,
    user_address: wallet,
    wallet_address: wallet,
    module_kind: MODULE_KINDS[moduleId - 1] ?? null,
    combo_condition_id: toConditionId(condition),
    combo_position_id: toTokenId(row.position ?? condition),
    amount_usdc: toDecimalText(row.amount),
    payout_usdc: payout === null ? null : toDecimalText(payout),
    tx_hash: row.txHash,
    log_index: logIndexOf(row.seq),
    block_number: blockOf(row.seq),
    timestamp: row.timeSec,
    legs: row.legs.map(presentLeg),
  }
}
