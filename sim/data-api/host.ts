import { LRUCache } from 'lru-cache'
import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import { readCamelQuery, readEitherQuery } from './casing.js'
import { type Api, createApi, type Route } from './context.js'
import { BadRequest } from './query.js'
import { ENVELOPED_ROUTES, findV1Route } from './routes.js'

/** The Data API: who traded, holds and earned what, in both of its versions. */
export function createDataApiHost(universe: Universe): HostParts {
  const api = createApi(universe)
  const cache = new EdgeCache(universe)
  return {
    http(request) {
      if (request.path === '/') return { status: 200, body: { data: 'OK' } }
      return cache.answer(request, () => answer(api, request))
    },
  }
}

function answer(api: Api, { path, query }: HttpRequest): HttpReply {
  const enveloped = ENVELOPED_ROUTES[path]
  if (enveloped !== undefined) {
    return run(() => runEnveloped(enveloped, api, readEitherQuery(query)))
  }
  const routeV1 = findV1Route(path)
  if (routeV1 === undefined) return { status: 404, body: { error: 'not found' } }
  return run(() => routeV1(api, readCamelQuery(query)))
}

function runEnveloped(route: Route, api: Api, query: URLSearchParams): unknown {
  if (query.has('offset')) throw new BadRequest("'offset' is not supported, use 'cursor'")
  return route(api, query)
}

function run(route: () => unknown): HttpReply {
  try {
    return { status: 200, body: route() }
  } catch (error) {
    if (error instanceof BadRequest) return { status: 400, body: { error: error.message } }
    throw error
  }
}

/** How long the network in front of the host repeats an answer to the same address. */
const MAX_AGES_SEC: ReadonlyMap<string, number> = new Map([
  ['/trades', 300],
  ['/activity', 15],
])
const ROWS_KEPT = 20_000
/** An address counts too: a client can make up any number of long ones. */
const ROW_CHARACTERS = 500

type Kept = { reply: HttpReply; storedMs: number }

/** Repeats answers by their whole address, whatever the request headers are: a changed dummy parameter gets a fresh one. */
class EdgeCache {
  readonly #universe: Universe
  readonly #answers = new LRUCache<string, Kept>({
    maxSize: ROWS_KEPT,
    sizeCalculation: ({ reply }, url) =>
      1 + Math.floor(url.length / ROW_CHARACTERS) + (Array.isArray(reply.body) ? reply.body.length : 0),
  })

  constructor(universe: Universe) {
    this.#universe = universe
  }

  answer(request: HttpRequest, handle: () => HttpReply): HttpReply {
    const maxAgeSec = MAX_AGES_SEC.get(request.path.replace(/^\/v1/, ''))
    if (maxAgeSec === undefined) return handle()
    const { nowMs } = this.#universe
    const known = this.#answers.get(request.url)
    const ageSec = known === undefined ? 0 : Math.floor((nowMs - known.storedMs) / 1000)
    if (known !== undefined && ageSec < maxAgeSec) return label(known.reply, maxAgeSec, ageSec)

    const reply = handle()
    if (reply.status !== 200) return reply
    this.#answers.set(request.url, { reply, storedMs: nowMs })
    return label(reply, maxAgeSec, 0)
  }
}

const label = (reply: HttpReply, maxAgeSec: number, ageSec: number): HttpReply => ({
  ...reply,
  headers: { 'cache-control': `public, max-age=${maxAgeSec}`, age: String(ageSec) },
})
