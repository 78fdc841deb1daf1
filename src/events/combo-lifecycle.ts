import { Type } from 'typebox'
import type { TransferFact } from '../chain/facts/transfer.js'
import { toDecimal } from '../core/money.js'
import { logIndexOf } from '../core/seq.js'
import {
  COMBO_MODULE,
  isStructuredId,
  parseStructuredId,
  sideOf,
  toConditionId,
} from '../core/structured-id.js'
import type { BlockFacts, MessageFamily } from './block-facts.js'
import { COMBO_ACTIONS } from './combo-actions.js'
import { comboKeys, enrichCombo, LEG, moduleName } from './combo-legs.js'
import type { Enricher } from './enrichment.js'
import {
  closedRow,
  defineMessage,
  described,
  distinct,
  type KeyFields,
  optional,
  presentLog,
  Wire,
} from './message.js'

export const TRANSFER_ROW = closedRow('ComboTransfer', {
  position_id: Wire.TokenId,
  from: Wire.Address,
  to: Wire.Address,
  amount_e6: described(Wire.Digits, 'shares in millionths'),
  log_index: Wire.Count,
})

export const presentTransfer = (fact: TransferFact, enricher: Enricher) => ({
  position_id: enricher.tokenId(fact.token),
  from: fact.from,
  to: fact.to,
  amount_e6: fact.amount.toString(),
  log_index: logIndexOf(fact.seq),
})

const LIFECYCLE = {
  tx_hash: Wire.Hash,
  status: Type.Literal('confirmed'),
  detected_at: described(Wire.Ms, 'time of the block, Unix milliseconds'),
  block_number: Wire.Count,
  log_index: Wire.Count,
  action: Type.String({
    pattern: '^[A-Z][A-Za-z]+$',
    description: '`Prepare`, `Split`, `Merge`, `Convert`, `Redeem`, `Transfer` and so on',
  }),
  condition_ids: Type.Array(Wire.ConditionId),
  event_ids: described(Type.Array(Wire.Text), '29 bytes each'),
  position_ids: Type.Array(Wire.TokenId),
  confirmed_transfers: described(Type.Array(TRANSFER_ROW), 'of `Transfer`; empty on other actions'),
  ...optional({
    user: described(Wire.Address, 'absent on `Prepare`, which serves all'),
    stakeholder: described(Wire.Address, 'the same as `user`'),
    combo_condition_id: described(Wire.ConditionId, '31 bytes; absent where it is no combo'),
    module_id: described(Wire.Count, '1 binary, 2 neg-risk, 3 combinatorial'),
    module_name: described(Wire.Text, '`AutoRedeemer` where it redeemed for the wallet'),
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
}

const lifecycle = defineMessage({
  type: 'combo_lifecycle',
  summary: 'A combo was prepared, split, merged, converted, redeemed, wrapped or moved.',
  examples: {
    'A combo was prepared': { action: 'Prepare' },
    'The AutoRedeemer paid a wallet': { module_name: 'AutoRedeemer' },
  },
  fields: LIFECYCLE,
})

/** The same without its event type, as a part of other messages. */
export const LIFECYCLE_ROW = closedRow('ComboLifecycleRow', LIFECYCLE)

/** Steps in the life of structured positions: prepared, split, merged, converted, redeemed and so on. */
export const comboLifecycleFamily = {
  messages: [lifecycle],
  *fromBlock(facts, enricher) {
    for (const step of comboSteps(facts)) {
      const { row, keys } = presentStep(step, enricher)
      yield { seq: step.seq, event: lifecycle.draft(row.detected_at, row, keys) }
    }
  },
} as const satisfies MessageFamily

export type ComboStep = {
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
  transfer?: TransferFact | undefined
}

/** Not in the order of their logs. */
export function* comboSteps(facts: BlockFacts): Generator<ComboStep> {
  const { block, combos, comboEvents, redemptions, transfers } = facts
  for (const fact of combos) yield { ...fact, timeSec: block.timeSec, action: 'Prepare', tokens: [] }
  for (const fact of comboEvents) {
    const action = COMBO_ACTIONS.get(fact.kind)
    if (action !== undefined) yield { ...fact, action, namesEvent: NAMES_EVENT.has(fact.kind) }
  }
  for (const fact of transfers) {
    if (fact.isInternal || !isStructuredId(fact.token)) continue
    const moved = { wallet: fact.from, condition: undefined, tokens: [fact.token] }
    yield { ...fact, ...moved, action: 'Transfer', transfer: fact }
  }
  // Redemptions by the platform's service are a step too, published without the legs.
  for (const fact of redemptions)
    if (fact.isUser && fact.source === 'auto_redeemer')
      yield { ...fact, action: 'Redeem', module: 'AutoRedeemer' }
}

/** Logs that name an event where the others name a condition. */
const NAMES_EVENT = new Set<string>(['horizontalSplit', 'horizontalMerge', 'positionConverted'])

/** Actions that exchange one of their two positions for the other: the index of the source position. */
const SOURCE_INDEX: ReadonlyMap<string, 0 | 1> = new Map([
  ['Wrap', 1],
  ['Unwrap', 0],
  ['Compress', 0],
])

export function presentStep(step: ComboStep, enricher: Enricher) {
  const { action, wallet, tokens, amount, payout, transfer } = step
  const named = step.condition ?? tokens[0]
  const structured = named === undefined ? undefined : parseStructuredId(named)
  const isCombo = structured?.moduleId === COMBO_MODULE && step.module === undefined
  const combo = isCombo ? enrichCombo(structured.conditionId, step.legs, enricher) : undefined
  const conditionIds = named === undefined || step.namesEvent ? [] : [toConditionId(named)]
  const positions = tokens.map((token) => enricher.tokenId(token))
  const source = SOURCE_INDEX.get(action)
  const [first] = tokens
  const side = first !== undefined && tokens.length === 1 && structured ? sideOf(first) : undefined
  const { timestamp, ...log } = presentLog(step)
  const row = {
    ...log,
    status: 'confirmed' as const,
    detected_at: timestamp,
    action,
    user: wallet,
    stakeholder: wallet,
    combo_condition_id: combo?.conditionId,
    condition_ids: conditionIds,
    event_ids: structured === undefined ? [] : [structured.eventId],
    module_id: structured?.moduleId,
    module_name: step.module ?? (structured && moduleName(structured.moduleId)),
    yes_position_id: combo?.yes,
    no_position_id: combo?.no,
    position_ids: positions,
    source_position_ids: source === undefined ? undefined : positions.slice(source, source + 1),
    destination_position_ids: source === undefined ? undefined : positions.slice(1 - source, 2 - source),
    leg_position_ids: combo?.legIds,
    legs: combo?.legs,
    amount_e6: amount?.toString(),
    amount_usdc: amount === undefined ? undefined : toDecimal(amount),
    payout_e6: payout?.toString(),
    payout_usdc: payout === undefined ? undefined : toDecimal(payout),
    side,
    confirmed_transfers: transfer === undefined ? [] : [presentTransfer(transfer, enricher)],
  }
  const keys: KeyFields = {
    wallets: [wallet, transfer?.to].flatMap((each) => each ?? []),
    tokens: [...positions, ...(combo?.legIds ?? [])],
    side,
    usd: payout ?? amount,
    conditionIds: distinct([...conditionIds, ...(combo?.legConditionIds ?? [])]),
    combo: {
      ...(combo === undefined ? ownKeys(structured) : comboKeys(combo)),
      action,
    },
  }
  return { row, keys }
}

/** Of a step that is about no combo. */
const ownKeys = (id: ReturnType<typeof parseStructuredId>) => ({
  conditionId: undefined,
  legPositionIds: [],
  eventIds: id === undefined ? [] : [id.eventId],
  moduleIds: id === undefined ? [] : [id.moduleId],
})
