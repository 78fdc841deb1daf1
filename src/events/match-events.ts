import { Type } from 'typebox'
import type { EventDraft, EventKeys } from '../bus/event.js'
import type { FillFact } from '../chain/facts/fill.js'
import { feeInMoney, toDecimal, toPrice } from '../core/money.js'
import { isCombo } from '../core/structured-id.js'
import { nullable } from '../lib/nullable.js'
import type { Generation } from '../upstreams/polygon/contracts.js'
import type { MessageFamily } from './block-facts.js'
import type { EnrichedToken, Enricher } from './enrichment.js'
import type { Confirmation, Detection, Match, MatchRow } from './match.js'
import {
  closed,
  defineLogMessage,
  defineMessage,
  distinct,
  type KeyParts,
  MARKET,
  optional,
  toKeys,
  type Values,
  Wire,
} from './message.js'

const TRADED = {
  side: Wire.Side,
  price: Wire.Price,
  size: Wire.Amount,
  maker_amount: Wire.Digits,
  taker_amount: Wire.Digits,
}

const settlement = defineMessage('settlement', {
  tx_hash: Wire.Hash,
  status: Type.Union([Type.Literal('pending'), Type.Literal('confirmed')]),
  detected_at: Wire.Ms,
  block_number: nullable(Wire.Count),
  taker_wallet: Wire.Address,
  taker_token: Wire.TokenId,
  taker_side: Wire.Side,
  taker_price: Wire.Price,
  taker_size: Wire.Amount,
  trades: Type.Array(
    closed({
      maker: Wire.Address,
      taker: Wire.Address,
      token_id: Wire.TokenId,
      ...TRADED,
      ...optional({
        signer: Wire.Address,
        outcome: Wire.Text,
        order_hash: Wire.Hash,
        exchange_version: Wire.Text,
      }),
    }),
  ),
  ...optional({ outcome: Wire.Text, ...MARKET }),
})

/** A match, when it is detected: pending, or in its block if no node showed it before. */
export function settlementEvent(
  match: Match,
  { detectedMs, block }: Detection,
  enricher: Enricher,
): EventDraft {
  const { txHash, taker, rows, conditionId, generation } = match
  const status = block === undefined ? 'pending' : 'confirmed'
  const token = enricher.token(taker.token)
  const trades = rows.map((row) => {
    const { id, outcome } = enricher.token(row.token)
    return {
      maker: row.maker,
      signer: row.signer,
      taker: row.taker,
      token_id: id,
      ...presentTraded(row),
      outcome,
      order_hash: row.orderHash,
      exchange_version: exchangeVersion(generation),
    }
  })
  return settlement.draft(
    detectedMs,
    {
      tx_hash: txHash,
      status,
      detected_at: detectedMs,
      block_number: block ?? null,
      taker_wallet: taker.maker,
      taker_token: token.id,
      taker_side: taker.side,
      taker_price: toPrice(taker.usd, taker.shares),
      taker_size: toDecimal(taker.shares),
      trades,
      condition_id: conditionId,
      outcome: token.outcome,
      ...token.market,
    },
    keysOf(match, token, trades, status),
  )
}

const FILL = {
  order_hash: Wire.Hash,
  user: Wire.Address,
  taker: Wire.Address,
  tx_hash: Wire.Hash,
  side: Wire.Side,
  price: Wire.Price,
  shares: Wire.Count,
  shares_normalized: Wire.Amount,
  token_id: Wire.TokenId,
  token_label: nullable(Wire.Text),
  condition_id: nullable(Wire.ConditionId),
  market_slug: nullable(Wire.Text),
  title: nullable(Wire.Text),
  /** Unix seconds. */
  timestamp: Type.Integer({ maximum: 10_000_000_000 }),
  block_number: nullable(Wire.Count),
  log_index: nullable(Wire.Count),
}

/** Sent as `event`, without a time above its data. */
const fill = {
  type: 'fill' as const,
  schema: closed({ type: Type.Literal('event'), seq: Wire.Seq, data: closed(FILL) }),
}

/** One for each order of a match, always with the same sixteen fields. */
export function fillEvents(
  match: Match,
  { detectedMs, block }: Detection,
  enricher: Enricher,
): EventDraft[] {
  return match.rows.map((row) => {
    const { id, outcome, market } = enricher.token(row.token)
    const conditionId = market?.condition_id ?? match.conditionId
    const taker = row.isTaker ? match.exchange : row.taker
    const data: Values<typeof FILL> = {
      order_hash: row.orderHash,
      user: row.maker,
      taker,
      tx_hash: match.txHash,
      side: row.side,
      price: toPrice(row.usd, row.shares),
      shares: Number(row.shares),
      shares_normalized: toDecimal(row.shares),
      token_id: id,
      token_label: outcome ?? null,
      condition_id: conditionId ?? null,
      market_slug: market?.market_slug ?? null,
      title: market?.market_title ?? null,
      timestamp: Math.floor(detectedMs / 1000),
      block_number: row.block ?? null,
      log_index: row.logIndex ?? null,
    }
    const keys = toKeys({
      wallets: [row.maker, taker],
      tokens: [id],
      market,
      conditionId,
      side: row.side,
      usd: row.usd,
      status: block === undefined ? 'pending' : 'confirmed',
    })
    const { type } = fill
    return { type, timestampMs: detectedMs, data, keys, head: { type: 'event' } }
  })
}

const statusUpdate = defineMessage('status_update', {
  tx_hash: Wire.Hash,
  token_id: Wire.TokenId,
  block_number: Wire.Count,
  confirmed_at: Wire.Ms,
  pending_detected_at: nullable(Wire.Ms),
  latency_ms: nullable(Wire.Count),
  taker_wallet: Wire.Address,
  maker_wallets: Type.Array(Wire.Address),
  order_hashes: Type.Array(Wire.Hash),
  confirmed_fills: Type.Array(
    closed({
      order_hash: Wire.Hash,
      maker: Wire.Address,
      taker: Wire.Address,
      token_id: Wire.TokenId,
      ...TRADED,
      fee: nullable(Wire.Amount),
    }),
  ),
  ...optional({ outcome: Wire.Text, ...MARKET }),
})

/** A match is in a block. */
export function statusUpdateEvent(
  match: Match,
  { block, confirmedMs, detectedMs }: Confirmation,
  enricher: Enricher,
): EventDraft {
  const { txHash, taker, rows } = match
  const token = enricher.token(taker.token)
  const fills = rows.map((row) => ({
    order_hash: row.orderHash,
    maker: row.maker,
    taker: row.taker,
    token_id: enricher.tokenId(row.token),
    ...presentTraded(row),
    fee: row.fee === undefined ? null : toDecimal(row.fee),
  }))
  return statusUpdate.draft(
    confirmedMs,
    {
      tx_hash: txHash,
      token_id: token.id,
      block_number: block,
      confirmed_at: confirmedMs,
      pending_detected_at: detectedMs ?? null,
      latency_ms: detectedMs === undefined ? null : confirmedMs - detectedMs,
      taker_wallet: taker.maker,
      maker_wallets: distinct(rows.filter(({ isTaker }) => !isTaker).map(({ maker }) => maker)),
      order_hashes: rows.map((row) => row.orderHash),
      confirmed_fills: fills,
      outcome: token.outcome,
      ...token.market,
    },
    keysOf(match, token, fills, 'confirmed'),
  )
}

const trade = defineLogMessage('trade', {
  exchange: Type.Union([Type.Literal('ctf_exchange'), Type.Literal('neg_risk_ctf_exchange')]),
  maker: Wire.Address,
  taker: Wire.Address,
  token_id: Wire.TokenId,
  ...TRADED,
  fee: nullable(Wire.Amount),
  order_hash: Wire.Hash,
  ...optional({ exchange_version: Wire.Text, outcome: Wire.Text, ...MARKET }),
})

function tradeEvent(fact: FillFact, enricher: Enricher): EventDraft {
  const { id, outcome, market } = enricher.token(fact.token)
  return trade.draft(
    fact,
    {
      exchange: fact.negRisk ? 'neg_risk_ctf_exchange' : 'ctf_exchange',
      maker: fact.wallet,
      taker: fact.taker,
      token_id: id,
      ...presentTraded(fact),
      fee: toDecimal(feeInMoney(fact)),
      order_hash: fact.orderHash,
      exchange_version: exchangeVersion(fact.generation),
      outcome,
      ...market,
    },
    {
      wallets: [fact.wallet, fact.taker],
      tokens: [id],
      market,
      side: fact.side,
      usd: fact.usd,
    },
  )
}

/** Trades of market tokens; those of combos are in `combo-match.ts`. */
export const matchFamily = {
  messages: [settlement, fill, statusUpdate, trade],
  *fromBlock({ fills, matches }, enricher) {
    for (const fact of fills)
      if (!isCombo(fact.token)) yield { seq: fact.seq, event: tradeEvent(fact, enricher) }
    for (const { match, seq, confirmation, isNew } of matches) {
      if (confirmation === undefined || isCombo(match.taker.token)) continue
      if (isNew) {
        const detection = { detectedMs: confirmation.confirmedMs, block: confirmation.block }
        yield { seq, event: settlementEvent(match, detection, enricher) }
        for (const event of fillEvents(match, detection, enricher)) yield { seq, event }
      }
      yield { seq, event: statusUpdateEvent(match, confirmation, enricher) }
    }
  },
} as const satisfies MessageFamily

/** Price, size and what both sides give. */
function presentTraded({ side, usd, shares }: Pick<MatchRow, 'side' | 'usd' | 'shares'>) {
  const [made, taken] = side === 'BUY' ? [usd, shares] : [shares, usd]
  return {
    side,
    price: toPrice(usd, shares),
    size: toDecimal(shares),
    maker_amount: made.toString(),
    taker_amount: taken.toString(),
  }
}

/** The first exchanges have no version. */
const exchangeVersion = (generation: Generation): string | undefined =>
  generation === 1 ? undefined : `v${generation}`

/** A match is found by every wallet in it, and is as large as what its taker traded. */
function keysOf(
  { taker, rows, conditionId }: Match,
  { market }: EnrichedToken,
  traded: readonly { token_id: string }[],
  status: EventKeys['status'],
): KeyParts {
  return {
    wallets: [taker.maker, ...rows.map(({ maker }) => maker)],
    tokens: traded.map(({ token_id }) => token_id),
    market,
    conditionId,
    side: taker.side,
    usd: taker.usd,
    status,
  }
}
