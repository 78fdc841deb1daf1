import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { storeOf } from '../../../test/database.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { buildApp } from '../../app.js'
import type { Tick, TicksReply } from '../../crypto/prices/schemas.js'
import { createPlatform } from '../../platform.js'
import { createDomains } from '../../service.js'
import type { Pool } from '../../store/connection.js'
import { packTicks } from '../archive/pack.js'
import { insertTicks, type StreamTick } from '../archive/queries.js'
import { STREAMS } from '../streams.js'

export type Reply = Static<typeof TicksReply>

/** The app with an archive of its own, and a key that may ask often. */
export async function openTickApp() {
  const t = await createTestApp()
  // Long after what the tests put in.
  t.clock.set(Date.UTC(2027, 0))
  const { key } = await t.createCaller('enterprise')
  const headers = { 'x-api-key': key }
  const getAtOnce = (query: string, app: FastifyInstance = t.app) =>
    app.inject({ url: `/v1/crypto/ticks?${query}`, headers })
  /** A second after the request before: the state of the archive is read again at most once a second. */
  const get: typeof getAtOnce = (query, app) => {
    t.clock.advance(1_000)
    return getAtOnce(query, app)
  }
  return {
    ...t,
    headers,
    get,
    getAtOnce,
    insert: (...ticks: StreamTick[]) => insertTicks(t.ctx.sql, ticks),
    packAt: (sec: number) => packTicks(t.ctx.sql, sec * 1000),
    /** Throws if the answer is no success. */
    read: async (query: TickQuery, app?: FastifyInstance): Promise<Reply> => {
      const reply = await get(toQuery(query), app)
      if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${reply.body}`)
      return reply.json()
    },
  }
}

export type TickApp = Awaited<ReturnType<typeof openTickApp>>

/** Parameters of a request; the symbol is Bitcoin by default. */
export type TickQuery = { from: number; to: number } & Record<string, string | number>

export const toQuery = (query: TickQuery): string => {
  const pairs = Object.entries({ symbol: 'BTC', ...query })
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

/** Another process on the same database, which may see it through a pool of its own. */
export async function openTwin({ ctx, target }: TestApp, sql: Pool = ctx.sql): Promise<FastifyInstance> {
  const { config, log, clock } = ctx
  const store = storeOf(sql)
  const platform = createPlatform({ config, log, clock, store })
  const app = await buildApp(platform, createDomains(platform, { target }))
  await app.ready()
  return app
}

/** Has `before` called with each query about ticks, which is sent when that is done. */
export function watchQueries(pool: Pool, before: (text: string) => Promise<void> | void): Pool {
  return new Proxy(pool, {
    apply(target, receiver, args) {
      const send = () => Reflect.apply(target, receiver, args)
      const text = Array.isArray(args[0]) ? args[0].join('') : ''
      if (!/ from tick_(state|blocks)/.test(text)) return send()
      return Promise.resolve(text).then(before).then(send)
    },
  })
}

const MEANS = {
  spot: {},
  binance: {},
  twap30: { is_twap: true, twap_window_seconds: 30 },
  twap60: { is_twap: true, twap_window_seconds: 60 },
} as const

/** How the specification shows it. */
export function showTick({ stream, sec, price, bid, ask }: StreamTick): Static<typeof Tick> {
  const { symbol, kind, source } = STREAMS.get(stream) ?? {}
  if (symbol === undefined || kind === undefined || source === undefined) throw new Error('no such stream')
  const feed = `${symbol}/USD`
  return {
    id: `${sec * 1000}-${source === 'platform_oracle' ? 0 : 1}`,
    type: 'price_feed',
    feed,
    timestamp: sec,
    timestamp_ms: sec * 1000,
    source,
    ...MEANS[kind],
    data: { feed, price, bid: bid ?? price, ask: ask ?? price, timestamp: sec, ...MEANS[kind] },
  }
}

/** As answers have them: by time, and of a second the platform first. */
export const showTicks = (ticks: readonly StreamTick[]): Static<typeof Tick>[] =>
  ticks.toSorted((a, b) => a.sec - b.sec || a.stream - b.stream).map(showTick)
