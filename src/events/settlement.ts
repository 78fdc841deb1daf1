import { Type } from 'typebox'
import type { EventDraft, EventKeys } from '../bus/event.js'
import { toDecimal, toPrice } from '../core/money.js'
import { nullable } from '../lib/nullable.js'
import type { Generation } from '../upstreams/polygon/contracts.js'
import type { EnrichedToken, Enricher } from './enrichment.js'
import type { Detection, Match, MatchRow } from './match.js'
import {
  closed,
  closedRow,
  defineMessage,
  described,
  ENRICHED_TOKEN,
  type KeyFields,
  optional,
  PROTOCOL,
  toKeys,
  type Values,
  Wire,
} from './message.js'

/** Price, size and what both sides give, on every message about a trade. */
export const TRADED = {
  side: Wire.Side,
  price: Wire.Price,
  size: described(Wire.Amount, 'shares'),
  maker_amount: described(Wire.Digits, 'what `maker` gives, in millionths'),
  taker_amount: described(Wire.Digits, 'what `maker` gets, in millionths'),
  is_taker_order: Wire.IsTakerOrder,
}

/** The contracts that an order was filled on. */
export const VENUE = optional({ exchange_version: Wire.ExchangeVersion, ...PROTOCOL })

export function presentTraded({
  side,
  usd,
  shares,
  isTaker,
}: Pick<MatchRow, 'side' | 'usd' | 'shares' | 'isTaker'>) {
  const [made, taken] = side === 'BUY' ? [usd, shares] : [shares, usd]
  return {
    side,
    price: toPrice(usd, shares),
    size: toDecimal(shares),
    maker_amount: made.toString(),
    taker_amount: taken.toString(),
    is_taker_order: isTaker,
  }
}

/** The first exchanges have no version. */
export const exchangeVersion = (generation: Generation): string | undefined =>
  generation === 1 ? undefined : `v${generation}`

export const presentVenue = (generation: Generation, { fields }: EnrichedToken) => ({
  exchange_version: exchangeVersion(generation),
  protocol_version: fields.protocol_version,
  module: fields.module,
})

/** A match is found by every wallet in it, and is as large as what its taker traded. */
export function matchKeys(
  { taker, rows }: Match,
  { market }: EnrichedToken,
  conditionId: string | undefined,
  traded: readonly { token_id: string }[],
  status: EventKeys['status'],
): KeyFields {
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

export const settlement = defineMessage({
  type: 'settlement',
  summary: 'A match was detected: pending in the mempool, or in a block if no node showed it before.',
  examples: {
    'A match in the mempool': { status: 'pending' },
    'A match that no node showed before its block': { status: 'confirmed' },
  },
  canBePending: true,
  fields: {
    tx_hash: described(Wire.Hash, 'the `status_update` of the match has the same'),
    status: Type.Union([Type.Literal('pending'), Type.Literal('confirmed')], {
      description: '`confirmed` only where no node showed the transaction before its block',
    }),
    detected_at: described(Wire.Ms, 'when it was seen first, Unix milliseconds'),
    block_number: nullable(Wire.Count, 'null while pending'),
    taker_wallet: Wire.Address,
    taker_token: described(Wire.TokenId, 'token of the order that takes'),
    taker_side: Wire.Side,
    taker_price: Wire.Price,
    taker_size: described(Wire.Amount, 'shares'),
    trades: Type.Array(
      closedRow('SettlementTrade', {
        maker: described(Wire.Address, 'owner of the order; the row is told from its side'),
        signer: described(
          Wire.Address,
          'who signed the order. Logs do not name it: on confirmed settlements it is `maker`',
        ),
        taker: described(
          Wire.Address,
          "the taker's wallet; on its own row of a confirmed settlement the exchange",
        ),
        token_id: Wire.TokenId,
        ...TRADED,
        ...VENUE,
        ...optional({ outcome: Type.String(), order_hash: Wire.Hash }),
      }),
      { description: 'one row for each order: the makers in the order of the call, then the taker' },
    ),
    exchange_version: Type.Optional(Wire.ExchangeVersion),
    ...ENRICHED_TOKEN,
  },
})

/** A match, when it is detected: pending, or in its block if no node showed it before. */
export function settlementEvent(
  match: Match,
  { detectedMs, block }: Detection,
  enricher: Enricher,
): EventDraft {
  const { txHash, taker, rows, generation } = match
  const status = block === undefined ? 'pending' : 'confirmed'
  const token = enricher.token(taker.token)
  const conditionId = token.conditionId ?? match.conditionId
  const trades = rows.map((row) => {
    const traded = enricher.token(row.token)
    return {
      maker: row.maker,
      // Logs of fills do not name the signer. Clients require one, and the owner may always sign.
      signer: row.signer ?? row.maker,
      taker: row.taker,
      token_id: traded.id,
      ...presentTraded(row),
      outcome: traded.outcome,
      order_hash: row.orderHash,
      ...presentVenue(generation, traded),
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
      exchange_version: exchangeVersion(generation),
      ...token.fields,
      condition_id: conditionId,
    },
    matchKeys(match, token, conditionId, trades, status),
  )
}

const UNKNOWN_MARKET = 'empty while the catalogue does not have the market'

const FILL = {
  order_hash: described(Wire.Hash, 'the order of `user`'),
  user: described(Wire.Address, 'whose fill it is'),
  taker: described(Wire.Address, "the other side; on the taker's own fill the exchange"),
  tx_hash: Wire.Hash,
  side: described(Wire.Side, 'of `user`'),
  price: Wire.Price,
  shares: described(Wire.Count, 'in millionths'),
  shares_normalized: Wire.Amount,
  token_id: Wire.TokenId,
  token_label: Type.String({ description: `the outcome; ${UNKNOWN_MARKET}` }),
  condition_id: Type.Union([Wire.Hash, Type.Literal('')], { description: UNKNOWN_MARKET }),
  market_slug: Type.String({ description: UNKNOWN_MARKET }),
  title: Type.String({ description: UNKNOWN_MARKET }),
  timestamp: Type.Integer({
    maximum: 10_000_000_000,
    description: 'when it was seen first, Unix seconds',
  }),
  block_number: nullable(Wire.Count, 'null while pending'),
  log_index: nullable(Wire.Count, 'null while pending'),
  is_taker_order: Wire.IsTakerOrder,
  ...optional(PROTOCOL),
}

/** Sent as `event`, without a time above its data. */
export const flatFill = {
  type: 'fill' as const,
  summary:
    'The part of one order in a detected match, always with the same 16 fields. Its `type` is `event`.',
  examples: { 'The fill of one order': {} },
  canBePending: true,
  schema: closed({ type: Type.Literal('event'), seq: Wire.Seq, data: closed(FILL) }),
}

/** One for each order of a match, always with the same fields. */
export function fillEvents(match: Match, { detectedMs, block }: Detection, enricher: Enricher): EventDraft[] {
  return match.rows.map((row) => {
    const token = enricher.token(row.token)
    const { id, outcome, market, fields } = token
    const conditionId = token.conditionId ?? match.conditionId
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
      token_label: outcome ?? '',
      condition_id: conditionId ?? '',
      market_slug: market?.market_slug ?? '',
      title: market?.market_title ?? '',
      timestamp: Math.floor(detectedMs / 1000),
      block_number: row.block ?? null,
      log_index: row.logIndex ?? null,
      is_taker_order: row.isTaker,
      protocol_version: fields.protocol_version,
      module: fields.module,
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
    const { type } = flatFill
    return { type, timestampMs: detectedMs, data, keys, head: { type: 'event' } }
  })
}
