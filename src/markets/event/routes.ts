import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { AccountRefusal, notFound } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { SearchText, Slug } from '../../http/parameters.js'
import { clampCount } from '../../lib/clamp-count.js'
import { errorReply } from '../../lib/error-reply.js'
import { groupBy } from '../../lib/group-by.js'
import type { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import { isSearchable, toQuerySlug, toQueryWords } from '../../lookups/query-words.js'
import type { Platform } from '../../platform.js'
import type { Sql } from '../../store/connection.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { Upstreams } from '../../upstreams/upstreams.js'
import { selectListedMarkets } from '../queries.js'
import { selectEventIdsBySlug, selectIdsByText } from '../quick-search/queries.js'
import { withOutcomePrices } from '../v1/queries.js'
import { presentEventEnd, presentEventMarket, presentEventSummary } from './present.js'
import { countSimilarMarkets, selectEventSummaries, selectMarketIdsOfEvents } from './queries.js'
import { EventReply, FoundEventsReply } from './schemas.js'

const HEAD = { tag: 'markets', access: STANDARD, hasElapsed: false } as const

const EVENT_MARKETS_MAX = 500
const CACHE_MS = 5_000
/** The platform rarely changes the text of an event. */
const TEXT_FRESH_MS = 600_000
/** Without this text the answer is complete, so it does not wait longer for it. */
const TEXT_TIMEOUT_MS = 2_500

type EventDeps = { gamma: Upstreams['gamma']; fallbackCache: StaleFallbackCache }

export function eventRoutes(platform: Platform, { gamma, fallbackCache }: EventDeps): FastifyPluginAsync {
  const event = defineAnswer({
    ...HEAD,
    path: '/v1/event/:slug',
    operationId: 'getEvent',
    summary: 'An event with its markets',
    description:
      'In the names of the platform. `volume24hr` and the prices are of this service, `volume` and `liquidity` as the platform counts them.',
    cacheMs: CACHE_MS,
    errors: { 404: errorReply('The catalogue does not have the event') },
    params: Type.Object({ slug: Slug }),
    reply: EventReply,
    answer: async ({ sql, caller }, { slug }) => {
      const [found] = await selectEventSummaries(sql, await selectEventIdsBySlug(sql, slug))
      if (found === undefined) throw notFound()
      const [markets, similarMarkets, description] = await Promise.all([
        readMarkets(sql, found.id),
        countSimilarMarkets(sql, found.id),
        readDescription(found.id, caller.accountId),
      ])
      return {
        id: found.id,
        ...presentEventSummary(found),
        description,
        ...presentEventEnd(found),
        similarMarkets,
        annotations: 0,
        markets: markets.map(presentEventMarket),
      }
    },
  })

  /** Empty where the platform has none or does not answer: all the rest of an event is known without it. */
  async function readDescription(id: number, accountId: number): Promise<string> {
    const load = async () => {
      const texts = await withUpstreamTimeout(
        'gamma',
        (signal) => gamma.getEventTexts(`${id}`, { signal, accountId }),
        TEXT_TIMEOUT_MS,
      )
      return texts?.description ?? ''
    }
    try {
      const request = { freshMs: TEXT_FRESH_MS, accountId, load }
      return (await fallbackCache.get(`event text ${id}`, request)).value
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof AccountRefusal) return ''
      throw error
    }
  }

  return endpointRoutes([event, search])(platform)
}

async function readMarkets(sql: Sql, event: number) {
  const ids = await selectMarketIdsOfEvents(sql, [event], EVENT_MARKETS_MAX)
  return await withOutcomePrices(sql, await selectListedMarkets(sql, ids))
}

const FOUND_MAX = 20
const FOUND_MARKETS_MAX = 50

const search = defineAnswer({
  ...HEAD,
  path: '/v1/events/search',
  operationId: 'searchEvents',
  summary: 'Search of events',
  description:
    'Events with all words of `q` at beginnings of words in title or slug. The one whose slug is `q` comes first, then those that are open.',
  query: Type.Object({
    q: SearchText,
    limit: Type.Integer({ default: 10, description: `events, at most ${FOUND_MAX}` }),
  }),
  reply: FoundEventsReply,
  answer: async ({ sql }, { q, limit }) => {
    const ids = await findEventIds(sql, q, clampCount(limit, FOUND_MAX))
    const events = await selectEventSummaries(sql, ids)
    const rows = await selectMarketIdsOfEvents(
      sql,
      events.map(({ id }) => id),
      FOUND_MARKETS_MAX,
    )
    const markets = groupBy(await selectListedMarkets(sql, rows), ({ event }) => event)
    const found = events.map((event) => ({
      id: String(event.id),
      ...presentEventSummary(event),
      markets: (markets.get(event.id) ?? []).map(({ question, groupTitle, active }) => ({
        question: question ?? '',
        groupItemTitle: groupTitle ?? '',
        active,
      })),
    }))
    return { query: q, count: found.length, events: found }
  },
})

async function findEventIds(sql: Sql, q: string, limit: number): Promise<number[]> {
  const words = toQueryWords(q)
  if (!isSearchable(words)) return []
  const named = await selectEventIdsBySlug(sql, toQuerySlug(q))
  const open = await selectIdsByText(sql, 'events', { words, isClosed: false, limit })
  const closed =
    open.length < limit ? await selectIdsByText(sql, 'events', { words, isClosed: true, limit }) : []
  return [...new Set([...named, ...open, ...closed])].slice(0, limit)
}
