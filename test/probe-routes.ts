import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { SOCIAL, STANDARD, V3, V3_HEAVY } from '../src/accounts/access.js'
import { unavailable } from '../src/core/errors.js'

const ListQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: 80 }),
  limit: Type.Integer({ minimum: 1, maximum: 300, default: 100 }),
  sort: Type.Optional(Type.Enum(['new', 'old'])),
  exact: Type.Optional(Type.Boolean()),
  share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
})
const WindowQuery = Type.Object({ end: Type.Integer() })
const Echo = Type.Record(Type.String(), Type.Unknown())

/** What the handlers of the probe routes have seen. */
export const probe = {
  handled: 0,
  computed: 0,
  fail: false,
  bytes: 10,
  /** Whether computations of windows wait until they are let go. */
  holds: false,
  /** Lets the computations of windows go, each by its turn. */
  held: [] as (() => void)[],
}

/** Routes of every kind of access, for what all routes share. */
export const probeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const response = { 200: Echo }
  app.get(
    '/v1/probe/list',
    { config: { access: STANDARD }, schema: { querystring: ListQuery, response } },
    async ({ query }) => {
      probe.handled++
      return query
    },
  )
  app.get(
    '/v3/probe',
    { config: { access: V3 }, schema: { querystring: ListQuery, response } },
    async ({ query }) => query,
  )
  app.get('/v3/probe/:name/trades', { config: { access: V3_HEAVY }, schema: { response } }, async () => ({}))
  app.get(
    '/v2/probe/search',
    { config: { access: { buckets: ['rest', 'search_online'], cost: 'page' } }, schema: { response } },
    async () => ({}),
  )
  app.get(
    '/v2/probe/social',
    {
      config: { access: SOCIAL },
      schema: { response },
    },
    async () => ({}),
  )
  app.get(
    '/v2/probe/export',
    {
      config: { access: { buckets: ['rest'], plan: { from: 'growth', refusal: 403 }, cost: 'page' } },
      schema: { response },
    },
    async () => ({}),
  )
  app.get(
    '/v1/probe/cached',
    {
      config: { access: STANDARD, cacheMs: 30_000 },
      schema: { querystring: Type.Object({ page: Type.Optional(Type.Integer()) }), response },
    },
    async ({ query }) => {
      const number = ++probe.computed
      await new Promise((resolve) => setImmediate(resolve))
      if (probe.fail) throw unavailable('upstream is down')
      return { ...query, number, filler: 'x'.repeat(probe.bytes) }
    },
  )
  app.get(
    '/v1/probe/window',
    {
      config: {
        access: STANDARD,
        cacheMs: ({ end }: Static<typeof WindowQuery>, nowMs) => (nowMs < end ? 10_000 : 600_000),
        cacheGridMs: 300_000,
        toRepeated: (value: Static<typeof Echo>) => ({ ...value, cached: true }),
      },
      schema: { querystring: WindowQuery, response },
    },
    async () => {
      const number = ++probe.computed
      if (probe.holds) await new Promise<void>((resolve) => probe.held.push(resolve))
      return { number, cached: false, filler: 'x'.repeat(probe.bytes) }
    },
  )
  app.get('/v1/probe/large', { config: { access: STANDARD }, schema: { response } }, async () => ({
    filler: 'x'.repeat(50_000),
  }))
  app.get('/v1/probe/broken', { config: { access: STANDARD }, schema: { response } }, async () => {
    throw new Error('secret detail')
  })
}
