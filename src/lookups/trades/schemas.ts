import { Type } from 'typebox'
import { Decimal, FillRoleField, SecondsText, TradeSideField, UnixTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { EventOfMarket, MarketBlock, StructuredMarket } from '../market-block.js'

const Money = Decimal('dollars')
const Shares = Decimal('shares')
const BlockTime = SecondsText('Unix seconds of the block')

const Owner = {
  side: nullable(
    Type.Integer({ title: 'SideNumber', enum: [0, 1] }),
    'what the owner of the order does: 0 buys, 1 sells; null on the first exchange',
  ),
  role: FillRoleField('what the wallet of the request is in the fill: owner of the order or counterparty'),
  direction: TradeSideField('what the wallet of the request does; without a wallet the owner of the order'),
}

const TAKER_ORDER =
  'the row of the order that took, whose counterparty is the exchange; the volume of a market is the sum over these rows'

export const Trade = namedObject('Trade', {
  id: Type.String({ description: '`<transaction hash>_<order hash>_<log index>`' }),
  maker: Type.String({ description: 'owner of the order' }),
  taker: Type.String({ description: 'counterparty; the exchange when the order itself took' }),
  maker_asset_id: Type.String({ description: '0 is money' }),
  taker_asset_id: Type.String({ description: '0 is money' }),
  maker_amount: Decimal('what the owner gave'),
  taker_amount: Decimal('what the owner received'),
  amount_usd: Money,
  token_id: Type.String(),
  asset: Type.String({ description: 'the token again' }),
  size: Shares,
  amount: Shares,
  fee: Decimal('dollars, paid by the owner'),
  price: Decimal('dollars for a share, without the fee, 4 decimals'),
  timestamp: BlockTime,
  transaction_hash: Type.String(),
  order_hash: Type.String(),
  builder: Type.String({ description: 'zeros: none' }),
  ...Owner,
  is_taker_order: Type.Boolean({ description: TAKER_ORDER }),
  ...MarketBlock,
  ...EventOfMarket,
  ...StructuredMarket,
})

export const OrderTrades = namedObject('OrderTrades', {
  order_hash: Type.String(),
  fill_count: Type.Integer({ minimum: 1 }),
  avg_price: Decimal('dollars for a share, 4 decimals'),
  total_amount_usd: Money,
  total_usd: Money,
  total_shares: Shares,
  total_fee: Money,
  total_maker_amount: Decimal(),
  total_taker_amount: Decimal(),
  first_fill_at: UnixTime(),
  last_fill_at: UnixTime(),
  timestamp: BlockTime,
  tx_hashes: Type.Array(Type.String()),
  ...MarketBlock,
  ...StructuredMarket,
  ...Owner,
  is_taker_order: nullable(Type.Boolean(), 'whether the order took; null: it took at first and rested then'),
  maker: Type.String(),
  taker: Type.String(),
})
