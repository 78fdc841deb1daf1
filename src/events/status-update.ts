import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import { toDecimal } from '../core/money.js'
import { enrichToken } from './enrichment.js'
import { distinct, keysOfMatch } from './keys.js'
import { type Match, type MatchRow, tradedFields } from './match.js'
import { toTokenId } from './structured-id.js'

/** A match is in a block. `detectedMs` is `undefined` if nobody saw it before. */
export type Confirmation = { block: number; confirmedMs: number; detectedMs: number | undefined }

export function statusUpdateEvent(
  match: Match,
  { block, confirmedMs, detectedMs }: Confirmation,
  markets: MarketLookup,
): EventDraft {
  const { txHash, taker, rows } = match
  const token = enrichToken(markets, taker.token)
  const fills = rows.map(presentFill)
  return {
    type: 'status_update',
    timestampMs: confirmedMs,
    data: {
      event_type: 'status_update',
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
    keys: keysOfMatch(
      match,
      token,
      fills.map(({ token_id }) => token_id),
      'confirmed',
    ),
  }
}

function presentFill(row: MatchRow) {
  return {
    order_hash: row.orderHash,
    maker: row.maker,
    taker: row.taker,
    token_id: toTokenId(row.token),
    ...tradedFields(row),
    fee: row.fee === undefined ? null : toDecimal(row.fee),
  }
}
