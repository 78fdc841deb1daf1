import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { notFound } from '../core/errors.js'
import { toTokenId } from '../core/ids.js'
import { toDecimal } from '../core/money.js'
import type { Page } from '../core/page.js'
import { toMicrosecondText } from '../core/unix-time.js'
import { defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList } from '../http/list.js'
import { ConditionId, Order, oneOf, SearchText, Slug, TimeBounds, TokenId } from '../http/parameters.js'
import { Decimal, MillisecondsText, UtcText } from '../http/row-fields.js'
import { errorReply } from '../lib/error-reply.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { PriceSourceField, presentStructuredMarket, StructuredMarket } from '../lookups/market-block.js'
import { worthOf } from '../lookups/position.js'
import { isSearchable, toQueryWords } from '../lookups/query-words.js'
import { selectSeqRange } from '../lookups/seq-range.js'
import type { Sql } from '../store/connection.js'
import {
  type CatalogueScope,
  keyOfCatalogueId,
  resolveCatalogueFilters,
  selectCatalogueIds,
} from './catalogue-page.js'
import {
  categoryOf,
  presentCondition,
  presentDate,
  presentResolution,
  presentWholeMarket,
} from './present.js'
import {
  hasEventText,
  type ListedEvent,
  type ListedMarket,
  type PricedToken,
  selectCondition,
  selectListedEvents,
  selectListedMarkets,
  selectMarketOfSlug,
  selectMarketsOfConditions,
  selectPricedToken,
  selectResolutions,
} from './queries.js'
import {
  CatalogueParameters,
  Category,
  DatedMarketRow,
  EndDate,
  Liquidity,
  TagLabels,
  Volume,
  WholeMarketRow,
  WinningOutcome,
} from './schemas.js'

export const markets = defineList({
  path: '/v3/markets',
  operationId: 'listMarkets',
  summary: 'Markets',
  description:
    'Markets of the catalogue, those of most volume first. Labels and slugs of tags are compared without regard to capitals, and `-` is a space. Rows without the value of `sort` come last in descending order.',
  tag: 'markets',
  access: V3,
  narrowBy: ['event_slug', 'closed=false'],
  query: Type.Object({
    ...CatalogueParameters,
    event_slug: Type.Optional(Slug),
    neg_risk: Type.Optional(Type.Boolean({ description: 'whether it is one of several outcomes' })),
    sort: oneOf(['volume_all_time', 'liquidity', 'created_at', 'end_date'], 'order of the rows', {
      default: 'volume_all_time',
    }),
    order: Order,
  }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: DatedMarketRow,
    select: selectCatalogueIds,
    keyOf: keyOfCatalogueId,
    complete: (sql, rows) => selectListedMarkets(sql, rows),
    present: (market) => ({
      ...presentWholeMarket(market),
      created_at: presentDate(market.createdSec),
    }),
  }),
  resolve: async (sql, { sort, order, closed, ...filterValues }): Promise<CatalogueScope | undefined> => {
    const filters = await resolveCatalogueFilters(sql, filterValues)
    if (filters === undefined) return undefined
    return { table: 'markets', sort, isAscending: order === 'asc', isClosed: closed, filters }
  },
})

/** A list that has one row at most. */
const ONE_ROW = { name: 'data', limit: 1, limitMax: 1, hasCursors: false, repeatsPath: false }

const oneMarketView = createView({
  row: WholeMarketRow,
  select: async (_sql: Sql, { found }: { found: ListedMarket[] }, { offset }: Page) => found.slice(offset),
  keyOf: ({ id }) => [id],
  present: presentWholeMarket,
})

const marketOfSlug = defineList({
  path: '/v3/markets/slug/:slug',
  operationId: 'getMarketOfSlug',
  summary: 'The market of a slug',
  description: 'One row, or none when the catalogue does not have the slug.',
  tag: 'markets',
  access: V3,
  params: Type.Object({ slug: Slug }),
  page: ONE_ROW,
  view: oneMarketView,
  resolve: async (sql, { slug }) => ({ found: await selectMarketOfSlug(sql, slug) }),
})

const marketOfCondition = defineList({
  path: '/v3/markets/condition/:condition_id',
  operationId: 'getMarketOfCondition',
  summary: 'The market of a condition',
  description: 'One row, or none when the catalogue does not have the condition.',
  tag: 'markets',
  access: V3,
  params: Type.Object({ condition_id: ConditionId }),
  page: ONE_ROW,
  view: oneMarketView,
  resolve: async (sql, { condition_id: condition }) => ({
    found: [...(await selectMarketsOfConditions(sql, [condition])).values()],
  }),
})

export const marketListRoutes = endpointRoutes([markets, marketOfCondition, marketOfSlug])

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

const tokenPrice = defineAnswer({
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

const tokenInfo = defineList({
  path: '/v3/tokens/:token_id',
  operationId: 'getToken',
  summary: 'An outcome token',
  description: 'The price of an outcome token and the market that it belongs to, as one row.',
  tag: 'markets',
  access: V3,
  errors: { 404: NOT_FOUND },
  params: Type.Object({ token_id: TokenId }),
  page: ONE_ROW,
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

const Numerators = Type.Array(Type.Integer({ minimum: 0 }), {
  description: 'the part of each outcome',
})
const Question = {
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  outcomes: nullable(Type.Array(Type.String())),
}

const conditionInfo = defineAnswer({
  path: '/v3/conditions/:condition_id',
  operationId: 'getCondition',
  summary: 'A condition',
  description:
    'What the chain has of a condition, and its market. Before the result all numerators are 0, and the denominator too. Fields of the market are null when the catalogue does not have it.',
  tag: 'markets',
  access: V3,
  errors: { 404: errorReply('Neither the chain nor the catalogue has the condition') },
  params: Type.Object({ condition_id: ConditionId }),
  reply: namedObject('Condition', {
    id: Type.String(),
    position_ids: Type.Array(Type.String(), { description: 'outcome tokens, by outcome' }),
    payout_numerators: Numerators,
    payout_denominator: Type.String({ description: 'the sum of the numerators' }),
    ...Question,
    end_date: EndDate,
    active: nullable(Type.Boolean()),
    closed: nullable(Type.Boolean()),
    neg_risk: nullable(Type.Boolean()),
    event_slug: nullable(Type.String()),
    event_title: nullable(Type.String()),
    category: Category,
    liquidity: nullable(Liquidity),
    volume: nullable(Volume),
    tags: TagLabels,
    winning_outcome_index: WinningOutcome,
  }),
  answer: async ({ sql }, { condition_id: id }) => {
    const [chain, markets] = await Promise.all([
      selectCondition(sql, id),
      selectMarketsOfConditions(sql, [id]),
    ])
    const market = markets.get(id)
    if (chain === undefined && market === undefined) throw notFound()
    return presentCondition(id, chain, market)
  },
})

export const resolutions = defineList({
  path: '/v3/resolutions',
  operationId: 'listResolutions',
  summary: 'Results of conditions',
  description: 'The results that the chain reports, newest first, with the market of each.',
  tag: 'markets',
  access: V3,
  narrowBy: ['condition_id', 'after', 'before'],
  query: Type.Object({ ...TimeBounds, condition_id: Type.Optional(ConditionId) }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: namedObject('Resolution', {
      condition_id: Type.String(),
      payout_numerators: Numerators,
      payout_denominator: Type.Integer({ minimum: 0, description: 'the sum of the numerators' }),
      resolved_at: MillisecondsText('Unix milliseconds of the block'),
      created_at: UtcText({ examples: ['2026-11-15 12:00:00.000000'] }),
      ...Question,
      category: Category,
    }),
    select: selectResolutions,
    keyOf: ({ seq }) => [seq],
    present: presentResolution,
  }),
  resolve: async (sql, { condition_id: condition, ...times }, { until }) => {
    const range = await selectSeqRange(sql, times, until)
    return range === undefined ? undefined : { ...range, condition }
  },
})

const ListedEventRow = namedObject('Event', {
  event_id: Type.Integer(),
  event_slug: nullable(Type.String()),
  event_title: nullable(Type.String()),
  category: Category,
  tag_slugs: TagLabels,
  market_count: Type.Integer({ minimum: 0 }),
  active: Type.Boolean(),
  closed: Type.Boolean(),
  neg_risk: Type.Boolean(),
  volume_all_time: Volume,
  liquidity: Liquidity,
  end_date: EndDate,
  image: nullable(Type.String()),
  condition_ids: Type.Array(Type.String()),
})

const presentListedEvent = (event: ListedEvent) => ({
  event_id: event.id,
  event_slug: event.slug,
  event_title: event.title,
  category: categoryOf(event),
  tag_slugs: event.tags,
  market_count: event.marketCount,
  active: event.active,
  closed: event.closed,
  neg_risk: event.negRisk,
  volume_all_time: event.volume,
  liquidity: event.liquidity,
  end_date: presentDate(event.endSec),
  image: event.image,
  condition_ids: event.conditions,
})

export const events = defineList({
  path: '/v3/events',
  operationId: 'listEvents',
  summary: 'Events',
  description:
    'Events of the catalogue, which are groups of markets, those of most volume first. `q` finds events with all its words in title or slug.',
  tag: 'markets',
  access: V3,
  narrowBy: ['q', 'tag_slug', 'closed=false'],
  query: Type.Object({
    ...CatalogueParameters,
    q: Type.Optional(SearchText),
    sort: oneOf(
      ['volume_all_time', 'liquidity', 'market_count', 'created_at', 'end_date'],
      'order of the rows',
      { default: 'volume_all_time' },
    ),
    order: Order,
  }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: ListedEventRow,
    select: selectCatalogueIds,
    keyOf: keyOfCatalogueId,
    complete: selectListedEvents,
    present: presentListedEvent,
  }),
  resolve: async (sql, input): Promise<CatalogueScope | undefined> => {
    const { sort, order, closed, q, ...filterValues } = input
    const words = q === undefined ? undefined : toQueryWords(q)
    const filters = await resolveCatalogueFilters(sql, filterValues)
    if (filters === undefined || (words !== undefined && !isSearchable(words))) return undefined
    return {
      table: 'events',
      sort,
      isAscending: order === 'asc',
      isClosed: closed,
      filters: words === undefined ? filters : [...filters, hasEventText(sql, words)],
    }
  },
})

/** What `/v3` has of tokens, conditions and events. */
export const catalogueRoutes = endpointRoutes([tokenPrice, tokenInfo, conditionInfo, resolutions, events])
