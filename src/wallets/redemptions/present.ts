import { hasFlag, REDEMPTION_FLAGS } from '../../core/fact-flags.js'
import { toTokenId } from '../../core/ids.js'
import { toDecimal, toPrice } from '../../core/money.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import { COMBO_MODULE, parseStructuredId, positionsOf } from '../../core/structured-id.js'
import { toIsoTime } from '../../core/unix-time.js'
import { winningOutcomeOf } from '../../lookups/position.js'
import { CONTRACTS } from '../../upstreams/polygon/contracts.js'
import type { RedemptionRow } from './queries.js'

export function presentRedemption(row: RedemptionRow) {
  const { condition, payout, seq } = row
  const tokens = tokensOf(row)
  const isNegRisk = isOfNegRisk(row)
  return {
    id: `${row.txHash}_0x${logIndexOf(seq).toString(16)}`,
    timestamp: `${row.timeSec}`,
    condition,
    condition_id: condition,
    payout: `${payout}`,
    payout_e6: `${payout}`,
    payout_usdc: toDecimal(payout),
    index_sets: indexSetsOf(row),
    market_title: row.title,
    market_slug: row.slug,
    market_image: row.image,
    event_title: row.eventTitle,
    event_slug: row.eventSlug,
    neg_risk: isNegRisk,
    token_ids: tokens?.map(toTokenId) ?? null,
    outcomes: row.outcomes,
    ...presentResult(row, tokens),
    transaction_hash: row.txHash,
    block_number: blockOf(seq),
    log_index: logIndexOf(seq),
    ...presentSource(row, isNegRisk),
  }
}

/** By outcome: as the catalogue lists them, else as the chain stated them. Null: neither did. */
function tokensOf({ marketTokens, condition, tokens }: RedemptionRow): readonly string[] | null {
  if (marketTokens !== null) return marketTokens
  if (parseStructuredId(condition) !== undefined) return positionsOf(condition)
  return tokens.length === 0 ? null : tokens
}

function indexSetsOf({ flags }: RedemptionRow): string[] | null {
  const sets = [1, 2].filter((set) => hasFlag(flags, set * REDEMPTION_FLAGS.outcomes))
  return sets.length === 0 ? null : sets.map(String)
}

function presentResult({ payouts, resolvedSec, outcomes }: RedemptionRow, tokens: readonly string[] | null) {
  const numerators = payouts?.map(BigInt) ?? []
  const sum = numerators.reduce((all, numerator) => all + numerator, 0n)
  const winner = winningOutcomeOf(numerators)
  const token = winner === null ? undefined : tokens?.[winner]
  return {
    payouts: payouts?.map(Number) ?? null,
    outcome_prices: payouts === null ? null : numerators.map((numerator) => toPrice(numerator, sum)),
    winning_outcome_index: winner,
    winning_outcome: winner === null ? null : (outcomes?.[winner] ?? null),
    winning_token_id: token === undefined ? null : toTokenId(token),
    resolved_at: resolvedSec === null ? null : toIsoTime(resolvedSec),
  }
}

const NEG_RISK_ADAPTER = CONTRACTS.find(({ role }) => role === 'negRiskAdapter')?.address

/** Null: it is a combo, or neither the chain here nor the catalogue says. */
function isOfNegRisk(row: RedemptionRow): boolean | null {
  const structured = parseStructuredId(row.condition)
  if (structured !== undefined) return structured.moduleId === COMBO_MODULE ? null : structured.moduleId === 2
  if (row.oracle !== null) return row.oracle === NEG_RISK_ADAPTER
  if (row.isNegRisk !== null) return row.isNegRisk
  // Only the adapter's own log is not of the token contract and not of the AutoRedeemer.
  return isDirect(row) && !isOfTokenContract(row) ? true : null
}

const isDirect = ({ flags }: RedemptionRow): boolean => !hasFlag(flags, REDEMPTION_FLAGS.autoRedeemer)
const isOfTokenContract = ({ flags }: RedemptionRow): boolean => hasFlag(flags, REDEMPTION_FLAGS.core)

/** Through which contract it went, and the log that says so. */
function presentSource(row: RedemptionRow, isNegRisk: boolean | null) {
  const module = parseStructuredId(row.condition)?.moduleId
  const ofContract = module === undefined ? 'PayoutRedemption' : 'PositionRedeemed'
  if (isDirect(row)) {
    const plain = isOfTokenContract(row) ? 'direct_ctf' : 'direct_neg_risk'
    return { redemption_source: module === undefined ? plain : 'direct_other', source_event: ofContract }
  }
  const kind = module === COMBO_MODULE ? 'auto_combo' : isNegRisk === true ? 'auto_neg_risk' : 'auto_binary'
  const ofRedeemer = isNegRisk === true ? 'NegRiskRedemption' : 'BinaryRedemption'
  const ownLog = module === undefined ? ofRedeemer : 'Redemption'
  return { redemption_source: kind, source_event: isOfTokenContract(row) ? ofContract : ownLog }
}
