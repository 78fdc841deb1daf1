import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import { toDecimal } from '../core/money.js'
import { COMBO_MODULE, parseStructuredId, toConditionId } from '../core/structured-id.js'
import type { MessageFamily } from './block-facts.js'
import { COMBO_ACTIONS } from './combo-actions.js'
import { enrichCombo, LEG, moduleName, sideOf } from './combo-legs.js'
import type { Enricher } from './enrichment.js'
import { defineMessage, distinct, optional, presentLog, Wire } from './message.js'

const lifecycle = defineMessage('combo_lifecycle', {
  tx_hash: Wire.Hash,
  status: Type.Literal('confirmed'),
  detected_at: Wire.Ms,
  block_number: Wire.Count,
  log_index: Wire.Count,
  action: Type.String({ pattern: '^[A-Z][A-Za-z]+$' }),
  condition_ids: Type.Array(Wire.ConditionId),
  event_ids: Type.Array(Wire.Text),
  position_ids: Type.Array(Wire.TokenId),
  ...optional({
    user: Wire.Address,
    combo_condition_id: Wire.ConditionId,
    module_id: Wire.Count,
    module_name: Wire.Text,
    yes_position_id: Wire.TokenId,
    no_position_id: Wire.TokenId,
    source_position_ids: Type.Array(Wire.TokenId),
    destination_position_ids: Type.Array(Wire.TokenId),
    leg_position_ids: Type.Array(Wire.TokenId),
    legs: Type.Array(LEG),
    amount_e6: Wire.Digits,
    amount_usdc: Wire.Amount,
    payout_e6: Wire.Digits,
    payout_usdc: Wire.Amount,
    side: Wire.YesNo,
  }),
})

/** Steps in the life of structured positions: prepared, split, merged, converted, redeemed and so on. */
export const comboLifecycleFamily = {
  messages: [lifecycle],
  *fromBlock({ block, combos, comboEvents, redemptions }, enricher) {
    for (const fact of combos) {
      const step = { ...fact, timeSec: block.timeSec, action: 'Prepare', tokens: [] }
      yield { seq: fact.seq, event: lifecycleEvent(step, enricher) }
    }
    for (const fact of comboEvents) {
      const action = COMBO_ACTIONS.get(fact.kind)
      if (action === undefined) continue
      const step = { ...fact, action, namesEvent: NAMES_EVENT.has(fact.kind) }
      yield { seq: fact.seq, event: lifecycleEvent(step, enricher) }
    }
    // Redemptions by the platform's service are a step too, published without the legs.
    for (const fact of redemptions) {
      if (!fact.isUser || fact.source !== 'auto_redeemer') continue
      const step = { ...fact, action: 'Redeem', module: 'AutoRedeemer' }
      yield { seq: fact.seq, event: lifecycleEvent(step, enricher) }
    }
  },
} as const satisfies MessageFamily

/** Logs that name an event where the others name a condition. */
const NAMES_EVENT = new Set<string>(['horizontalSplit', 'horizontalMerge', 'positionConverted'])

/** Actions that exchange one of their two positions for the other: the index of the one given. */
const GIVEN_INDEX: ReadonlyMap<string, 0 | 1> = new Map([
  ['Wrap', 1],
  ['Unwrap', 0],
  ['Compress', 0],
])

type Step = {
  seq: number
  timeSec: number
  txHash: string
  action: string
  wallet?: string | undefined
  condition: string | undefined
  namesEvent?: boolean | undefined
  tokens: readonly string[]
  legs?: readonly string[] | undefined
  module?: string | undefined
  amount?: bigint | undefined
  payout?: bigint | undefined
}

function lifecycleEvent(step: Step, enricher: Enricher): EventDraft {
  const { action, wallet, tokens, amount, payout } = step
  const named = step.condition ?? tokens[0]
  const structured = named === undefined ? undefined : parseStructuredId(named)
  const isCombo = structured?.moduleId === COMBO_MODULE && step.module === undefined
  const combo = isCombo ? enrichCombo(structured.conditionId, step.legs, enricher) : undefined
  const conditionIds = named === undefined || step.namesEvent ? [] : [toConditionId(named)]
  const positions = tokens.map((token) => enricher.tokenId(token))
  const given = GIVEN_INDEX.get(action)
  const [first] = tokens
  const { timestamp, ...place } = presentLog(step)
  return lifecycle.draft(
    timestamp,
    {
      ...place,
      status: 'confirmed',
      detected_at: timestamp,
      action,
      user: wallet,
      combo_condition_id: combo?.conditionId,
      condition_ids: conditionIds,
      event_ids: structured === undefined ? [] : [structured.eventId],
      module_id: structured?.moduleId,
      module_name: step.module ?? (structured && moduleName(structured.moduleId)),
      yes_position_id: combo?.yes,
      no_position_id: combo?.no,
      position_ids: positions,
      source_position_ids: given === undefined ? undefined : positions.slice(given, given + 1),
      destination_position_ids:
        given === undefined ? undefined : positions.slice(1 - given, 2 - given),
      leg_position_ids: combo?.legIds,
      legs: combo?.legs,
      amount_e6: amount?.toString(),
      amount_usdc: amount === undefined ? undefined : toDecimal(amount),
      payout_e6: payout?.toString(),
      payout_usdc: payout === undefined ? undefined : toDecimal(payout),
      side: first !== undefined && tokens.length === 1 && structured ? sideOf(first) : undefined,
    },
    {
      wallets: wallet === undefined ? [] : [wallet],
      tokens: [...positions, ...(combo?.legIds ?? [])],
      usd: payout ?? amount,
      conditionIds: distinct([...conditionIds, ...(combo?.legConditionIds ?? [])]),
    },
  )
}
