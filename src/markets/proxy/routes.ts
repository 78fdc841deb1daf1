import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PUBLIC_UPSTREAM } from '../../accounts/access.js'
import { ApiError, notFound } from '../../core/errors.js'
import { parseTokenId } from '../../core/ids.js'
import { errorReply } from '../../lib/error-reply.js'
import type { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import type { Sql } from '../../store/connection.js'
import type { GammaEvent } from '../../upstreams/gamma/parse.js'
import { KEYLESS_PAYER } from '../../upstreams/transport/shared-limit.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { Upstreams } from '../../upstreams/upstreams.js'
import { presentProxyEvent } from './present.js'
import { type ProxyEvent, selectProxyEvent, selectProxyMarkets } from './queries.js'
import { EventSlug, GammaEventsReply } from './schemas.js'

const CACHE_MS = 2_000
const FRESH_MS = 10_000
/** Clients wait five seconds and ask again. */
const TIMEOUT_MS = 4_000
const MARKETS_MAX = 100

const DESCRIPTION = `What client libraries of hosted services read of an up-or-down window before they subscribe to it: they ask
without a key. From the catalogue of this service; an event that it does not have is asked of the platform. No other
request reaches the platform through this path.`

type ProxyDeps = { gamma: Upstreams['gamma']; fallbackCache: StaleFallbackCache }

/** One event of the platform's catalogue, in its own form. */
export const eventProxyRoutes =
  ({ gamma, fallbackCache }: ProxyDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/proxy/gamma/events',
      {
        config: { access: PUBLIC_UPSTREAM, cacheMs: CACHE_MS },
        schema: {
          operationId: 'findGammaEvent',
          summary: 'An event in the form of the platform',
          description: DESCRIPTION,
          tags: ['markets'],
          querystring: Type.Object({ slug: EventSlug }),
          response: {
            200: GammaEventsReply,
            502: errorReply("The platform's catalogue does not answer, and nothing is known of the event"),
          },
        },
      },
      async (request) => {
        const { slug } = request.query
        const slugs = spellingsOf(slug)
        const event =
          (await findFirst(slugs, (each) => readStored(request.readSql(), each))) ??
          (await findFirst(slugs, readAtPlatform))
        return event === undefined ? [] : [presentProxyEvent(event)]
      },
    )

    /** `undefined`: the platform does not have it either, or not yet. */
    async function readAtPlatform(slug: string): Promise<ProxyEvent | undefined> {
      const accountId = KEYLESS_PAYER
      const load = async () => {
        const event = await withUpstreamTimeout(
          'gamma',
          (signal) => gamma.getEventBySlug(slug, { signal, accountId }),
          TIMEOUT_MS,
        )
        if (event === undefined) throw notFound()
        return toProxyEvent(slug, event)
      }
      try {
        return (await fallbackCache.get(`event ${slug}`, { freshMs: FRESH_MS, accountId, load })).value
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      }
    }
  }

/** Client libraries name hourly windows of HYPE by the code of the coin, the platform by its long name, or the other way round. */
function spellingsOf(slug: string): string[] {
  const other = slug.replace(/^(hype|hyperliquid)(?=-up-or-down-)/, (name) =>
    name === 'hype' ? 'hyperliquid' : 'hype',
  )
  return [...new Set([slug, other])]
}

async function findFirst<Value>(
  slugs: readonly string[],
  read: (slug: string) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (const slug of slugs) {
    const found = await read(slug)
    if (found !== undefined) return found
  }
  return undefined
}

/** `undefined`: the catalogue does not have it, or not its tokens yet. */
async function readStored(sql: Sql, slug: string): Promise<ProxyEvent | undefined> {
  const event = await selectProxyEvent(sql, slug)
  if (event === undefined) return undefined
  const markets = await selectProxyMarkets(sql, event.id, MARKETS_MAX)
  return markets.some(({ tokens }) => tokens.length > 0) ? { ...event, markets } : undefined
}

const toProxyEvent = (slug: string, event: GammaEvent): ProxyEvent => ({
  id: Number(event.id),
  slug,
  title: event.title ?? '',
  active: event.active ?? false,
  closed: event.closed ?? false,
  startSec: toSeconds(event.startDateMs),
  endSec: toSeconds(event.endDateMs),
  markets: event.markets.slice(0, MARKETS_MAX).map((market) => ({
    id: Number(market.id),
    slug: market.slug ?? null,
    question: market.question ?? null,
    condition: market.conditionId ?? null,
    outcomes: market.outcomes,
    prices: market.tokens.map(({ price }) => price ?? null),
    tokens: market.tokens.flatMap(({ tokenId }) => parseTokenId(tokenId) ?? []),
    volume: market.volume ?? 0,
    dayVolume: market.volume24hr ?? 0,
    liquidity: market.liquidity ?? 0,
    takerBaseFee: Math.trunc(market.takerBaseFee ?? 0),
    hasFees: (market.feeRate ?? 0) > 0 || (market.takerBaseFee ?? 0) > 0,
    active: market.active ?? false,
    closed: market.closed ?? false,
    acceptingOrders: market.acceptingOrders ?? false,
  })),
})

const toSeconds = (ms: number | undefined): number | null => (ms === undefined ? null : Math.floor(ms / 1000))
