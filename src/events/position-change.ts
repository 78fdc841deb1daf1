import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { TransferFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { enrichToken } from './enrichment.js'
import { toKeys } from './keys.js'
import { logFields } from './log-fields.js'

export function positionChangeEvent(
  transfer: TransferFact,
  isBatch: boolean,
  markets: MarketLookup,
): EventDraft {
  const { from, to, amount } = transfer
  const { id, outcome, market } = enrichToken(markets, transfer.token)
  return {
    type: 'position_change',
    timestampMs: transfer.timeSec * 1000,
    data: {
      event_type: 'position_change',
      ...logFields(transfer),
      from,
      to,
      token_id: id,
      amount: toDecimal(amount),
      transfer_type: isBatch ? 'batch' : 'single',
      outcome,
      ...market,
    },
    keys: toKeys({ wallets: [from, to], tokens: [id], market }),
  }
}
