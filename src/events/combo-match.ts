import { Type } from 'typebox'
import type { EventDraft, EventKeys } from '../bus/event.js'
import type { FeeFact } from '../chain/facts/fee.js'
import type { TransferFact } from '../chain/facts/transfer.js'
import { pricePerShare, toDecimal, toPrice } from '../core/money.js'
import { logIndexOf } from '../core/seq.js'
import { isCombo, sideOf, toConditionId } from '../core/structured-id.js'
import type { BlockFacts, MessageFamily } from './block-facts.js'
import { type Combo, comboKeys, enrichCombo, LEG } from './combo-legs.js'
import {
  type ComboStep,
  comboSteps,
  LIFECYCLE_ROW,
  presentStep,
  presentTransfer,
  TRANSFER_ROW,
} from './combo-lifecycle.js'
import type { Enricher } from './enrichment.js'
import type { Confirmation, Match, MatchRow } from './match.js'
import { closedRow, defineMessage, described, distinct, type KeyFields, optional, Wire } from './message.js'

/** The combo of a match and its parties, under the names of the older generation of clients. */
const PARTIES = {
  yes_position_id: Wire.TokenId,
  no_position_id: Wire.TokenId,
  direction: described(Wire.Side, 'of the requester, whose order takes'),
  side: described(Wire.YesNo, 'which position of the combo the requester trades'),
  price_e6: described(Wire.Digits, 'millionths of a dollar for a share'),
  size_e6: described(Wire.Digits, 'shares in millionths'),
  notional_usdc: described(Wire.Amount, 'the same as `amount_usdc`'),
  taker_address: Wire.Address,
  ...optional({
    maker_address: described(Wire.Address, 'owner of the first maker order'),
    signer_address: described(Wire.Address, 'its signer, only while pending'),
  }),
}

/**
 * One order of a combo match. Two generations of clients read it, under different names: what the
 * newer one calls `maker` and `price` the older one calls `maker_address` and `price_e6`.
 */
const COMBO_ROW = closedRow('ComboFill', {
  position_id: Wire.TokenId,
  order_hash: Wire.Hash,
  maker: described(Wire.Address, 'owner of the order; the row is told from its side'),
  maker_address: Wire.Address,
  taker: described(Wire.Address, "the taker's wallet; on its own row the exchange"),
  taker_address: Wire.Address,
  is_taker_order: Wire.IsTakerOrder,
  side: Wire.Side,
  outcome: Wire.YesNo,
  outcome_side: Wire.YesNo,
  price: Wire.Price,
  price_e6: described(Wire.Digits, 'millionths of a dollar for a share'),
  size: described(Wire.Amount, 'shares'),
  size_e6: Wire.Digits,
  amount_usdc: Wire.Amount,
  maker_amount_e6: described(Wire.Digits, 'what `maker` gives, in millionths'),
  taker_amount_e6: described(Wire.Digits, 'what `maker` gets, in millionths'),
  fee: described(Wire.Amount, 'USDC, not subtracted from `amount_usdc`'),
  fee_e6: Wire.Digits,
  ...optional({
    signer: described(Wire.Address, 'only while pending: logs do not name it'),
    signer_address: Wire.Address,
  }),
})

const execution = defineMessage({
  type: 'combo_execution',
  summary: 'A match of combos was detected.',
  examples: { 'A match of combos in the mempool': {} },
  canBePending: true,
  fields: {
    tx_hash: described(Wire.Hash, 'the `combo_status_update` of the match has the same'),
    status: Type.Literal('pending'),
    detected_at: Wire.Ms,
    block_number: Type.Null(),
    combo_condition_id: described(Wire.ConditionId, '31 bytes'),
    legs: described(Type.Array(LEG), 'empty while the legs of the combo are not known'),
    leg_position_ids: Type.Array(Wire.TokenId),
    legs_total: Wire.Count,
    taker_wallet: Wire.Address,
    taker_token: described(Wire.TokenId, 'position of the combo'),
    taker_side: Wire.Side,
    outcome: Wire.YesNo,
    taker_price: Wire.Price,
    taker_size: described(Wire.Amount, 'shares'),
    amount_usdc: described(Wire.Amount, 'without fees'),
    ...PARTIES,
    signature_type: Type.Optional(
      described(Wire.Count, 'of the first maker order: 0 a plain key, above a contract wallet'),
    ),
    order_hashes: described(Type.Array(Wire.Hash), 'in the order of `trades`'),
    trades: Type.Array(COMBO_ROW, {
      description: 'the makers in the order of the call, then the taker',
    }),
  },
})

/** A match of combos that waits for its block. */
export function comboExecutionEvent(match: Match, detectedMs: number, enricher: Enricher): EventDraft {
  const { taker, rows } = match
  const combo = comboOf(match, enricher)
  const { legs = [], legIds = [] } = combo
  return execution.draft(
    detectedMs,
    {
      tx_hash: match.txHash,
      status: 'pending',
      detected_at: detectedMs,
      block_number: null,
      combo_condition_id: combo.conditionId,
      legs,
      leg_position_ids: legIds,
      legs_total: legs.length,
      taker_wallet: taker.maker,
      taker_token: enricher.tokenId(taker.token),
      taker_side: taker.side,
      outcome: sideOf(taker.token),
      taker_price: toPrice(taker.usd, taker.shares),
      taker_size: toDecimal(taker.shares),
      amount_usdc: toDecimal(taker.usd),
      ...presentParties(match, combo),
      signature_type: firstMaker(match)?.signatureType,
      order_hashes: rows.map(({ orderHash }) => orderHash),
      trades: rows.map((row) => presentComboRow(row, match, enricher)),
    },
    keysOf(match, combo, 'pending', enricher),
  )
}

const statusUpdate = defineMessage({
  type: 'combo_status_update',
  summary: 'A match of combos is in a block, or was reverted.',
  examples: { 'A match of combos is in its block': {} },
  fields: {
    tx_hash: Wire.Hash,
    block_number: Wire.Count,
    confirmed_at: Wire.Ms,
    execution_status: Type.Literal('CONFIRMED'),
    ...optional({
      pending_detected_at: described(Wire.Ms, 'absent where no node showed it before its block'),
      latency_ms: Wire.Count,
    }),
    combo_condition_id: described(Wire.ConditionId, '31 bytes'),
    ...optional({ leg_position_ids: Type.Array(Wire.TokenId), legs: Type.Array(LEG) }),
    amount_usdc: described(Wire.Amount, 'without fees'),
    ...PARTIES,
    order_hashes: Type.Array(Wire.Hash),
    confirmed_fills: Type.Array(COMBO_ROW),
    execution_summaries: Type.Array(
      closedRow('ComboExecutionSummary', {
        taker_order_hash: Wire.Hash,
        taker_order_maker: Wire.Address,
        position_id: Wire.TokenId,
        side: Wire.Side,
        price: Wire.Price,
        size: Wire.Amount,
        maker_amount_e6: Wire.Digits,
        taker_amount_e6: Wire.Digits,
      }),
      { description: 'the order that took, summed up over its makers' },
    ),
    fees: Type.Array(
      closedRow('ComboFee', {
        receiver: Wire.Address,
        amount_e6: Wire.Digits,
        amount_usdc: Wire.Amount,
        log_index: Wire.Count,
      }),
    ),
    confirmed_transfers: Type.Array(TRANSFER_ROW, {
      description: 'moves of positions that the fills do not explain',
    }),
    lifecycle_events: Type.Array(LIFECYCLE_ROW, {
      description: 'what else the transaction did, such as to prepare the combo',
    }),
  },
})

/** What the transaction of a match did beside its fills. */
type Receipt = {
  fees: readonly FeeFact[]
  transfers: readonly TransferFact[]
  steps: readonly ComboStep[]
}

export function comboStatusUpdateEvent(
  match: Match,
  { block, confirmedMs, detectedMs }: Confirmation,
  { fees, transfers, steps }: Receipt,
  enricher: Enricher,
): EventDraft {
  const { taker, rows } = match
  const combo = comboOf(match, enricher)
  const isSeen = detectedMs !== undefined
  return statusUpdate.draft(
    confirmedMs,
    {
      tx_hash: match.txHash,
      block_number: block,
      confirmed_at: confirmedMs,
      execution_status: 'CONFIRMED',
      pending_detected_at: detectedMs,
      latency_ms: isSeen ? Math.max(0, confirmedMs - detectedMs) : undefined,
      combo_condition_id: combo.conditionId,
      leg_position_ids: combo.legIds,
      legs: combo.legs,
      amount_usdc: toDecimal(taker.usd),
      ...presentParties(match, combo),
      order_hashes: rows.map(({ orderHash }) => orderHash),
      confirmed_fills: rows.map((row) => presentComboRow(row, match, enricher)),
      execution_summaries: [presentSummary(match, enricher)],
      fees: fees.map(presentFee),
      confirmed_transfers: transfers.map((fact) => presentTransfer(fact, enricher)),
      lifecycle_events: steps.map((step) => presentStep(step, enricher).row),
    },
    keysOf(match, combo, 'confirmed', enricher, { fees, transfers }),
  )
}

export const comboMatchFamily = {
  messages: [execution, statusUpdate],
  *fromBlock(facts, enricher) {
    for (const { match, seq, fees, confirmation } of facts.matches)
      if (confirmation !== undefined && isCombo(match.taker.token)) {
        const receipt = { fees, ...receiptOf(facts, match.txHash) }
        yield { seq, event: comboStatusUpdateEvent(match, confirmation, receipt, enricher) }
      }
  },
} as const satisfies MessageFamily

const receiptOf = (facts: BlockFacts, hash: string) => ({
  transfers: facts.transfers.filter(({ txHash }) => txHash === hash),
  steps: [...comboSteps(facts)].filter(({ txHash }) => txHash === hash),
})

const comboOf = ({ taker, legs }: Match, enricher: Enricher): Combo =>
  enrichCombo(toConditionId(taker.token), legs, enricher)

const firstMaker = ({ rows }: Match) => rows.find(({ isTaker }) => !isTaker)

function presentParties(match: Match, { yes, no }: Combo) {
  const { taker } = match
  const maker = firstMaker(match)
  return {
    yes_position_id: yes,
    no_position_id: no,
    direction: taker.side,
    side: sideOf(taker.token),
    price_e6: pricePerShare(taker.usd, taker.shares).toString(),
    size_e6: taker.shares.toString(),
    notional_usdc: toDecimal(taker.usd),
    maker_address: maker?.maker,
    signer_address: maker?.signer,
    taker_address: taker.maker,
  }
}

/** The log of the whole match repeats the order that took. */
function presentSummary({ taker }: Match, enricher: Enricher) {
  return {
    taker_order_hash: taker.orderHash,
    taker_order_maker: taker.maker,
    position_id: enricher.tokenId(taker.token),
    side: taker.side,
    price: toPrice(taker.usd, taker.shares),
    size: toDecimal(taker.shares),
    ...presentAmounts(taker),
  }
}

const presentFee = ({ seq, wallet, amount }: FeeFact) => ({
  receiver: wallet,
  amount_e6: amount.toString(),
  amount_usdc: toDecimal(amount),
  log_index: logIndexOf(seq),
})

function keysOf(
  { taker, rows }: Match,
  combo: Combo,
  status: EventKeys['status'],
  enricher: Enricher,
  { fees, transfers }: Pick<Receipt, 'fees' | 'transfers'> = { fees: [], transfers: [] },
): KeyFields {
  const positions = rows.map(({ token }) => enricher.tokenId(token))
  return {
    wallets: [
      taker.maker,
      ...rows.map(({ maker }) => maker),
      ...fees.map(({ wallet }) => wallet),
      ...transfers.flatMap(({ from, to }) => [from, to]),
    ],
    tokens: [...positions, ...(combo.legIds ?? [])],
    side: sideOf(taker.token),
    usd: taker.usd,
    status,
    conditionIds: distinct([combo.conditionId, ...combo.legConditionIds]),
    combo: { ...comboKeys(combo), direction: taker.side },
  }
}

function presentComboRow(row: MatchRow, { exchange }: Match, enricher: Enricher) {
  const { maker, signer, fee = 0n } = row
  const taker = row.isTaker ? exchange : row.taker
  const outcome = sideOf(row.token)
  return {
    position_id: enricher.tokenId(row.token),
    order_hash: row.orderHash,
    maker,
    maker_address: maker,
    signer,
    signer_address: signer,
    taker,
    taker_address: taker,
    is_taker_order: row.isTaker,
    side: row.side,
    outcome,
    outcome_side: outcome,
    price: toPrice(row.usd, row.shares),
    price_e6: pricePerShare(row.usd, row.shares).toString(),
    size: toDecimal(row.shares),
    size_e6: row.shares.toString(),
    amount_usdc: toDecimal(row.usd),
    ...presentAmounts(row),
    fee: toDecimal(fee),
    fee_e6: fee.toString(),
  }
}

/** What the order gives and gets, in millionths. */
function presentAmounts({ side, usd, shares }: Pick<MatchRow, 'side' | 'usd' | 'shares'>) {
  const [made, taken] = side === 'BUY' ? [usd, shares] : [shares, usd]
  return { maker_amount_e6: made.toString(), taker_amount_e6: taken.toString() }
}
