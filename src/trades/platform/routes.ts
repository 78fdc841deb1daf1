import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { toTokenId } from '../../core/ids.js'
import { toDecimal, toPrice } from '../../core/money.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { Address, AddressList, oneOf, toAddresses } from '../../http/parameters.js'
import { Decimal, TradeSideField, UnixTime } from '../../http/row-fields.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { selectWalletId, selectWalletIds } from '../../lookups/ids.js'
import {
  MarketIdPath,
  outcomeNameOf,
  PlatformPage,
  requireMarketTokens,
} from '../../lookups/platform-market.js'
import { selectSeqRange, sinceNamed } from '../../lookups/seq-range.js'
import {
  PlatformTrade,
  type PlatformTradeRow,
  presentPlatformTrade,
  withPlatformNames,
} from '../../lookups/trades/platform-trades.js'
import { selectTrades, type TradeScope } from '../../lookups/trades/queries.js'
import type { Sql } from '../../store/connection.js'

const PageEcho = { count: Type.Integer({ minimum: 0 }), limit: Type.Integer(), offset: Type.Integer() }

type Filter = Pick<TradeScope, 'wallet' | 'wallets' | 'tokens' | 'isTakerOrder' | 'isSell'>

/** A page of trades, newest first, with markets and names. */
async function selectNewest(
  sql: Sql,
  filter: Partial<Filter>,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<PlatformTradeRow[]> {
  const range = await selectSeqRange(sql, {})
  if (range === undefined) return []
  const { wallet, tokens } = filter
  const scope: TradeScope = {
    ...(await sinceNamed(sql, range, { wallet, tokens })),
    ...filter,
    roles: ['maker'],
  }
  return await withPlatformNames(
    sql,
    await selectTrades(sql, 'market', scope, { limit, offset, after: undefined }),
  )
}

const walletTradesV1 = defineAnswer({
  path: '/v1/wallets/:address/trades',
  operationId: 'listPlatformWalletTrades',
  summary: 'Trades of a wallet, in the names of the platform',
  description:
    'The fills of the orders of a wallet, newest first, in the field names of the platform’s Data API. Combos are left out.',
  tag: 'trades',
  access: { ...STANDARD, cost: 'page' },
  hasElapsed: false,
  params: Type.Object({ address: Address }),
  query: Type.Object(PlatformPage),
  reply: namedObject('PlatformWalletTrades', {
    wallet: Type.String(),
    ...PageEcho,
    trades: Type.Array(PlatformTrade),
  }),
  answer: async ({ sql }, { address, limit, offset }) => {
    const wallet = await selectWalletId(sql, address)
    const rows = wallet === undefined ? [] : await selectNewest(sql, { wallet }, { limit, offset })
    return { wallet: address, count: rows.length, limit, offset, trades: rows.map(presentPlatformTrade) }
  },
})

const marketTradesV1 = defineAnswer({
  path: '/v1/markets/:id/trades',
  operationId: 'listPlatformMarketTrades',
  summary: 'Trades of a market, in the names of the platform',
  description:
    'The trades in all outcomes of a market, newest first. Each match is one row, that of the order that took; with `user` the rows are those of the orders of these wallets, whether they took or rested.',
  tag: 'trades',
  access: { ...STANDARD, cost: 'page' },
  hasElapsed: false,
  narrowBy: ['user'],
  errors: { 404: errorReply('Neither the chain nor the catalogue has the market') },
  params: MarketIdPath,
  query: Type.Object({
    user: Type.Optional(AddressList),
    side: Type.Optional(
      oneOf(['BUY', 'SELL'], 'what the owner of the order does', { format: 'any-case-capitals' }),
    ),
    ...PlatformPage,
  }),
  reply: namedObject('PlatformMarketTrades', {
    market: Type.String({ description: 'as it was asked for' }),
    ...PageEcho,
    trades: Type.Array(PlatformTrade),
  }),
  answer: async ({ sql }, { id, user, side, limit, offset }) => {
    const tokens = await requireMarketTokens(sql, id)
    const wallets = user === undefined ? undefined : await selectWalletIds(sql, toAddresses(user))
    const isEmpty = tokens.length === 0 || wallets?.length === 0
    const filter = {
      tokens,
      ...(wallets === undefined ? { isTakerOrder: true } : { wallets }),
      isSell: side === undefined ? undefined : side === 'SELL',
    }
    const rows = isEmpty ? [] : await selectNewest(sql, filter, { limit, offset })
    return { market: id, count: rows.length, limit, offset, trades: rows.map(presentPlatformTrade) }
  },
})

const NEWEST_MAX = 50

const NewestTrade = namedObject('NewestTrade', {
  wallet: Type.String({ description: 'owner of the order that took' }),
  name: PlatformTrade.properties.name,
  side: TradeSideField('what the owner of the order does'),
  tokenId: Type.String(),
  conditionId: Type.String({ description: 'empty when it is unknown, as the texts below' }),
  title: Type.String(),
  slug: Type.String(),
  eventSlug: Type.String(),
  outcome: Type.String(),
  size: Decimal('shares'),
  price: Decimal('dollars for a share, without the fee, 4 decimals'),
  timestamp: UnixTime('Unix seconds of the block'),
  txHash: Type.String(),
})

const presentNewestTrade = (row: PlatformTradeRow) => ({
  wallet: row.maker,
  name: row.username,
  side: row.isSell ? ('SELL' as const) : ('BUY' as const),
  tokenId: toTokenId(row.listed.token),
  conditionId: row.listed.condition ?? '',
  title: row.listed.title ?? '',
  slug: row.listed.slug ?? '',
  eventSlug: row.listed.eventSlug ?? '',
  outcome: outcomeNameOf(row.listed),
  size: toDecimal(row.shares),
  price: toPrice(row.usd, row.shares),
  timestamp: row.timeSec,
  txHash: row.txHash,
})

const newestTrades = defineAnswer({
  path: '/v1/activity',
  operationId: 'listNewestTrades',
  summary: `The ${NEWEST_MAX} newest trades`,
  description: 'The last matches of all markets, each from the side of the order that took, without combos.',
  tag: 'trades',
  access: { ...STANDARD, cost: 'page' },
  hasElapsed: false,
  reply: namedObject('NewestTrades', {
    count: Type.Integer({ minimum: 0 }),
    trades: Type.Array(NewestTrade),
  }),
  answer: async ({ sql }) => {
    const rows = await selectNewest(sql, { isTakerOrder: true }, { limit: NEWEST_MAX })
    return { count: rows.length, trades: rows.map(presentNewestTrade) }
  },
})

export const platformTradeRoutes = endpointRoutes([walletTradesV1, marketTradesV1, newestTrades])
