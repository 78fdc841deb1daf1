import type { EventDraft, EventKeys } from '../bus/event.js'
import type { FeeFact } from '../chain/attribute/tape.js'
import { toDecimal, toPrice } from '../core/money.js'
import { logIndexOf } from '../core/seq.js'
import { type Combo, readCombo, sideOf } from './combo-legs.js'
import { distinct, toKeys } from './keys.js'
import type { Known } from './known.js'
import type { Match, MatchRow } from './match.js'
import type { Confirmation } from './status-update.js'
import { toConditionId, toTokenId } from './structured-id.js'

/** A match of combos that waits for its block. */
export function comboExecutionEvent(match: Match, detectedMs: number, known: Known): EventDraft {
  const { taker, rows } = match
  const combo = comboOf(match, known)
  return {
    type: 'combo_execution',
    timestampMs: detectedMs,
    data: {
      event_type: 'combo_execution',
      tx_hash: match.txHash,
      status: 'pending',
      detected_at: detectedMs,
      block_number: null,
      combo_condition_id: combo.conditionId,
      legs: combo.legs ?? [],
      taker_wallet: taker.maker,
      taker_token: toTokenId(taker.token),
      taker_side: taker.side,
      outcome: sideOf(taker.token),
      taker_price: toPrice(taker.usd, taker.shares),
      taker_size: toDecimal(taker.shares),
      amount_usdc: toDecimal(taker.usd),
      order_hashes: rows.map(({ orderHash }) => orderHash),
      trades: rows.map((row) => presentRow(row, match)),
    },
    keys: keysOf(match, combo, 'pending'),
  }
}

/** `fees`: what the transaction paid to receivers of fees. */
export function comboStatusUpdateEvent(
  match: Match,
  { block, confirmedMs, detectedMs }: Confirmation,
  fees: readonly FeeFact[],
  known: Known,
): EventDraft {
  const { taker, rows } = match
  const combo = comboOf(match, known)
  return {
    type: 'combo_status_update',
    timestampMs: confirmedMs,
    data: {
      event_type: 'combo_status_update',
      tx_hash: match.txHash,
      block_number: block,
      confirmed_at: confirmedMs,
      execution_status: 'CONFIRMED',
      pending_detected_at: detectedMs,
      latency_ms: detectedMs === undefined ? undefined : confirmedMs - detectedMs,
      combo_condition_id: combo.conditionId,
      yes_position_id: combo.yes,
      no_position_id: combo.no,
      leg_position_ids: combo.legIds,
      legs: combo.legs,
      order_hashes: rows.map(({ orderHash }) => orderHash),
      confirmed_fills: rows.map((row) => presentRow(row, match)),
      fees: fees.map(presentFee),
      taker_address: taker.maker,
      amount_usdc: toDecimal(taker.usd),
    },
    keys: keysOf(match, combo, 'confirmed'),
  }
}

const comboOf = ({ taker, legs }: Match, known: Known): Combo =>
  readCombo(toConditionId(taker.token), legs, known)

function presentRow(row: MatchRow, { exchange }: Match) {
  return {
    position_id: toTokenId(row.token),
    order_hash: row.orderHash,
    maker: row.maker,
    signer: row.signer,
    taker: row.isTaker ? exchange : row.taker,
    side: row.side,
    outcome: sideOf(row.token),
    price: toPrice(row.usd, row.shares),
    size: toDecimal(row.shares),
    amount_usdc: toDecimal(row.usd),
    fee: toDecimal(row.fee ?? 0n),
  }
}

const presentFee = ({ seq, wallet, amount }: FeeFact) => ({
  receiver: wallet,
  amount_e6: amount.toString(),
  amount_usdc: toDecimal(amount),
  log_index: logIndexOf(seq),
})

function keysOf({ taker, rows }: Match, combo: Combo, status: EventKeys['status']): EventKeys {
  const positions = rows.map(({ token }) => toTokenId(token))
  return {
    ...toKeys({
      wallets: [taker.maker, ...rows.map(({ maker }) => maker)],
      tokens: [...positions, ...(combo.legIds ?? [])],
      side: sideOf(taker.token),
      usd: taker.usd,
      status,
    }),
    conditionIds: distinct([combo.conditionId, ...combo.legConditionIds]),
  }
}
