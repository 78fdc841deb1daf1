import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { Slug } from '../../http/parameters.js'
import { presentStaleCopy, StaleCopy } from '../../http/stale-copy.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import type { Platform } from '../../platform.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { Upstreams } from '../../upstreams/upstreams.js'
import { selectMarketIdOfSlug } from '../queries.js'

/** The platform rarely changes the rules of a market. */
const FRESH_MS = 600_000
const CACHE_MS = 60_000
/** Rules have some kilobytes, at most a few dozen. */
const CHARACTERS_MAX = 16_000_000

const DESCRIPTION = `The platform's own text, asked for again after ten minutes. While its catalogue does not answer, the
last copy is shown with \`stale\`, and without a copy the answer is 502.`

const Reply = namedObject('MarketRules', {
  slug: Type.String(),
  rules: nullable(
    Type.String({ description: 'how the market is resolved; null when the platform says nothing' }),
  ),
  resolution_source: nullable(
    Type.String({ description: 'where the result is read; null when the platform names nothing' }),
  ),
  ...StaleCopy('the platform'),
})

/** The text by which a market is resolved. The catalogue of this service has no room for a million of them. */
export function marketRulesRoutes(
  platform: Platform,
  { gamma }: Pick<Upstreams, 'gamma'>,
): FastifyPluginAsync {
  const texts = new StaleFallbackCache({
    clock: platform.clock,
    limits: { maxSize: CHARACTERS_MAX },
    staleMsMax: Number.POSITIVE_INFINITY,
  })
  const rules = defineAnswer({
    path: '/v3/markets/slug/:slug/rules',
    operationId: 'getMarketRules',
    summary: 'How a market is resolved',
    description: DESCRIPTION,
    tag: 'markets',
    access: V3,
    dependsOnChain: false,
    cacheMs: CACHE_MS,
    params: Type.Object({ slug: Slug }),
    reply: Reply,
    errors: {
      404: errorReply('The catalogue does not have the market'),
      502: errorReply("The platform's catalogue does not answer, and there is no copy"),
    },
    answer: async ({ sql, caller }, { slug }) => {
      const id = await selectMarketIdOfSlug(sql, slug)
      if (id === undefined) throw notFound()
      const { accountId } = caller
      const load = async () => {
        const found = await withUpstreamTimeout('gamma', (signal) =>
          gamma.getMarketRules(`${id}`, { signal, accountId }),
        )
        if (found === undefined) throw notFound()
        return found
      }
      const { value, ...copy } = await texts.get(`${id}`, { freshMs: FRESH_MS, accountId, load })
      return {
        slug,
        // The platform sends an empty text where it has none.
        rules: value.description || null,
        resolution_source: value.resolutionSource || null,
        ...presentStaleCopy(copy),
      }
    },
  })
  return endpointRoutes([rules])(platform)
}
