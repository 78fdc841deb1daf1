import type { EventDraft } from '../bus/event.js'
import type { ComboEventFact, ComboFact, RedemptionFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { moduleName, readCombo, sideOf } from './combo-legs.js'
import { distinct, toKeys } from './keys.js'
import type { Known } from './known.js'
import { logFields } from './log-fields.js'
import { COMBO_MODULE, readStructuredId, toConditionId, toTokenId } from './structured-id.js'

/** `undefined`: an event that is no step in the life of a position. */
export function comboLifecycleEvent(fact: ComboEventFact, known: Known): EventDraft | undefined {
  const action = ACTIONS.get(fact.kind)
  if (action === undefined) return undefined
  return toEvent({ ...fact, action, isOfEvent: OF_EVENTS.has(fact.kind) }, known)
}

export function comboPreparedEvent(fact: ComboFact, timeSec: number, known: Known): EventDraft {
  return toEvent({ ...fact, timeSec, action: 'Prepare', tokens: [] }, known)
}

/** What the service redeems for a wallet is told here too, without the legs. */
export function autoRedeemedEvent(fact: RedemptionFact, known: Known): EventDraft {
  const module = 'AutoRedeemer'
  return toEvent({ ...fact, action: 'Redeem', module, legs: undefined, amount: undefined }, known)
}

/** Names of the logs that tell of a step. */
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['positionsSplit', 'Split'],
  ['splitOnCondition', 'Split'],
  ['splitOnEvent', 'Split'],
  ['positionsMerged', 'Merge'],
  ['mergedOnCondition', 'Merge'],
  ['mergedOnEvent', 'Merge'],
  ['horizontalSplit', 'HorizontalSplit'],
  ['horizontalMerge', 'HorizontalMerge'],
  ['positionConverted', 'Convert'],
  ['convertedOnEvent', 'Convert'],
  ['positionRedeemed', 'Redeem'],
  ['comboWrapped', 'Wrap'],
  ['comboUnwrapped', 'Unwrap'],
  ['compressed', 'Compress'],
  ['extracted', 'Extract'],
  ['injected', 'Inject'],
  ['convertedToYesBasket', 'ConvertToYesBasket'],
  ['mergedFromYesBasket', 'MergeFromYesBasket'],
])

/** They name an event where the others name a condition. */
const OF_EVENTS: ReadonlySet<string> = new Set([
  'horizontalSplit',
  'horizontalMerge',
  'positionConverted',
])

/** Steps that turn one of their two positions into the other: which of them is given. */
const GIVEN_OF_TURN: ReadonlyMap<string, 0 | 1> = new Map([
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
  isOfEvent?: boolean | undefined
  tokens: readonly string[]
  legs?: readonly string[] | undefined
  module?: string | undefined
  amount?: bigint | undefined
  payout?: bigint | undefined
}

function toEvent(step: Step, known: Known): EventDraft {
  const { action, wallet, tokens, amount, payout } = step
  const named = step.condition ?? tokens[0]
  const structured = named === undefined ? undefined : readStructuredId(named)
  const isCombo = structured?.moduleId === COMBO_MODULE && step.module === undefined
  const combo = isCombo ? readCombo(structured.conditionId, step.legs, known) : undefined
  const conditionIds = named === undefined || step.isOfEvent ? [] : [toConditionId(named)]
  const positions = tokens.map(toTokenId)
  const given = GIVEN_OF_TURN.get(action)
  const [first] = tokens
  const { timestamp, ...place } = logFields(step)
  return {
    type: 'combo_lifecycle',
    timestampMs: timestamp,
    data: {
      event_type: 'combo_lifecycle',
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
      source_position_ids: given === undefined ? undefined : [positions[given]],
      destination_position_ids: given === undefined ? undefined : [positions[1 - given]],
      leg_position_ids: combo?.legIds,
      legs: combo?.legs,
      amount_e6: amount?.toString(),
      amount_usdc: amount === undefined ? undefined : toDecimal(amount),
      payout_e6: payout?.toString(),
      payout_usdc: payout === undefined ? undefined : toDecimal(payout),
      side: first !== undefined && tokens.length === 1 && structured ? sideOf(first) : undefined,
    },
    keys: {
      ...toKeys({
        wallets: wallet === undefined ? [] : [wallet],
        tokens: [...positions, ...(combo?.legIds ?? [])],
        usd: payout ?? amount,
      }),
      conditionIds: distinct([...conditionIds, ...(combo?.legConditionIds ?? [])]),
    },
  }
}
