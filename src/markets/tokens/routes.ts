import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import { toDecimal } from '../../core/money.js'
import type { Page } from '../../core/page.js'
import { toTokenId } from '../../core/token-id.js'
import { toMicrosecondText } from '../../core/unix-time.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { TokenId } from '../../http/parameters.js'
import { Decimal, UtcText } from '../../http/row-fields.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { PriceSourceField, presentStructuredMarket, StructuredMarket } from '../../lookups/market-block.js'
import { worthOf } from '../../lookups/position.js'
import type { Sql } from '../../store/connection.js'
import { categoryOf } from '../listing/present.js'
import { Category, TagLabels } from '../listing/schemas.js'
import { type PricedToken, selectPricedToken } from './queries.js'

const NOT_FOUND = errorReply('Neither the chain nor the catalogue has the token')

const Priced = {
  token_id: Type.String(),
  price: Decimal('dollars for a share; 0 when there is none yet', { minimum: 0 }),
  resolved: Type.Boolean({ description: 'whether the chain has the result' }),
  source: nullable(
    PriceSourceField,
    'the best there is, in this order: result, middle of the order book, result of the condition, last fill',
  ),
  updated_at: nullable(UtcText({ examples: ['2026-11-15 12:00:00.000000'] })),
}

const presentPriced = ({ token, price, source, isResolved, pricedAtMs }: PricedToken) => ({
  token_id: toTokenId(token),
  price: toDecimal(worthOf(1_000_000n, price)),
  resolved: isResolved,
  source,
  updated_at: pricedAtMs === null ? null : toMicrosecondText(pricedAtMs),
})

async function selectKnownToken(sql: Sql, tokenId: string): Promise<PricedToken> {
  const token = await selectPricedToken(sql, tokenId)
  if (token === undefined) throw notFound()
  return token
}

export const tokenPrice = defineAnswer({
  path: '/v3/markets/:token_id/price',
  operationId: 'getTokenPrice',
  summary: 'Price of an outcome token',
  description: 'What a share is worth now, and where the price comes from.',
  tag: 'markets',
  access: V3,
  errors: { 404: NOT_FOUND },
  params: Type.Object({ token_id: TokenId }),
  reply: namedObject('TokenPrice', Priced),
  answer: async ({ sql }, { token_id: tokenId }) => presentPriced(await selectKnownToken(sql, tokenId)),
})

export const tokenInfo = defineList({
  path: '/v3/tokens/:token_id',
  operationId: 'getToken',
  summary: 'An outcome token',
  description: 'The price of an outcome token and the market that it belongs to, as one row.',
  tag: 'markets',
  access: V3,
  errors: { 404: NOT_FOUND },
  params: Type.Object({ token_id: TokenId }),
  query: Type.Object({}),
  page: { name: 'data', limit: 1, limitMax: 1, hasCursors: false, repeatsPath: false },
  view: createView({
    row: namedObject('Token', {
      ...Priced,
      condition_id: nullable(Type.String()),
      outcome: nullable(Type.String()),
      outcome_index: nullable(Type.Integer({ minimum: 0 })),
      question: nullable(Type.String()),
      slug: nullable(Type.String()),
      category: Category,
      tag_slugs: TagLabels,
      ...StructuredMarket,
    }),
    select: async (_sql: Sql, token: PricedToken, { offset }: Page) => [token].slice(offset),
    keyOf: ({ token }) => [token],
    present: (token) => ({
      ...presentPriced(token),
      condition_id: token.condition,
      outcome: token.market?.outcomes[token.outcome ?? -1] ?? null,
      outcome_index: token.outcome,
      question: token.market?.question ?? null,
      slug: token.market?.slug ?? null,
      category: categoryOf({ tags: token.market?.tags ?? null }),
      tag_slugs: token.market?.tags ?? null,
      ...presentStructuredMarket(token),
    }),
  }),
  resolve: (sql, { token_id: tokenId }) => selectKnownToken(sql, tokenId),
})

export const tokenRoutes = endpointRoutes([tokenPrice, tokenInfo])
