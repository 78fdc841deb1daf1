import { Type } from 'typebox'
import type { EventDraft, EventKeys } from '../bus/event.js'
import type { FeeFact } from '../chain/facts/fee.js'
import { toDecimal, toPrice } from '../core/money.js'
import { logIndexOf } from '../core/seq.js'
import { isCombo, toConditionId } from '../core/structured-id.js'
import type { MessageFamily } from './block-facts.js'
import { type Combo, enrichCombo, LEG, sideOf } from './combo-legs.js'
import type { Enricher } from './enrichment.js'
import type { Confirmation, Match, MatchRow } from './match.js'
import { closed, defineMessage, distinct, type KeyParts, optional, Wire } from './message.js'

const ROW = closed({
  position_id: Wire.TokenId,
  order_hash: Wire.Hash,
  maker: Wire.Address,
  signer: Type.Optional(Wire.Address),
  taker: Wire.Address,
  side: Wire.Side,
  outcome: Wire.YesNo,
  price: Wire.Price,
  size: Wire.Amount,
  amount_usdc: Wire.Amount,
  fee: Wire.Amount,
})

const execution = defineMessage('combo_execution', {
  tx_hash: Wire.Hash,
  status: Type.Literal('pending'),
  detected_at: Wire.Ms,
  block_number: Type.Null(),
  combo_condition_id: Wire.ConditionId,
  legs: Type.Array(LEG),
  taker_wallet: Wire.Address,
  taker_token: Wire.TokenId,
  taker_side: Wire.Side,
  outcome: Wire.YesNo,
  taker_price: Wire.Price,
  taker_size: Wire.Amount,
  amount_usdc: Wire.Amount,
  order_hashes: Type.Array(Wire.Hash),
  trades: Type.Array(ROW),
})

/** A match of combos that waits for its block. */
export function comboExecutionEvent(
  match: Match,
  detectedMs: number,
  enricher: Enricher,
): EventDraft {
  const { taker, rows } = match
  const combo = comboOf(match, enricher)
  return execution.draft(
    detectedMs,
    {
      tx_hash: match.txHash,
      status: 'pending',
      detected_at: detectedMs,
      block_number: null,
      combo_condition_id: combo.conditionId,
      legs: combo.legs ?? [],
      taker_wallet: taker.maker,
      taker_token: enricher.tokenId(taker.token),
      taker_side: taker.side,
      outcome: sideOf(taker.token),
      taker_price: toPrice(taker.usd, taker.shares),
      taker_size: toDecimal(taker.shares),
      amount_usdc: toDecimal(taker.usd),
      order_hashes: rows.map(({ orderHash }) => orderHash),
      trades: rows.map((row) => presentRow(row, match, enricher)),
    },
    keysOf(match, combo, 'pending', enricher),
  )
}

const statusUpdate = defineMessage('combo_status_update', {
  tx_hash: Wire.Hash,
  block_number: Wire.Count,
  confirmed_at: Wire.Ms,
  execution_status: Type.Literal('CONFIRMED'),
  ...optional({
    pending_detected_at: Wire.Ms,
    latency_ms: Wire.Count,
    combo_condition_id: Wire.ConditionId,
    yes_position_id: Wire.TokenId,
    no_position_id: Wire.TokenId,
    leg_position_ids: Type.Array(Wire.TokenId),
    legs: Type.Array(LEG),
    order_hashes: Type.Array(Wire.Hash),
    confirmed_fills: Type.Array(ROW),
    fees: Type.Array(
      closed({
        receiver: Wire.Address,
        amount_e6: Wire.Digits,
        amount_usdc: Wire.Amount,
        log_index: Wire.Count,
      }),
    ),
    taker_address: Wire.Address,
    amount_usdc: Wire.Amount,
  }),
})

/** `fees`: what the transaction paid to receivers of fees. */
export function comboStatusUpdateEvent(
  match: Match,
  { block, confirmedMs, detectedMs }: Confirmation,
  fees: readonly FeeFact[],
  enricher: Enricher,
): EventDraft {
  const { taker, rows } = match
  const combo = comboOf(match, enricher)
  return statusUpdate.draft(
    confirmedMs,
    {
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
      confirmed_fills: rows.map((row) => presentRow(row, match, enricher)),
      fees: fees.map(({ seq, wallet, amount }) => ({
        receiver: wallet,
        amount_e6: amount.toString(),
        amount_usdc: toDecimal(amount),
        log_index: logIndexOf(seq),
      })),
      taker_address: taker.maker,
      amount_usdc: toDecimal(taker.usd),
    },
    keysOf(match, combo, 'confirmed', enricher),
  )
}

export const comboMatchFamily = {
  messages: [execution, statusUpdate],
  *fromBlock({ matches }, enricher) {
    for (const { match, seq, fees, confirmation } of matches)
      if (confirmation !== undefined && isCombo(match.taker.token))
        yield { seq, event: comboStatusUpdateEvent(match, confirmation, fees, enricher) }
  },
} as const satisfies MessageFamily

const comboOf = ({ taker, legs }: Match, enricher: Enricher): Combo =>
  enrichCombo(toConditionId(taker.token), legs, enricher)

function presentRow(row: MatchRow, { exchange }: Match, enricher: Enricher) {
  return {
    position_id: enricher.tokenId(row.token),
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

function keysOf(
  { taker, rows }: Match,
  combo: Combo,
  status: EventKeys['status'],
  enricher: Enricher,
): KeyParts {
  const positions = rows.map(({ token }) => enricher.tokenId(token))
  return {
    wallets: [taker.maker, ...rows.map(({ maker }) => maker)],
    tokens: [...positions, ...(combo.legIds ?? [])],
    side: sideOf(taker.token),
    usd: taker.usd,
    status,
    conditionIds: distinct([combo.conditionId, ...combo.legConditionIds]),
  }
}
