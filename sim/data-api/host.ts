import type { HostParts, HttpReply, HttpRequest } from '../server/host.js'
import type { Universe } from '../universe/universe.js'
import { readCamelQuery, readEitherQuery } from './casing.js'
import { type Api, createApi, type Route } from './context.js'
import { EdgeCache } from './edge-cache.js'
import { BadRequest } from './query.js'
import { findV1Route } from './v1.js'
import { V2_ROUTES } from './v2.js'

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
  const routeV2 = V2_ROUTES[path]
  if (routeV2 !== undefined) return run(() => runV2(routeV2, api, readEitherQuery(query)))
  const routeV1 = findV1Route(path)
  if (routeV1 === undefined) return { status: 404, body: { error: 'not found' } }
  return run(() => routeV1(api, readCamelQuery(query)))
}

function runV2(route: Route, api: Api, query: URLSearchParams): unknown {
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
