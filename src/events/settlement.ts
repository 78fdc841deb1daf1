import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import { toDecimal, toPrice } from '../core/money.js'
import { enrichToken } from './enrichment.js'
import { keysOfMatch, toKeys } from './keys.js'
import { exchangeVersion, type Match, type MatchRow, tradedFields } from './match.js'

/** When a match was seen first, and in which block if it was in one by then. */
type Sighting = { detectedMs: number; block: number | undefined }

export function settlementEvent(
  match: Match,
  { detectedMs, block }: Sighting,
  markets: MarketLookup,
): EventDraft {
  const { txHash, taker, rows, conditionId, generation } = match
  const status = block === undefined ? 'pending' : 'confirmed'
  const token = enrichToken(markets, taker.token)
  const version = exchangeVersion(generation)
  const trades = rows.map((row) => presentRow(row, version, markets))
  return {
    type: 'settlement',
    timestampMs: detectedMs,
    data: {
      event_type: 'settlement',
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
    keys: keysOfMatch(
      match,
      token,
      trades.map(({ token_id }) => token_id),
      status,
    ),
  }
}

/** One flat message for each order of the match, always with the same sixteen fields. */
export function fillEvents(
  match: Match,
  { detectedMs, block }: Sighting,
  markets: MarketLookup,
): EventDraft[] {
  return match.rows.map((row) => {
    const { id, outcome, market } = enrichToken(markets, row.token)
    const conditionId = market?.condition_id ?? match.conditionId
    const taker = row.isTaker ? match.exchange : row.taker
    return {
      type: 'fill',
      timestampMs: detectedMs,
      data: {
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
      },
      keys: toKeys({
        wallets: [row.maker, taker],
        tokens: [id],
        market,
        conditionId,
        side: row.side,
        usd: row.usd,
        status: block === undefined ? 'pending' : 'confirmed',
      }),
    }
  })
}

function presentRow(row: MatchRow, version: string | undefined, markets: MarketLookup) {
  const { id, outcome } = enrichToken(markets, row.token)
  return {
    maker: row.maker,
    signer: row.signer,
    taker: row.taker,
    token_id: id,
    ...tradedFields(row),
    outcome,
    order_hash: row.orderHash,
    exchange_version: version,
  }
}
