import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../../accounts/access.js'
import type { Platform } from '../../platform.js'
import { COIN_CODES, WINDOW_SEC, windowSlugs, windowStartAt } from './coins.js'
import { presentActive, presentEvents, presentSeries } from './present.js'
import { selectMarkets, selectOpenEvents, selectSeries, selectWindows } from './queries.js'
import { ActiveReply, MarketsReply, SeriesReply } from './schemas.js'

/** Of an incomplete answer: during the first copy of the catalogue more may be stored at any moment. */
const INCOMPLETE_CACHE_MS = 1_000
/** Cached answers end with their window, because the next window has other markets. */
const GRID_MS = WINDOW_SEC * 1000

const EVENTS_MAX = 500

/** All three answers come from the database, so they do not depend on Gamma. */
export const cryptoMarketRoutes =
  (platform: Platform): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/crypto/active',
      {
        config: {
          access: STANDARD,
          cacheMs: (_query: object, _nowMs: number, { count }: { count: number }) =>
            count < COIN_CODES.length ? INCOMPLETE_CACHE_MS : 30_000,
          cacheGridMs: GRID_MS,
        },
        schema: {
          operationId: 'listActiveCryptoMarkets',
          summary: 'The running 5-minute up-or-down markets',
          description:
            'The up-or-down markets of the five minutes that are running, one for each coin. Every five minutes, on the clock, the next ones take their place. A coin whose market is not known is left out.',
          tags: ['crypto'],
          response: { 200: ActiveReply },
        },
      },
      async (request) => {
        const sql = request.readSql()
        const windowStart = windowStartAt(platform.clock.now())
        const slugs = windowSlugs(windowStart)
        const events = await selectWindows(sql, slugs)
        const markets = await selectMarkets(sql, idsOf(events))
        return presentActive(windowStart, slugs, events, markets)
      },
    )

    app.get(
      '/v1/crypto/markets',
      {
        config: {
          access: STANDARD,
          cacheMs: (_query: object, _nowMs: number, { events }: { events: unknown[] }) =>
            events.length === 0 ? INCOMPLETE_CACHE_MS : 180_000,
          cacheGridMs: GRID_MS,
        },
        schema: {
          operationId: 'listCryptoMarkets',
          summary: 'Open crypto markets',
          description: `Open crypto events about Bitcoin, Ethereum, Solana, BNB, XRP, Dogecoin or Hyperliquid with their markets, the most traded of the last 24 hours first, at most ${EVENTS_MAX}. Of the up-or-down windows only those that are running are listed.`,
          tags: ['crypto'],
          response: { 200: MarketsReply },
        },
      },
      async (request) => {
        const sql = request.readSql()
        const events = await selectOpenEvents(sql, platform.clock.now(), EVENTS_MAX)
        const markets = await selectMarkets(sql, idsOf(events))
        return presentEvents(events, markets)
      },
    )

    app.get(
      '/v1/crypto/series',
      {
        config: {
          access: STANDARD,
          cacheMs: (_query: object, _nowMs: number, { count }: { count: number }) =>
            count === 0 ? INCOMPLETE_CACHE_MS : 300_000,
        },
        schema: {
          operationId: 'listCryptoSeries',
          summary: 'Recurring crypto series',
          description:
            'The recurring series of the seven coins, such as `btc-up-or-down-5m`, with how often an event of it comes and how many are open.',
          tags: ['crypto'],
          response: { 200: SeriesReply },
        },
      },
      async (request) => presentSeries(await selectSeries(request.readSql(), 500)),
    )
  }

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id)
