import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Gauge } from 'prom-client'
import { STANDARD } from '../../accounts/access.js'
import type { Context } from '../../context.js'
import { badRequest } from '../../core/errors.js'
import { MILLISECONDS_MIN } from '../../core/unix-time.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { feedOf, type TickSource } from '../streams.js'
import { readSymbol } from '../symbol.js'
import { readSlices, type TickRange } from './read-slices.js'
import { RenderedBlocks } from './rendered-blocks.js'
import { TicksQuery, TicksReply } from './schemas.js'
import { streamTicks } from './stream-ticks.js'

const RANGE_MS_MAX = 24 * 60 * 60 * 1000
const MIB = 1024 * 1024

const DESCRIPTION = `One tick a second, feed and source, from our own archive, which begins when the service first ran. Both
ends of the range are included. An answer that reaches \`limit\` is \`truncated\`: with a \`source\` go on
one millisecond after the last tick; without, go on at the last \`timestamp_ms\` and drop the ids that you
have, because two sources may have told a price of the same second and the page may end between them.`

export const tickRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  const cache = new RenderedBlocks(ctx.config.cacheMb * MIB)
  new Gauge({
    name: 'auspex_tick_cache_bytes',
    help: 'Memory held by ticks that are ready to send',
    registers: [ctx.metrics.registry],
    collect() {
      this.set(cache.bytes)
    },
  })
  app.get(
    '/v1/crypto/ticks',
    {
      config: { access: STANDARD },
      schema: {
        operationId: 'listTicks',
        summary: 'Prices of a coin, second by second',
        description: DESCRIPTION,
        tags: ['crypto'],
        querystring: TicksQuery,
        response: { 200: TicksReply },
      },
    },
    async ({ method, query }, reply) => {
      const { from, to, limit } = query
      checkTimes(from, to)
      const symbol = readSymbol(query.symbol)
      // The schema has checked both.
      const source = query.source as TickSource | undefined
      const kind = query.price_source as PriceKind
      const range: TickRange = {
        ...{ symbol, kind, source, limit },
        fromSec: Math.ceil(from / 1000),
        toSec: Math.floor(to / 1000),
      }
      const envelope = { symbol, feed: feedOf(symbol), from, to, limit, source: source ?? null }
      const slices = readSlices(ctx.sql, cache, range, ctx.clock.now())
      // Nobody reads what HEAD asks for, and the framework would read all of it.
      const ticks = method === 'HEAD' ? Readable.from([]) : await streamTicks(envelope, slices)
      // It is the answer of the schema, and goes out as it is.
      return (reply as FastifyReply).type('application/json; charset=utf-8').send(ticks)
    },
  )
}

function checkTimes(from: number, to: number): void {
  for (const [name, ms] of Object.entries({ from, to })) {
    if (ms >= MILLISECONDS_MIN) continue
    // A hint that would be refused as well is none.
    const areSeconds = ms * 1000 >= MILLISECONDS_MIN
    throw badRequest(
      `Invalid ${name}: give Unix milliseconds, not seconds.`,
      areSeconds ? { hint: `${name}=${ms * 1000}` } : {},
    )
  }
  if (from >= to) throw badRequest('Invalid range: `from` must be before `to`.')
  if (to - from > RANGE_MS_MAX) {
    throw badRequest('Invalid range: `to` is at most 24 hours (86400000 ms) after `from`.', {
      hint: `to=${from + RANGE_MS_MAX}`,
    })
  }
}
