import { Type } from 'typebox'
import { toId } from '../../catalogue/rows.js'
import { notFound } from '../../core/errors.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { oneOf } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import type { GammaEventHead, GammaSeriesHead } from '../../upstreams/gamma/parse.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import { cacheFor, LOST, SPORTS } from '../answer-parts.js'
import { listLeagues } from '../leagues/leagues.js'
import { Stale } from '../leagues/schemas.js'
import type { SportsDeps, SportsTools } from '../sources.js'
import { selectSeriesSlugs } from './queries.js'

const FRESH_MS = 5 * 60_000
const SERIES_MAX = 500

const Money = (description: string) => Type.Number({ description })

const SportsSeriesRow = namedObject('SportsSeries', {
  id: Type.String(),
  slug: Type.String(),
  title: Type.String(),
  seriesType: Type.String(),
  recurrence: Type.String(),
  active: Type.Boolean(),
  volume24hr: Money('dollars, as the platform counts them, as the two below'),
  volume: Money('dollars'),
  liquidity: Money('dollars'),
})

const Text = nullable(Type.String())

const SeriesEvent = namedObject('SportsSeriesEvent', {
  id: Type.String(),
  slug: Text,
  title: Text,
  startTime: nullable(Type.String(), 'ISO 8601, when the game begins'),
  endDate: Text,
  active: Type.Boolean(),
  closed: Type.Boolean(),
  gameId: Text,
})

const presentSeries = (series: GammaSeriesHead) => ({
  id: series.id,
  slug: series.slug ?? '',
  title: series.title ?? '',
  seriesType: series.seriesType ?? '',
  recurrence: series.recurrence ?? '',
  active: isActive(series),
  volume24hr: series.volume24hr ?? 0,
  volume: series.volume ?? 0,
  liquidity: series.liquidity ?? 0,
})

const isActive = ({ active = false, closed = false }: GammaSeriesHead): boolean => active && !closed

const presentSeriesEvent = (event: GammaEventHead) => ({
  id: event.id,
  slug: event.slug ?? null,
  title: event.title ?? null,
  startTime: toIsoText(event.startTimeMs),
  endDate: toIsoText(event.endDateMs),
  active: event.active ?? false,
  closed: event.closed ?? false,
  gameId: event.gameId ?? null,
})

const toIsoText = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(Math.floor(ms)).toISOString()

/** The series that leagues have their games in, by their ids. */
async function listSeriesIds(tools: SportsTools): Promise<{ ids: Set<string>; isStale: boolean }> {
  const { value: leagues, isStale } = await listLeagues(tools)
  return { ids: new Set(leagues.flatMap(({ series }) => series ?? [])), isStale }
}

/** The platform lists series by slug, which the catalogue has. */
async function readAllSeries(tools: SportsTools) {
  const { accountId } = tools.caller
  const { ids, isStale: isOldList } = await listSeriesIds(tools)
  const { value, isStale } = await tools.deps.fallbackCache.get('sports series', {
    freshMs: FRESH_MS,
    accountId,
    load: async () => {
      const numbers = [...ids].flatMap((id) => toId(id) ?? [])
      const slugs = await selectSeriesSlugs(tools.platform.answerSql, numbers)
      const found = await withUpstreamTimeout('gamma', (signal) =>
        tools.deps.upstreams.gamma.getSeriesBySlugs(slugs, { signal, accountId }),
      )
      return found.map(presentSeries)
    },
  })
  return { value, isStale: isStale || isOldList }
}

const series = defineAnswer({
  ...SPORTS,
  path: '/v2/sports/series',
  operationId: 'listSportsSeries',
  summary: 'Series of sports events',
  description: `The series that leagues have their games in, those with the most volume of the last day first; read again after five minutes. A league without a series is not among them.`,
  errors: LOST,
  cacheMs: cacheFor(30_000),
  query: Type.Object({
    status: oneOf(['active', 'all'], 'whether series that are over are there too', { default: 'active' }),
    limit: Type.Integer({ minimum: 1, maximum: SERIES_MAX, default: SERIES_MAX }),
  }),
  reply: namedObject('SportsSeriesList', {
    stale: Stale,
    count: Type.Integer({ minimum: 0 }),
    series: Type.Array(SportsSeriesRow),
  }),
  answer: async (tools: AnswerTools<SportsDeps>, { status, limit }) => {
    const { value, isStale } = await readAllSeries(tools)
    const rows = value
      .filter(({ active }) => active || status === 'all')
      .sort((a, b) => b.volume24hr - a.volume24hr || Number(a.id) - Number(b.id))
      .slice(0, limit)
    return { stale: isStale, count: rows.length, series: rows }
  },
})

const oneSeries = defineAnswer({
  ...SPORTS,
  path: '/v2/sports/series/:id',
  operationId: 'getSportsSeries',
  summary: 'A series of sports events, with its open events',
  description: 'A series that `/v2/sports/series` lists; read again after a minute.',
  errors: { ...LOST, 404: errorReply('No league has such a series') },
  cacheMs: cacheFor(5_000),
  params: Type.Object({
    id: Type.String({ pattern: '^[0-9]{1,9}$', description: 'the number of a series', examples: ['10345'] }),
  }),
  reply: namedObject('SportsSeriesPage', {
    ...SportsSeriesRow.properties,
    stale: Stale,
    count: Type.Integer({ minimum: 0, description: 'open events' }),
    events: Type.Array(SeriesEvent),
  }),
  answer: async (tools: AnswerTools<SportsDeps>, { id }) => {
    const { fallbackCache, upstreams } = tools.deps
    const { accountId } = tools.caller
    const missing = () => notFound(`Series ${id} not found. GET /v2/sports/series lists all.`)
    if (!(await listSeriesIds(tools)).ids.has(id)) throw missing()
    const { value, isStale } = await fallbackCache.get(`sports series ${id}`, {
      freshMs: 60_000,
      accountId,
      load: async () => {
        const found = await withUpstreamTimeout('gamma', (signal) =>
          upstreams.gamma.getSeries(id, { signal, accountId }),
        )
        if (found === undefined) throw missing()
        return { ...presentSeries(found), events: found.events.map(presentSeriesEvent) }
      },
    })
    return { ...value, stale: isStale, count: value.events.length }
  },
})

export const sportsSeriesRoutes = endpointRoutes<SportsDeps>([series, oneSeries])
