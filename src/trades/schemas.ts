import { Type } from 'typebox'
import { nullable } from '../lib/nullable.js'
import { EventOfMarket, MarketBlock, StructuredMarket } from '../markets/market-block.js'

const Money = Type.Number({ description: 'dollars' })
const Shares = Type.Number({ description: 'shares' })
const Seconds = Type.String({ description: 'Unix seconds of the block' })

const Owner = {
  side: nullable(
    Type.Integer({ enum: [0, 1] }),
    'what the owner of the order does: 0 buys, 1 sells; null on the first exchange',
  ),
  role: Type.String({
    enum: ['maker', 'taker'],
    description:
      'what the wallet of the request is in the fill: owner of the order or counterparty',
  }),
  direction: Type.String({
    enum: ['BUY', 'SELL'],
    description: 'what the wallet of the request does; without a wallet the owner of the order',
  }),
}

export const Trade = Type.Object({
  id: Type.String({ description: '`<transaction hash>_<order hash>_<log index>`' }),
  maker: Type.String({ description: 'owner of the order' }),
  taker: Type.String({ description: 'counterparty; the exchange when the order itself took' }),
  maker_asset_id: Type.String({ description: '0 is money' }),
  taker_asset_id: Type.String({ description: '0 is money' }),
  maker_amount: Type.Number({ description: 'what the owner gave' }),
  taker_amount: Type.Number({ description: 'what the owner received' }),
  amount_usd: Money,
  token_id: Type.String(),
  asset: Type.String({ description: 'the token again' }),
  size: Shares,
  amount: Shares,
  fee: Type.Number({ description: 'dollars, paid by the owner' }),
  price: Type.Number({ description: 'dollars for a share, without the fee, 4 decimals' }),
  timestamp: Seconds,
  transaction_hash: Type.String(),
  order_hash: Type.String(),
  builder: Type.String({ description: 'zeros: none' }),
  ...Owner,
  ...MarketBlock,
  ...EventOfMarket,
  ...StructuredMarket,
})

export const OrderTrades = Type.Object({
  order_hash: Type.String(),
  fill_count: Type.Integer({ minimum: 1 }),
  avg_price: Type.Number({ description: 'dollars for a share, 4 decimals' }),
  total_amount_usd: Money,
  total_usd: Money,
  total_shares: Shares,
  total_fee: Money,
  total_maker_amount: Type.Number(),
  total_taker_amount: Type.Number(),
  first_fill_at: Type.Integer({ description: 'Unix seconds' }),
  last_fill_at: Type.Integer({ description: 'Unix seconds' }),
  timestamp: Seconds,
  tx_hashes: Type.Array(Type.String()),
  ...MarketBlock,
  ...StructuredMarket,
  ...Owner,
  maker: Type.String(),
  taker: Type.String(),
})

export const PaidFee = Type.Object({
  ...Trade.properties,
  fee_paid: Type.Number({ description: 'dollars' }),
  fee_paid_raw: Type.String({ description: 'millionths' }),
  source: Type.Literal('wallet_fees_paid'),
})

export const PaidFeeSums = {
  page_total_fees_paid: Type.Number({ description: 'dollars, of this page only' }),
  page_total_fees_paid_raw_note: Type.String(),
  fee_semantics: Type.String(),
  after: Type.String({ description: 'Unix seconds, as applied' }),
  before: Type.String({ description: 'Unix seconds, as applied' }),
}
