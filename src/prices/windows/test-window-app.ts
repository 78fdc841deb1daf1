import { Faults } from '../../../sim/server/faults.js'
import { openHost } from '../../../sim/server/host.js'
import { createSiteHost } from '../../../sim/site-price/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestApp } from '../../../test/test-app.js'
import { loadConfig } from '../../config/config.js'
import type { PriceReply } from '../../crypto/prices/schemas.js'
import type { Timing } from '../../lib/timing.js'
import { insertTicks } from '../archive/queries.js'
import { type Stream, streamId } from '../streams.js'

/** A second and its price. */
export type SecondPrice = [sec: number, price: number]

/**
 * The app, and a site that has every price up to `siteMs` and none after it. `timing`: of calls to
 * the site; absent: that of the system.
 */
export async function openWindowApp(siteMs: number, timing?: Timing) {
  const universe = new Universe({ seed: 14, startMs: siteMs })
  universe.advance(siteMs)
  const siteUrls: string[] = []
  const site = createSiteHost(universe)
  const host = await openHost('site', new Faults(), {
    http(request) {
      siteUrls.push(request.url)
      return site.http?.(request) ?? { status: 404, body: '' }
    },
  })
  const { config } = loadConfig({ AUSPEX_SITE_URL: host.url })
  const t = await createTestApp({ config, timing })
  const { key } = await t.createCaller('enterprise')
  return {
    ...t,
    universe,
    host,
    /** The URLs that were requested from the site. */
    siteUrls,
    get: (query: string) => t.app.inject({ url: `/v1/crypto/price?${query}`, headers: { 'x-api-key': key } }),
    /** Of Bitcoin's minute mean by the platform, by default. */
    insert: (prices: readonly SecondPrice[], stream: Partial<Stream> = {}) => {
      const usual = { symbol: 'BTC', kind: 'twap60', source: 'platform_oracle' } as const
      const id = streamId({ ...usual, ...stream })
      const noQuotes = { bid: null, ask: null }
      const ticks = prices.map(([sec, price]) => ({ stream: id, sec, price, ...noQuotes }))
      return insertTicks(t.ctx.sql, ticks)
    },
    close: async () => {
      await t.ctx.upstreams.close()
      await t.close()
      await host.close()
    },
  }
}

export type WindowApp = Awaited<ReturnType<typeof openWindowApp>>

/** The answer to a request that must succeed. */
export async function readPrice(w: WindowApp, query: string): Promise<PriceReply> {
  const reply = await w.get(query)
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${reply.body}`)
  return reply.json()
}
