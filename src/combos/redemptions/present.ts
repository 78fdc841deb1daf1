import { toTokenId } from '../../core/ids.js'
import { toDecimalText } from '../../core/money.js'
import { isCombo, outcomeOfPosition, toConditionId } from '../../core/structured-id.js'
import { toIsoTime } from '../../core/unix-time.js'
import { presentLeg, type WithLegs } from '../../lookups/combos/legs.js'
import { presentComboActivity } from '../present.js'
import type { ComboRedemptionRow } from './queries.js'
import { evidenceOf, movedPositions, REDEMPTION_TYPES, scopeOf } from './redemption-kind.js'

type Legs = WithLegs<ComboRedemptionRow>['legs']
type LeggedRedemption = WithLegs<ComboRedemptionRow> & { destinationLegs: Legs }

export function presentComboRedemption(row: LeggedRedemption) {
  const { kind, amount, payout, legs } = row
  const activity = presentComboActivity(row)
  const scope = scopeOf(row)
  const isPartial = scope === 'partial'
  const moved = presentMoved(row)
  const id = `${row.txHash}_0x${activity.log_index.toString(16)}`
  const { remaining, removed } = splitLegs(row)
  return {
    ...activity,
    is_combo: true as const,
    id,
    type: activity.side.replace(/(?<=.)[A-Z]/g, '_$&').toUpperCase(),
    module_id: 3 as const,
    combo_outcome_index: row.position === null ? null : outcomeOfPosition(row.position),
    tx_dttm: toIsoTime(row.timeSec),
    redemption_scope: scope,
    redemption_type: REDEMPTION_TYPES[scope],
    redemption_evidence: evidenceOf(row),
    is_full_combo_redemption: scope === 'full',
    is_partial_combo_redemption: isPartial,
    is_terminal_redemption: scope === 'full',
    is_partial_combo_reduction: isPartial || kind === 'extracted',
    has_collateral_payout: payout !== null && payout > 0n,
    position_amount_usdc: toDecimalText(amount),
    collateral_out_usdc: payout === null ? null : toDecimalText(payout),
    ...moved,
    lineage_event_id: id,
    lineage_status: null,
    parity_status: null,
    full_legs: kindOfCondition(kind) === 'full' ? legs.map(presentLeg) : null,
    source_legs: legs.map(presentLeg),
    remaining_legs: remaining?.map(presentLeg) ?? null,
    removed_legs: removed?.map(presentLeg) ?? null,
    residual_legs: null,
    ...(isPartial && { remaining_combo: presentRemaining(row) }),
    metadata_coverage: coverageOf(row),
  }
}

/** What the condition that a log names is to it. */
function kindOfCondition(kind: string): 'full' | 'parent' | 'source' {
  if (FULL.has(kind)) return 'full'
  return PARENT.has(kind) ? 'parent' : 'source'
}
const FULL: ReadonlySet<string> = new Set([
  'extracted',
  'injected',
  'convertedToYesBasket',
  'mergedFromYesBasket',
])
const PARENT: ReadonlySet<string> = new Set([
  'splitOnCondition',
  'mergedOnCondition',
  'splitOnEvent',
  'mergedOnEvent',
  'convertedOnEvent',
])

/** From what to what. Of the conditions that no column has, residual and children, nothing is said. */
function presentMoved(row: LeggedRedemption) {
  const { kind, condition } = row
  const { source, destination } = movedPositions(row)
  const named = toConditionId(condition)
  const left = destination === undefined ? null : toConditionId(destination)
  const isCompression = kind === 'compressed'
  const from = row.legs.length
  const to = isCompression && coverageOf(row) === 'complete' ? leftLegsOf(row).size : null
  const ofCondition = kindOfCondition(kind)
  return {
    full_combo_condition_id: ofCondition === 'full' ? named : null,
    parent_combo_condition_id: ofCondition === 'parent' ? named : null,
    source_combo_condition_id: kind === 'comboWrapped' ? null : named,
    reduced_combo_condition_id: isCompression ? left : null,
    residual_combo_condition_id: null,
    child_yes_combo_condition_id: null,
    child_no_combo_condition_id: null,
    destination_combo_condition_id: kind === 'comboWrapped' ? named : left,
    source_position_id: source === undefined ? null : toTokenId(source),
    destination_position_id: destination === undefined ? null : toTokenId(destination),
    underlying_position_id: underlyingOf(row),
    source_leg_count: from,
    removed_leg_count: to === null ? null : from - to,
    remaining_leg_count: to,
    leg_transition: to === null ? null : `${from}_to_${to}`,
  }
}

function underlyingOf({ kind, positions: [, underlying] }: ComboRedemptionRow): string | null {
  const isWrap = kind === 'comboWrapped' || kind === 'comboUnwrapped'
  return isWrap && underlying !== undefined ? toTokenId(underlying) : null
}

/** The legs of a compression that are left, and those that are gone; `undefined`: they are not known. */
function splitLegs(row: LeggedRedemption): { remaining?: Legs; removed?: Legs } {
  if (row.kind !== 'compressed' || coverageOf(row) !== 'complete') return {}
  const left = leftLegsOf(row)
  return {
    remaining: row.legs.filter(({ token }) => left.has(token)),
    removed: row.legs.filter(({ token }) => !left.has(token)),
  }
}

/** The tokens of the legs that a compression leaves: what is no combo is a leg itself. */
function leftLegsOf(row: LeggedRedemption): ReadonlySet<string> {
  const { destination } = movedPositions(row)
  if (destination === undefined) return new Set()
  return new Set(isCombo(destination) ? row.destinationLegs.map(({ token }) => token) : [destination])
}

function coverageOf(row: LeggedRedemption): 'complete' | 'missing_source_legs' | 'missing_reduced_legs' {
  if (row.legs.length === 0) return 'missing_source_legs'
  const { destination } = movedPositions(row)
  const needsLegs = row.kind === 'compressed' && destination !== undefined && isCombo(destination)
  return needsLegs && row.destinationLegs.length === 0 ? 'missing_reduced_legs' : 'complete'
}

/** What a partial redemption left in the wallet. */
function presentRemaining({ positions: [, left = ''], amount, balance }: ComboRedemptionRow) {
  const held = balance !== null && balance > 0n ? balance : 0n
  return {
    combo_condition_id: toConditionId(left),
    combo_position_id: toTokenId(left),
    shares_created: toDecimalText(amount),
    current_wallet_balance: toDecimalText(held),
    still_held: held > 0n,
    status: held > 0n ? ('OPEN' as const) : ('CLOSED' as const),
  }
}
