import { Registry } from 'prom-client'
import { createGammaHost } from '../../../sim/gamma/host.js'
import { Faults } from '../../../sim/server/faults.js'
import type { HttpReply, HttpRequest } from '../../../sim/server/handlers.js'
import { openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestApp } from '../../../test/test-app.js'
import type { CatalogueDeps } from '../../catalogue/deps.js'
import { createCatalogueMetrics } from '../../catalogue/deps.js'
import { updateCatalogueState } from '../../catalogue/queries.js'
import { instantTiming } from '../../catalogue/test-world.js'
import { GammaClient } from '../../upstreams/gamma/client.js'
import { createUpstreamMetrics } from '../../upstreams/transport/metrics.js'
import { WINDOW_SEC } from './coins.js'

const START_MS = Date.UTC(2026, 10, 12)
/** In the middle of the third window, when the first two are closed. */
const LIVED_MS = 750_000
const SLICE = 500

export type CryptoWorld = Awaited<ReturnType<typeof openCryptoWorld>>

/** The service with an empty catalogue, and a young universe whose Gamma it would read. */
export async function openCryptoWorld() {
  const universe = new Universe({ seed: 23, startMs: START_MS })
  universe.advance(START_MS + LIVED_MS)
  const faults = new Faults()
  const gammaHost = createGammaHost(universe)
  const requests: HttpRequest[] = []
  const world = {
    /** Changes an answer of Gamma on its way. */
    spoil: (reply: HttpReply): HttpReply => reply,
  }
  const host = await openHost('gamma', faults, {
    http: async (request) => {
      requests.push(request)
      return world.spoil((await gammaHost.http?.(request)) ?? { status: 404, body: '' })
    },
  })
  const t = await createTestApp({ config: { gammaUrl: host.url } })
  t.clock.set(universe.nowMs)
  const { key } = await t.createCaller('enterprise')
  const { store, clock, floodLog, catalogue, upstreams } = t.ctx
  const registry = new Registry()
  const metrics = createUpstreamMetrics(registry)
  const deps: CatalogueDeps = {
    store,
    clock,
    floodLog,
    catalogue,
    clob: upstreams.clob,
    gamma: new GammaClient({ url: host.url, metrics, clock, timing: instantTiming() }),
    metrics: createCatalogueMetrics(registry),
  }
  const live = (ms: number) => {
    universe.advance(universe.nowMs + ms)
    t.clock.set(universe.nowMs)
  }
  return Object.assign(world, {
    t,
    faults,
    requests,
    deps,
    get: (url: string) => t.app.inject({ url, headers: { 'x-api-key': key } }),
    /** The events that Gamma shows, as it sends them. */
    askEvents: async (query: string): Promise<GammaJson[]> => {
      const shown: GammaJson[] = []
      for (;;) {
        const slice = `limit=${SLICE}&offset=${shown.length}`
        const reply = await fetch(`${host.url}/events?${query}&${slice}`)
        const events = (await reply.json()) as GammaJson[]
        shown.push(...events)
        if (events.length < SLICE) return shown
      }
    },
    live,
    /** As if nothing had been read yet, one window later, when no answer is cached any more. */
    forget: async () => {
      world.spoil = (reply) => reply
      faults.set({ upstream: '*', mode: 'off' })
      await t.ctx.sql`truncate events, markets, event_tags, market_tokens, tags, series`
      await updateCatalogueState(t.ctx.sql, { phase: 'open' })
      live(WINDOW_SEC * 1000)
      requests.length = 0
    },
    close: async () => {
      await deps.gamma.close()
      await t.ctx.upstreams.close()
      await t.close()
      await host.close()
    },
  })
}

/** The fields of Gamma's events that the answers are made of. */
export type GammaJson = {
  id: string
  slug: string
  title: string
  startDate: string
  endDate: string
  active: boolean
  closed: boolean
  volume: number
  volume24hr: number
  liquidity: number
  openInterest: number
  seriesSlug: string
  series: { id: string; slug: string; title: string; recurrence: string }[]
  tags: { slug: string }[]
  markets: {
    id: string
    question: string
    conditionId: string
    outcomes: string
    outcomePrices: string
    clobTokenIds: string
    volume: string
    liquidity: string
    active: boolean
    closed: boolean
    groupItemTitle: string
    eventStartTime?: string
  }[]
}
