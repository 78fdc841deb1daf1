import type { EventDraft } from '../bus/event.js'
import type { FlowFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { toKeys } from './keys.js'
import { logFields } from './log-fields.js'

/** `undefined`: the money stayed inside. */
export function depositEvent(flow: FlowFact): EventDraft | undefined {
  const { kind, from, to, amount } = flow
  if (kind !== 'deposit' && kind !== 'withdrawal') return undefined
  return {
    type: 'deposit',
    timestampMs: flow.timeSec * 1000,
    data: {
      event_type: 'deposit',
      ...logFields(flow),
      from,
      to,
      amount: toDecimal(amount),
      direction: kind,
    },
    keys: toKeys({ wallets: [from, to], usd: amount }),
  }
}
