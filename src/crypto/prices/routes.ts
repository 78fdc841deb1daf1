import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Gauge } from 'prom-client'
import { PUBLIC_UPSTREAM, STANDARD } from '../../accounts/access.js'
import { badRequest } from '../../core/errors.js'
import { awaitLargeAnswerSlot } from '../../http/await-large-answer-slot.js'
import { callerOf } from '../../http/guard.js'
import type { LargeAnswers } from '../../http/large-answers.js'
import { errorReply } from '../../lib/error-reply.js'
import type { Platform } from '../../platform.js'
import { CANDLE_SEC, readCandles } from '../../prices/candles/candles.js'
import { readSlices, type TickRange } from '../../prices/fast/read-slices.js'
import { RenderedBlocks } from '../../prices/fast/rendered-blocks.js'
import { streamTicks } from '../../prices/fast/stream-ticks.js'
import { feedOf, symbolOf, TICK_SOURCES } from '../../prices/streams.js'
import { type PriceSources, readPrices } from '../../prices/windows/price-window.js'
import { SitePrices } from '../../prices/windows/site-prices.js'
import { cacheMsOf, parseWindow, type Window, type WindowQuery } from '../../prices/windows/window.js'
import type { SitePriceClient } from '../../upstreams/site-price/client.js'
import { KEYLESS_PAYER } from '../../upstreams/transport/shared-limit.js'
import {
  CandlesQuery,
  CandlesReply,
  PriceQuery,
  PriceReply,
  SITE_VARIANTS,
  SitePriceQuery,
  TicksQuery,
  TicksReply,
} from './schemas.js'

const RANGE_MS_MAX = 24 * 60 * 60 * 1000

/** Ten minutes of two sources, 300 KB: an answer that may have more is a large one. */
const SMALL_TICKS_MAX = 1_200

const TICKS_DESCRIPTION = `One tick a second, feed and source, from our own archive, which begins when the service first ran. Both
ends of the range are included. An answer that reaches \`limit\` is \`truncated\`: with a \`source\` go on
one millisecond after the last tick; without, go on at the last \`timestamp_ms\` and drop the ids that you
have, because two sources may have a price of the same second and the page may end between them.`

export const tickRoutes =
  (platform: Platform, largeAnswers: LargeAnswers): FastifyPluginAsyncTypebox =>
  async (app) => {
    const cache = new RenderedBlocks(platform.config.cacheMb * 1024 * 1024)
    new Gauge({
      name: 'auspex_tick_cache_bytes',
      help: 'Memory held by ticks that are ready to send',
      registers: [platform.metrics],
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
          description: TICKS_DESCRIPTION,
          tags: ['crypto'],
          querystring: TicksQuery,
          response: { 200: TicksReply },
        },
      },
      async (request, reply) => {
        const { method, query } = request
        const { symbol, from, to, limit, source, price_source: kind } = query
        checkRange(from, to)
        const span = { fromSec: Math.ceil(from / 1000), toSec: Math.floor(to / 1000) }
        const range = { symbol, kind, source, limit, ...span }
        const envelope = { symbol, feed: feedOf(symbol), from, to, limit, source: source ?? null }
        // It is the answer of the schema, and goes out as it is.
        const send = (ticks: Buffer | Readable) =>
          (reply as FastifyReply).type('application/json; charset=utf-8').send(ticks)
        // The answer to HEAD has no body, and the framework would read all of it.
        if (method === 'HEAD') return send(Readable.from([]))
        if (ticksMax(range) > SMALL_TICKS_MAX) {
          await awaitLargeAnswerSlot(largeAnswers, request, reply as FastifyReply)
        }
        const sql = request.readSql()
        const slices = readSlices(sql, cache, range, platform.clock.now())
        return send(await streamTicks(envelope, slices))
      },
    )
  }

const ticksMax = ({ source, limit, fromSec, toSec }: TickRange): number =>
  Math.min(limit, (toSec - fromSec + 1) * (source === undefined ? TICK_SOURCES.length : 1))

function checkRange(from: number, to: number): void {
  if (from >= to) throw badRequest('Invalid range: `from` must be before `to`.')
  if (to - from > RANGE_MS_MAX) {
    throw badRequest('Invalid range: `to` is at most 24 hours (86400000 ms) after `from`.', {
      hint: `to=${from + RANGE_MS_MAX}`,
    })
  }
}

export const candleRoutes =
  (platform: Platform): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/crypto/candles',
      {
        config: { access: STANDARD, cacheMs: 5_000, cacheGridMs: CANDLE_SEC * 1000 },
        schema: {
          operationId: 'listCandles',
          summary: 'Five-minute candles of a coin',
          description:
            "The last two and a half hours, up to the running candle, made of Chainlink's price of every second. " +
            'A second without a price from Chainlink Data Streams takes the one that the platform relays. ' +
            'Five minutes without any price are flat at the close before them. ' +
            'There are fewer than 30 candles while the history of the coin is shorter, and none before it begins.',
          tags: ['crypto'],
          querystring: CandlesQuery,
          response: { 200: CandlesReply },
        },
      },
      async (request) => ({
        candles: await readCandles(request.readSql(), symbolOf(request.query.symbol), platform.clock.now()),
      }),
    )
  }

/** Every window begins and ends on this grid, and no answer from before a boundary is served after it. */
const GRID_MS = 300_000

const WINDOW_DESCRIPTION = `The price at which an up-or-down window began and the one at which it stands or ended, from our own
archive of prices, else from the site. Windows of 5 minutes settle on Chainlink's mean of 60 seconds
(from 7 to 14 August 2026 of 30 seconds), those of 15 minutes and 4 hours on the mean of 60 seconds,
those of 1 hour on the price of the exchange. Before 7 August 2026 all but the hourly ones settled on
Chainlink's price of the second, which also stands in where the archive has nothing better. A boundary
has the last price that is not after it and at most 60 seconds old, so that the \`closePrice\` of a window is
the \`openPrice\` of the next.`

const PRICE_MISSING = 'Neither the archive nor the site has the price at which this window began'

export const windowRoutes =
  (platform: Platform, sitePrice: SitePriceClient): FastifyPluginAsyncTypebox =>
  async (app) => {
    const site = new SitePrices(sitePrice, platform.clock)
    app.get(
      '/v1/crypto/price',
      {
        config: {
          access: STANDARD,
          cacheMs: cacheMsOf,
          cacheGridMs: GRID_MS,
          toRepeated: (price: PriceReply) => ({ ...price, cached: true }),
        },
        schema: {
          operationId: 'getWindowPrice',
          summary: 'Open and close of an up-or-down window',
          description: WINDOW_DESCRIPTION,
          tags: ['crypto'],
          querystring: PriceQuery,
          response: {
            200: PriceReply,
            404: errorReply(PRICE_MISSING),
          },
        },
      },
      (request) => {
        const nowMs = platform.clock.now()
        const sources = { sql: request.readSql(), site, accountId: callerOf(request).accountId }
        return answerPrice(sources, parseWindow(request.query, nowMs), nowMs)
      },
    )

    app.get(
      '/proxy/polymarket/api/crypto/crypto-price',
      {
        config: {
          access: PUBLIC_UPSTREAM,
          cacheMs: (query: SitePriceQuery, nowMs: number) => cacheMsOf(toWindowQuery(query), nowMs),
          cacheGridMs: GRID_MS,
          toRepeated: (price: PriceReply) => ({ ...price, cached: true }),
        },
        schema: {
          operationId: 'getSiteCryptoPrice',
          summary: 'Open and close of a window, asked as the site is',
          description:
            'As `/v1/crypto/price`, with the parameters of the site and without a key: client libraries of hosted services ask it so. It is answered from the same prices.',
          tags: ['crypto'],
          querystring: SitePriceQuery,
          response: { 200: PriceReply, 404: errorReply(PRICE_MISSING) },
        },
      },
      (request) => {
        const nowMs = platform.clock.now()
        const sources = { sql: request.readSql(), site, accountId: KEYLESS_PAYER }
        return answerPrice(sources, parseWindow(toWindowQuery(request.query), nowMs, 'eventStartTime'), nowMs)
      },
    )
  }

async function answerPrice(sources: PriceSources, window: Window, nowMs: number): Promise<PriceReply> {
  const { completed, ...prices } = await readPrices(sources, window, nowMs)
  return { ...prices, timestamp: nowMs, completed, incomplete: !completed, cached: false }
}

function toWindowQuery({ symbol, eventStartTime, variant, endDate }: SitePriceQuery): WindowQuery {
  const window = parseTime('eventStartTime', eventStartTime)
  if (endDate !== undefined) parseTime('endDate', endDate)
  return { symbol, window, interval: SITE_VARIANTS[variant] }
}

/** In Unix seconds. */
function parseTime(parameter: string, text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw badRequest(`Invalid ${parameter}: there is no such time.`)
  return ms / 1000
}
