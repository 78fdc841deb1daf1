import { type Static, Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import { parseMillionths } from '../../core/money.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { ConditionId, oneOf, SearchText, Slug, TokenId, Usd } from '../../http/parameters.js'
import { clampCount } from '../../lib/clamp-count.js'
import { errorReply } from '../../lib/error-reply.js'
import { isSearchable, toQuerySlug, toQueryWords } from '../../lookups/query-words.js'
import { selectTagFilters } from '../../lookups/tag-filter.js'
import type { Sql } from '../../store/connection.js'
import type { TokenCandle } from '../candles/candle.js'
import { type SeriesToken, selectCandles, selectSeriesTokens } from '../candles/queries.js'
import { bucketsUpTo, CANDLE_RESOLUTIONS, type Resolution } from '../candles/window.js'
import { selectListedMarkets, selectMarketOfSlug } from '../queries.js'
import { selectExactMatches, selectFound } from '../search/queries.js'
import { STATS_PERIODS, startHourOf } from '../stats/period.js'
import { needSnapshot } from '../stats/routes.js'
import { presentLiveCandle, presentTokenStats, presentTradedMarket } from './present.js'
import {
  countTradedMarkets,
  type DayTrades,
  type MarketFacts,
  SORTED_MAX,
  selectDayTrades,
  selectKnownMarkets,
  selectTradedMarkets,
  TRADED_SORTS,
  type TradedMarket,
  type TradedScope,
  withOutcomePrices,
} from './queries.js'
import {
  FoundMarketsReply,
  LiveCandlesReply,
  TokenStatsReply,
  TopMarketsReply,
  TradedMarketRow,
  TradedMarketsReply,
} from './schemas.js'

/** What client libraries of hosted services ask beside `/v3`: their shapes, over the same data. */
const HEAD = { tag: 'markets', access: STANDARD, hasElapsed: false } as const

/** The job of the statistics refreshes the snapshot every minute. */
const LIST_CACHE_MS = 5_000

const FROM_SNAPSHOT =
  'Volumes and trades are those of the snapshot `1d` of `/v3/markets/stats`, which is refreshed every minute.'
const NOW = 'Volumes and trades are counted at this moment.'

/** How many rows an answer has. What is out of range is moved into it. */
const countUpTo = (max: number, fallback: number) =>
  Type.Integer({ default: fallback, description: `rows, at most ${max}` })

// Lists.

const TOP_MAX = 1_000

const topMarkets = defineAnswer({
  ...HEAD,
  path: '/v1/markets',
  operationId: 'listTopMarkets',
  summary: 'Markets of most volume in 24 hours',
  description: FROM_SNAPSHOT,
  cacheMs: LIST_CACHE_MS,
  query: Type.Object({ count: countUpTo(TOP_MAX, 100) }),
  reply: TopMarketsReply,
  answer: async (tools, { count }) => {
    const scope: TradedScope = { tagged: [], volumeMin: 0n, isOpen: false, sort: 'volume' }
    const { total, rows } = await readPage(tools, scope, { offset: 0, limit: clampCount(count, TOP_MAX) })
    return { count: rows.length, total, markets: rows }
  },
})

const PAGE_MAX = 500
const OFFSET_MAX = 10_000

const PageParameters = {
  count: countUpTo(PAGE_MAX, 50),
  sort: oneOf(
    TRADED_SORTS,
    `the largest first; \`price\`, of the first outcome, and \`updated\`, the last trade, order the ${SORTED_MAX} of most volume`,
    { title: 'TradedSort', default: 'volume' },
  ),
  min_volume: Type.Optional({ ...Usd, description: 'dollars in 24 hours' }),
  active_only: Type.Boolean({ default: false, description: 'leaves out what is closed or taken off' }),
  cursor: Type.Integer({
    minimum: 0,
    maximum: OFFSET_MAX,
    default: 0,
    description: '`next_cursor` of the page before',
  }),
}

const Category = Type.String({ ...Slug, description: 'label or slug of the first tag', examples: ['crypto'] })

const PageQuery = Type.Object(PageParameters)
type PageInput = Static<typeof PageQuery> & { category?: string | undefined }

async function answerPage(tools: AnswerTools, input: PageInput) {
  const { category, sort, cursor: offset, min_volume: volumeMin = '0', active_only: isOpen } = input
  const tagged = await selectTagFilters(tools.sql, { category })
  const scope = { tagged, volumeMin: parseMillionths(volumeMin), isOpen, sort }
  const limit = clampCount(input.count, PAGE_MAX)
  const { total, rows, hasMore } = await readPage(tools, scope, { offset, limit })
  const next = offset + limit
  return {
    count: rows.length,
    cursor: offset,
    next_cursor: hasMore && next <= OFFSET_MAX ? next : null,
    total,
    markets: rows,
  }
}

const LIST_DESCRIPTION = `Markets with a trade in 24 hours. ${FROM_SNAPSHOT}`

const marketPages = defineAnswer({
  ...HEAD,
  path: '/v1/markets/list',
  operationId: 'listTradedMarkets',
  summary: 'Markets that are traded, page by page',
  description: LIST_DESCRIPTION,
  cacheMs: LIST_CACHE_MS,
  query: Type.Object({ ...PageParameters, category: Type.Optional(Category) }),
  reply: TradedMarketsReply,
  answer: answerPage,
})

const categoryPages = defineAnswer({
  ...HEAD,
  path: '/v2/markets/:category',
  operationId: 'listTradedMarketsOfCategory',
  summary: 'Markets of a category that are traded',
  description: `As \`/v1/markets/list\`. ${LIST_DESCRIPTION}`,
  cacheMs: LIST_CACHE_MS,
  params: Type.Object({ category: Category }),
  query: PageQuery,
  reply: TradedMarketsReply,
  answer: answerPage,
})

/** Throws a 503 while there is no snapshot. */
async function readPage(
  { sql }: AnswerTools,
  scope: TradedScope,
  { offset, limit }: { offset: number; limit: number },
) {
  await needSnapshot(sql, '1d')
  const [total, found] = await Promise.all([
    countTradedMarkets(sql, scope),
    selectTradedMarkets(sql, scope, { offset, limit: limit + 1 }),
  ])
  const shown = found.slice(0, limit)
  const known = await selectKnownMarkets(sql, conditionsOf(shown))
  const markets = shown.flatMap((day) => {
    const market = known.get(day.condition)
    return market === undefined ? [] : [{ ...market, day }]
  })
  const rows = (await withOutcomePrices(sql, markets)).map((market) => presentTradedMarket(market))
  return { total, rows, hasMore: found.length > limit }
}

const conditionsOf = (rows: readonly { condition: string | null }[]): string[] =>
  rows.flatMap(({ condition }) => condition ?? [])

// One market.

const ONE = {
  ...HEAD,
  description: NOW,
  errors: { 404: errorReply('Neither the chain nor the catalogue has the market') },
  reply: TradedMarketRow,
}

const marketOfToken = defineAnswer({
  ...ONE,
  path: '/v1/markets/:token_id',
  operationId: 'getMarketOfToken',
  summary: 'The market of an outcome token',
  params: Type.Object({ token_id: TokenId }),
  answer: async (tools, { token_id: tokenId }) => {
    const { market, outcome } = await readToken(tools, tokenId)
    return presentTradedMarket(market, outcome)
  },
})

const marketOfSlug = defineAnswer({
  ...ONE,
  path: '/v1/markets/slug/:slug',
  operationId: 'getTradedMarketOfSlug',
  summary: 'The market of a slug, with its trades',
  params: Type.Object({ slug: Slug }),
  answer: async (tools, { slug }) => presentOne(tools, await selectMarketOfSlug(tools.sql, slug)),
})

const marketOfCondition = defineAnswer({
  ...ONE,
  path: '/v1/markets/condition/:condition_id',
  operationId: 'getTradedMarketOfCondition',
  summary: 'The market of a condition, with its trades',
  params: Type.Object({ condition_id: ConditionId }),
  answer: async (tools, { condition_id: condition }) =>
    presentOne(tools, [...(await selectKnownMarkets(tools.sql, [condition])).values()]),
})

async function presentOne(tools: AnswerTools, found: readonly MarketFacts[]) {
  const [market] = await withTrades(tools, found)
  if (market === undefined) throw notFound()
  return presentTradedMarket(market)
}

/** With their prices, and the trades of a day as they are now. */
async function withTrades(
  { sql, nowMs }: AnswerTools,
  markets: readonly MarketFacts[],
): Promise<TradedMarket[]> {
  const startHour = startHourOf('1d', Math.floor(nowMs / 1000))
  const [priced, days] = await Promise.all([
    withOutcomePrices(sql, markets),
    selectDayTrades(sql, conditionsOf(markets), startHour),
  ])
  const dayOf = ({ condition }: MarketFacts): DayTrades | undefined => days.get(condition ?? '')
  return priced.map((market) => ({ ...market, day: dayOf(market) }))
}

/** A token with its market. Throws a 404 where neither the chain nor the catalogue has the market. */
async function readToken(tools: AnswerTools, tokenId: string) {
  const { sql } = tools
  const [token] = await selectSeriesTokens(sql, { token_id: tokenId })
  const known = await selectKnownMarkets(sql, conditionsOf(token === undefined ? [] : [token]))
  const [market] = await withTrades(tools, [...known.values()])
  const outcome = token === undefined ? -1 : (market?.tokens.indexOf(token.token) ?? -1)
  if (token === undefined || market === undefined || outcome === -1) throw notFound()
  return { token, market, outcome }
}

// Search.

const FOUND_MAX = 100

const search = defineAnswer({
  ...HEAD,
  path: '/v1/search',
  operationId: 'searchTradedMarkets',
  summary: 'Search of markets, with their trades',
  description: `Finds and orders markets as \`/v3/markets/search\` does. ${NOW}`,
  query: Type.Object({
    q: SearchText,
    limit: countUpTo(FOUND_MAX, 20),
    include_inactive: Type.Boolean({
      default: false,
      description: 'finds what is closed or taken off too',
    }),
  }),
  reply: FoundMarketsReply,
  answer: async (tools, { q, limit, include_inactive: hasInactive }) => {
    const found = await findMarkets(tools.sql, q, {
      isOpen: !hasInactive,
      limit: clampCount(limit, FOUND_MAX),
    })
    const results = (await withTrades(tools, found)).map((market) => presentTradedMarket(market))
    return { query: q, count: results.length, results }
  },
})

async function findMarkets(sql: Sql, q: string, { isOpen, limit }: { isOpen: boolean; limit: number }) {
  const words = toQueryWords(q)
  if (!isSearchable(words)) return []
  const scope = { q, words, isOpen, ...(await selectExactMatches(sql, toQuerySlug(q))) }
  return await selectListedMarkets(sql, await selectFound(sql, scope, { limit, offset: 0, after: undefined }))
}

// One token.

const CANDLES_MAX = 1_000

const liveCandles = defineAnswer({
  ...HEAD,
  path: '/v1/candles/:token_id',
  operationId: 'listLiveCandles',
  summary: 'The last candles of an outcome token',
  description:
    'Those of `/v3/markets/{token_id}/candles` in the last `limit` buckets, the running one included. A bucket without a trade is left out.',
  errors: { 404: errorReply('There is no such outcome token') },
  params: Type.Object({ token_id: TokenId }),
  query: Type.Object({
    resolution: oneOf(Object.keys(CANDLE_RESOLUTIONS) as Resolution[], 'how long a candle is', {
      title: 'CandleResolution',
      default: '1h',
    }),
    limit: Type.Integer({ default: 100, description: `buckets, at most ${CANDLES_MAX}` }),
  }),
  reply: LiveCandlesReply,
  answer: async (tools, { token_id: tokenId, resolution, limit }) => {
    const [token] = await selectSeriesTokens(tools.sql, { token_id: tokenId })
    if (token === undefined) throw notFound()
    const { seconds } = CANDLE_RESOLUTIONS[resolution]
    const candles = await readCandlesOf(tools, token, { seconds, limit: clampCount(limit, CANDLES_MAX) })
    return { token_id: tokenId, resolution, count: candles.length, candles: candles.map(presentLiveCandle) }
  },
})

/** Those of the last buckets, oldest first. */
async function readCandlesOf(
  { sql, nowMs }: AnswerTools,
  { id }: SeriesToken,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<TokenCandle[]> {
  if (id === null) return []
  const window = bucketsUpTo(Math.floor(nowMs / 1000), seconds, limit)
  return await selectCandles(sql, [id], { seconds, limitMax: limit, ...window })
}

const tokenStats = defineAnswer({
  ...HEAD,
  path: '/v1/stats/:token_id',
  operationId: 'getTokenStats',
  summary: 'Price, volume and market of an outcome token',
  description: NOW,
  errors: { 404: errorReply('Neither the chain nor the catalogue has the market') },
  params: Type.Object({ token_id: TokenId }),
  reply: TokenStatsReply,
  answer: async (tools, { token_id: tokenId }) => {
    const { token, market, outcome } = await readToken(tools, tokenId)
    const day = { seconds: 3_600, limit: STATS_PERIODS['1d'].hours }
    const candles = await readCandlesOf(tools, token, day)
    return presentTokenStats(market, outcome, { tokenId, candles })
  },
})

export const v1MarketRoutes = endpointRoutes([
  topMarkets,
  marketPages,
  categoryPages,
  marketOfToken,
  marketOfSlug,
  marketOfCondition,
  search,
  liveCandles,
  tokenStats,
])
