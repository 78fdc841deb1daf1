import { Type } from 'typebox'
import { toDecimal, toPrice } from '../../core/money.js'
import { Decimal, TradeSideField, UnixTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import type { Sql } from '../../store/connection.js'
import {
  type PlatformMarket,
  PlatformMarketFields,
  presentPlatformMarket,
  withPlatformMarkets,
} from '../platform-market.js'
import { withUsernames } from '../usernames.js'
import type { TradeRow } from './queries.js'

const Unknown = Type.String({ description: 'kept by the platform alone: empty' })

/** A fill from the side of the owner of its order, in the names of the platform's Data API. */
export const PlatformTrade = namedObject('PlatformTrade', {
  proxyWallet: Type.String({ description: 'owner of the order' }),
  side: TradeSideField('what the owner of the order does'),
  ...PlatformMarketFields,
  size: Decimal('shares'),
  price: Decimal('dollars for a share, without the fee, 4 decimals'),
  timestamp: UnixTime('Unix seconds of the block'),
  name: Type.String({ description: 'the public name of the wallet; empty until it was looked up here' }),
  pseudonym: Unknown,
  bio: Unknown,
  profileImage: Unknown,
  profileImageOptimized: Unknown,
  transactionHash: Type.String(),
})

export type PlatformTradeRow = TradeRow & { listed: PlatformMarket; username: string }

/** Adds markets and names to the trades of a page; those that a reorganisation reverted meanwhile are left out. */
export async function withPlatformNames(sql: Sql, rows: readonly TradeRow[]): Promise<PlatformTradeRow[]> {
  const listed = await withPlatformMarkets(
    sql,
    rows.filter(({ isGone }) => !isGone),
  )
  return await withUsernames(sql, listed, ({ maker }) => maker)
}

export const presentPlatformTrade = (row: PlatformTradeRow) => ({
  proxyWallet: row.maker,
  side: row.isSell ? ('SELL' as const) : ('BUY' as const),
  ...presentPlatformMarket(row.listed),
  size: toDecimal(row.shares),
  price: toPrice(row.usd, row.shares),
  timestamp: row.timeSec,
  name: row.username,
  pseudonym: '',
  bio: '',
  profileImage: '',
  profileImageOptimized: '',
  transactionHash: row.txHash,
})
