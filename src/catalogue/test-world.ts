import { Registry } from 'prom-client'
import { createClobHost } from '../../sim/clob/host.js'
import { createGammaHost } from '../../sim/gamma/host.js'
import { Faults } from '../../sim/server/faults.js'
import type { HttpReply, HttpRequest } from '../../sim/server/handlers.js'
import { openHost } from '../../sim/server/host.js'
import { Universe } from '../../sim/universe/universe.js'
import { createTestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { FloodLog } from '../lib/flood-log.js'
import { createLog } from '../lib/log.js'
import type { Timing } from '../lib/timing.js'
import { ClobClient } from '../upstreams/clob/client.js'
import { GammaClient } from '../upstreams/gamma/client.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { Catalogue } from './catalogue.js'
import type { CatalogueDeps } from './deps.js'
import { createCatalogueMetrics } from './deps.js'

const START_MS = Date.UTC(2026, 10, 12)
const LIVED_MS = 30 * 60_000
/** Coins whose many windows Gamma does not show here, so that fewer pages are read. */
const HIDDEN = ['ethereum', 'solana', 'xrp', 'dogecoin', 'bnb', 'hyperliquid']

export type CatalogueWorld = Awaited<ReturnType<typeof openCatalogueWorld>>

/** A universe of half an hour, its Gamma and its order book over sockets, and an empty catalogue. */
export async function openCatalogueWorld(limits?: ConstructorParameters<typeof Catalogue>[1]) {
  const universe = new Universe({ seed: 11, startMs: START_MS })
  universe.advance(START_MS + LIVED_MS)
  const database = await createTestDatabase()
  const faults = new Faults()
  const gammaHost = createGammaHost(universe)
  const hidden = universe.catalogue.tags.filter(({ slug }) => HIDDEN.includes(slug))
  const requests: HttpRequest[] = []
  const world = {
    universe,
    faults,
    requests,
    /** What Gamma shows, the newest last. */
    events: () =>
      universe.catalogue.events().filter(({ tags }) => !tags.some(({ slug }) => HIDDEN.includes(slug))),
    /** Changes an answer of Gamma on its way. */
    spoil: (_request: HttpRequest, reply: HttpReply): HttpReply => reply,
  }
  const gamma = await openHost('gamma', faults, {
    http: async (request) => {
      requests.push(request)
      for (const { id } of hidden) request.query.append('exclude_tag_id', id)
      const reply = (await gammaHost.http?.(request)) ?? { status: 404, body: '' }
      return world.spoil(request, reply)
    },
  })
  const clob = await openHost('clob', faults, createClobHost(universe))
  const clock = new ManualClock(universe.nowMs)
  const registry = new Registry()
  const timing = instantTiming()
  const shared = { metrics: createUpstreamMetrics(registry), clock, timing }
  const deps: CatalogueDeps = {
    store: { sql: database.sql },
    gamma: new GammaClient({ ...shared, url: gamma.url }),
    clob: new ClobClient({ ...shared, url: clob.url }),
    clock,
    floodLog: new FloodLog(createLog('silent', process.stderr)),
    metrics: createCatalogueMetrics(registry),
    catalogue: new Catalogue(clock, limits),
  }
  /** As if nothing had been read yet. */
  const forget = async () => {
    world.spoil = (_request, reply) => reply
    faults.set({ upstream: '*', mode: 'off' })
    requests.length = 0
    await database.sql`truncate events, markets, event_tags, market_tokens, tags, series, market_texts, event_texts, search_words`
    await database.sql`delete from catalogue_state`
    await database.sql`insert into catalogue_state default values`
  }
  const close = async () => {
    await deps.gamma.close()
    await deps.clob.close()
    await gamma.close()
    await clob.close()
    await database.drop()
  }
  return Object.assign(world, { sql: database.sql, clock, timing, registry, deps, forget, close })
}

/** Does not wait: time jumps to the end of each sleep. */
export function instantTiming(): Timing {
  let nowMs = 0
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      nowMs += ms
    },
  }
}

export const never = new AbortController().signal
