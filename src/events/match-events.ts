import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import type { FillFact } from '../chain/facts/fill.js'
import { feeInMoney, toDecimal } from '../core/money.js'
import { isCombo } from '../core/structured-id.js'
import { nullable } from '../lib/nullable.js'
import type { MessageFamily } from './block-facts.js'
import type { Enricher } from './enrichment.js'
import type { Confirmation, Match } from './match.js'
import {
  closedRow,
  defineLogMessage,
  defineMessage,
  described,
  distinct,
  ENRICHED_TOKEN,
  Wire,
} from './message.js'
import {
  exchangeVersion,
  fillEvents,
  flatFill,
  matchKeys,
  presentTraded,
  presentVenue,
  settlement,
  settlementEvent,
  TRADED,
  VENUE,
} from './settlement.js'

const OWN_FILL = "the other side; on the taker's own fill the exchange"

const statusUpdate = defineMessage({
  type: 'status_update',
  summary: 'A match is in a block: when it was detected, and its confirmed fills.',
  examples: { 'A match is in its block': {} },
  fields: {
    tx_hash: described(Wire.Hash, 'that of the settlement'),
    token_id: described(Wire.TokenId, 'token of the order that took'),
    block_number: Wire.Count,
    confirmed_at: Wire.Ms,
    pending_detected_at: described(
      Wire.Ms,
      'Unix milliseconds; `confirmed_at` where no node showed the transaction before its block',
    ),
    latency_ms: described(Wire.Count, 'from the first detection to the confirmation'),
    taker_wallet: Wire.Address,
    maker_wallets: Type.Array(Wire.Address),
    order_hashes: Type.Array(Wire.Hash),
    confirmed_fills: Type.Array(
      closedRow('ConfirmedFill', {
        order_hash: Wire.Hash,
        maker: Wire.Address,
        taker: described(Wire.Address, OWN_FILL),
        token_id: Wire.TokenId,
        ...TRADED,
        fee: nullable(Wire.Amount, 'USDC'),
        ...VENUE,
      }),
    ),
    ...ENRICHED_TOKEN,
  },
})

/** A match is in a block. */
export function statusUpdateEvent(
  match: Match,
  { block, confirmedMs, detectedMs = confirmedMs }: Confirmation,
  enricher: Enricher,
): EventDraft {
  const { txHash, taker, rows, generation } = match
  const token = enricher.token(taker.token)
  const fills = rows.map((row) => {
    const traded = enricher.token(row.token)
    return {
      order_hash: row.orderHash,
      maker: row.maker,
      taker: row.taker,
      token_id: traded.id,
      ...presentTraded(row),
      fee: row.fee === undefined ? null : toDecimal(row.fee),
      ...presentVenue(generation, traded),
    }
  })
  return statusUpdate.draft(
    confirmedMs,
    {
      tx_hash: txHash,
      token_id: token.id,
      block_number: block,
      confirmed_at: confirmedMs,
      pending_detected_at: detectedMs,
      latency_ms: Math.max(0, confirmedMs - detectedMs),
      taker_wallet: taker.maker,
      maker_wallets: distinct(rows.filter(({ isTaker }) => !isTaker).map(({ maker }) => maker)),
      order_hashes: rows.map((row) => row.orderHash),
      confirmed_fills: fills,
      ...token.fields,
    },
    matchKeys(match, token, token.conditionId, fills, 'confirmed'),
  )
}

const trade = defineLogMessage({
  type: 'trade',
  summary: 'One fill of a block, as its log has it.',
  examples: {
    'An order was filled': { exchange_version: 'v2' },
    'In a market of the structured contracts': { exchange_version: 'v3' },
  },
  fields: {
    exchange: Type.Union([Type.Literal('ctf_exchange'), Type.Literal('neg_risk_ctf_exchange')], {
      description: 'the kind of market, also on exchange V3, which serves both',
    }),
    maker: described(Wire.Address, 'owner of the order; the message is told from its side'),
    taker: described(Wire.Address, OWN_FILL),
    token_id: Wire.TokenId,
    ...TRADED,
    fee: nullable(Wire.Amount, 'USDC'),
    order_hash: Wire.Hash,
    exchange_version: Type.Optional(Wire.ExchangeVersion),
    ...ENRICHED_TOKEN,
  },
})

function tradeEvent(fact: FillFact, enricher: Enricher): EventDraft {
  const { id, conditionId, market, fields } = enricher.token(fact.token)
  const isNegRisk = fact.negRisk || fields.module === 'neg_risk'
  return trade.draft(
    fact,
    {
      exchange: isNegRisk ? 'neg_risk_ctf_exchange' : 'ctf_exchange',
      maker: fact.wallet,
      taker: fact.taker,
      token_id: id,
      ...presentTraded(fact),
      fee: toDecimal(feeInMoney(fact)),
      order_hash: fact.orderHash,
      exchange_version: exchangeVersion(fact.generation),
      ...fields,
    },
    {
      wallets: [fact.wallet, fact.taker],
      tokens: [id],
      market,
      conditionId,
      side: fact.side,
      usd: fact.usd,
    },
  )
}

/** Trades of market tokens; those of combos are in `combo-match.ts`. */
export const matchFamily = {
  messages: [settlement, flatFill, statusUpdate, trade],
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
