import { toTokenId } from '../../core/ids.js'
import { toDecimal, toPrice } from '../../core/money.js'
import { logIndexOf } from '../../core/seq.js'
import {
  presentEventOfMarket,
  presentMarketBlock,
  presentStructuredMarket,
  type TokenMarket,
} from '../market-block.js'
import type { TradeGroupRow, TradeRow } from './queries.js'

export type WithMarket<Row> = Row & { market: TokenMarket }

const COLLATERAL = '0'
export const NO_BUILDER = `0x${'0'.repeat(64)}`

export function presentTrade(row: WithMarket<TradeRow>) {
  const { market, isSell, usd, shares, txHash, orderHash } = row
  const token = toTokenId(market.token)
  const money = { asset: COLLATERAL, amount: toDecimal(usd) }
  const tokens = { asset: token, amount: toDecimal(shares) }
  const [given, received] = isSell ? [tokens, money] : [money, tokens]
  return {
    id: `${txHash}_${orderHash}_${logIndexOf(row.seq)}`,
    maker: row.maker,
    taker: row.taker,
    maker_asset_id: given.asset,
    taker_asset_id: received.asset,
    maker_amount: given.amount,
    taker_amount: received.amount,
    amount_usd: money.amount,
    token_id: token,
    asset: token,
    size: tokens.amount,
    amount: tokens.amount,
    fee: toDecimal(row.fee),
    price: toPrice(usd, shares),
    timestamp: `${row.timeSec}`,
    transaction_hash: txHash,
    order_hash: orderHash,
    builder: row.builder ?? NO_BUILDER,
    side: sideOf(row),
    role: row.role,
    direction: directionOf(row),
    is_taker_order: row.isTakerOrder,
    ...presentMarketBlock(market),
    ...presentEventOfMarket(market),
    ...presentStructuredMarket(market),
  }
}

/** A trade as its wallet made it: all its fills of a token in one transaction. */
export const presentUserTrade = (row: WithMarket<TradeGroupRow>) =>
  presentTrade({ ...row, usd: row.totalUsd, shares: row.totalShares, fee: row.totalFee })

export function presentOrder(row: WithMarket<TradeGroupRow>) {
  const { market, totalUsd, totalShares } = row
  return {
    order_hash: row.orderHash,
    fill_count: row.fillCount,
    avg_price: toPrice(totalUsd, totalShares),
    total_amount_usd: toDecimal(totalUsd),
    total_usd: toDecimal(totalUsd),
    total_shares: toDecimal(totalShares),
    total_fee: toDecimal(row.totalFee),
    total_maker_amount: toDecimal(row.totalMakerAmount),
    total_taker_amount: toDecimal(row.totalTakerAmount),
    first_fill_at: row.firstSec,
    last_fill_at: row.timeSec,
    timestamp: `${row.timeSec}`,
    tx_hashes: row.txHashes,
    ...presentMarketBlock(market),
    ...presentStructuredMarket(market),
    direction: directionOf(row),
    role: row.role,
    side: sideOf(row),
    is_taker_order: tookOf(row),
    maker: row.maker,
    taker: row.taker,
  }
}

/** An order may take at first and rest with what is left of it: null then. */
const tookOf = ({ fillCount, takerFillCount }: TradeGroupRow): boolean | null =>
  takerFillCount === 0 ? false : takerFillCount === fillCount ? true : null

/** What the owner of the order does. The first exchange does not log it as such. */
const sideOf = ({ generation, isSell }: TradeRow): 0 | 1 | null => (generation === 1 ? null : isSell ? 1 : 0)

/** What the row's wallet does: its own order says so, and without one it is the owner's opposite. */
function directionOf({ role, isSell, isOwnSell }: TradeRow): 'BUY' | 'SELL' {
  const sells = role === 'maker' ? isSell : (isOwnSell ?? !isSell)
  return sells ? 'SELL' : 'BUY'
}
