import { STANDARD } from '../../accounts/access.js'
import { toDecimal } from '../../core/money.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import type { Sql } from '../../store/connection.js'
import { selectCatalogueIds } from '../catalogue-page.js'
import { presentEventSummary } from '../event/present.js'
import { selectEventSummaries } from '../event/queries.js'
import { presentPriceTexts } from '../present.js'
import { selectListedMarkets } from '../queries.js'
import { startHourOf } from '../stats/period.js'
import { needSnapshot } from '../stats/routes.js'
import { withOutcomePrices } from '../v1/queries.js'
import { type HotTag, selectHotTags, selectMovers, selectTopEventIds, TOP_MARKETS_MAX } from './queries.js'
import { MoversReply, TrendingReply } from './schemas.js'

const CAROUSEL = 5
const FEATURED = 12
const MOVERS = 20
const BREAKING = 10
const HOT_TOPICS = 10

const HEAD = { tag: 'markets', access: STANDARD, hasElapsed: false, cacheMs: 30_000 } as const

const MOVERS_OF = `Movers are looked for among the ${TOP_MARKETS_MAX} markets of most volume in 24 hours; windows of coins and games are left out, because they all move to an end within hours.`

const trending = {
  ...HEAD,
  summary: 'Events and markets that much happens in',
  description: `Chosen by volumes and prices alone. ${MOVERS_OF}`,
  reply: TrendingReply,
  answer: async (tools: AnswerTools) => {
    const { sql } = tools
    await needSnapshot(sql, '1d')
    const [carousel, featured, movers, hotTopics] = await Promise.all([
      selectTopEventIds(sql, CAROUSEL),
      selectLargestEventIds(sql),
      readMovers(tools),
      selectHotTags(sql, HOT_TOPICS),
    ])
    const [shownFirst, shown] = await Promise.all([readEvents(sql, carousel), readEvents(sql, featured)])
    const breaking = movers.toSorted((a, b) => Number(b.dayVolume - a.dayVolume)).slice(0, BREAKING)
    return {
      carousel: shownFirst,
      featured: shown,
      breaking: breaking.map(presentMover),
      movers: movers.map(presentMover),
      hotTopics: hotTopics.map(presentHotTag),
    }
  },
}

const movers = {
  ...HEAD,
  summary: 'Markets whose price moved most in 24 hours',
  description: MOVERS_OF,
  reply: MoversReply,
  answer: async (tools: AnswerTools) => {
    await needSnapshot(tools.sql, '1d')
    const markets = (await readMovers(tools)).map(presentMover)
    return { markets, count: markets.length }
  },
}

/** Indexes: events_open_volume. */
async function selectLargestEventIds(sql: Sql): Promise<number[]> {
  const scope = { table: 'events', sort: 'volume_all_time', isAscending: false, isClosed: false } as const
  const filters = [
    {
      condition: sql`c.active and c.gone_at is null and c.slug is not null and c.title is not null`,
      matches: 'most' as const,
    },
  ]
  const rows = await selectCatalogueIds(
    sql,
    { ...scope, filters },
    { limit: FEATURED, offset: 0, after: undefined },
  )
  return rows.map(({ id }) => id)
}

const readEvents = async (sql: Sql, ids: readonly number[]) =>
  (await selectEventSummaries(sql, ids)).map((event) => ({
    id: String(event.id),
    ...presentEventSummary(event),
  }))

async function readMovers({ sql, nowMs }: AnswerTools) {
  const startHour = startHourOf('1d', Math.floor(nowMs / 1000))
  const moves = await selectMovers(sql, startHour, MOVERS)
  return await withOutcomePrices(sql, await selectListedMarkets(sql, moves))
}

type MovingMarket = Awaited<ReturnType<typeof readMovers>>[number]

const presentMover = (market: MovingMarket) => ({
  id: String(market.id),
  slug: market.slug ?? '',
  question: market.question ?? '',
  image: market.image ?? '',
  outcomePrices: presentPriceTexts(market.prices),
  oneDayPriceChange: toDecimal(market.change),
})

const presentHotTag = ({ slug, title, volume }: HotTag) => ({
  title,
  volume: toDecimal(volume),
  url: `/leaderboard?tag=${encodeURIComponent(slug)}`,
})

export const trendingRoutes = endpointRoutes([
  defineAnswer({ ...trending, path: '/v1/trending', operationId: 'getTrending' }),
  defineAnswer({ ...movers, path: '/v1/movers', operationId: 'listMovers' }),
  defineAnswer({ ...trending, path: '/v2/trending', operationId: 'getTrendingV2' }),
  defineAnswer({ ...movers, path: '/v2/movers', operationId: 'listMoversV2' }),
])
