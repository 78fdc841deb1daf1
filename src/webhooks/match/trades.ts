import { toTokenId } from '../../core/ids.js'
import { toDecimal, toPrice } from '../../core/money.js'
import { logIndexOf } from '../../core/seq.js'
import { NO_BUILDER } from '../../lookups/trades/present.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import type { FactSlice, SliceFill } from './fact-slice.js'
import { marketKeys, type SliceMarket, tokenFields } from './slice-markets.js'

/**
 * One occurrence for each OrderFilled log, as in `GET /v3/trades`. Which of them are large or a
 * builder's is what the filters of these types say, which a webhook cannot do without.
 */
export const trades: Detector = {
  types: ['trade', 'large_trade', 'builder_trade', 'first_trade'],
  async detect(slice) {
    const fills = await readTrades(slice)
    const occurrences = fills.flatMap((trade) => [
      ...(slice.asksFor('trade') ? [toOccurrence('trade', trade)] : []),
      ...(slice.asksFor('large_trade') ? [toOccurrence('large_trade', trade)] : []),
      ...(slice.asksFor('builder_trade') ? [toOccurrence('builder_trade', trade)] : []),
      ...(trade.fill.isFirstOfMaker ? [toFirstTrade(trade)] : []),
    ])
    return { occurrences }
  },
}

export type SliceTrade = { fill: SliceFill; market: SliceMarket }

/** The fills of the facts with their markets. */
export async function readTrades(slice: FactSlice): Promise<SliceTrade[]> {
  const fills = await slice.fills()
  const marketOf = await slice.markets.ofTokens(fills.map(({ token }) => token))
  return fills.map((fill) => ({ fill, market: marketOf(fill.token) }))
}

function toOccurrence(
  type: 'trade' | 'large_trade' | 'builder_trade',
  { fill, market }: SliceTrade,
): Occurrence {
  const { seq, timeSec } = fill
  return {
    type,
    seq,
    timeSec,
    identity: identityOf(fill),
    keys: keysOf(fill, market),
    present: () => presentFill(fill, market),
  }
}

/** Each wallet has one: an order of its own is filled, also when it took. A wallet is announced once. */
function toFirstTrade({ fill, market }: SliceTrade): Occurrence {
  const { seq, timeSec, maker } = fill
  const present = (): WebhookPayload<'first_trade'> => ({
    ...presentFill(fill, market),
    wallet: maker,
  })
  return { type: 'first_trade', seq, timeSec, identity: maker, keys: keysOf(fill, market), present }
}

export const identityOf = ({ txHash, ordinal }: { txHash: string; ordinal: number }): string =>
  `${txHash} ${ordinal}`

const keysOf = (fill: SliceFill, market: SliceMarket): Occurrence['keys'] => ({
  wallets: [fill.maker, fill.taker],
  tokenId: toTokenId(fill.token),
  ...marketKeys(market),
  builder: fill.builder ?? undefined,
  usd: fill.usd,
  side: fill.isSell ? 'SELL' : 'BUY',
})

export const presentFill = (fill: SliceFill, market: SliceMarket): WebhookPayload<'trade'> => ({
  id: logIdOf(fill),
  maker: fill.maker,
  taker: fill.taker,
  amount_usd: toDecimal(fill.usd),
  price: toPrice(fill.usd, fill.shares),
  fee_usd: toDecimal(fill.fee),
  direction: fill.isSell ? 'SELL' : 'BUY',
  is_taker_order: fill.isTaker,
  token_id: toTokenId(fill.token),
  ...tokenFields(market, fill.token),
  event_slug: market.eventSlug,
  transaction_hash: fill.txHash,
  order_hash: fill.orderHash,
  builder: fill.builder ?? NO_BUILDER,
  timestamp: String(fill.timeSec),
})

/** The name of a log in payloads. */
export const logIdOf = ({ txHash, seq }: { txHash: string; seq: number }): string =>
  `${txHash}_${logIndexOf(seq)}`
