import type { FastifyInstance } from 'fastify'
import type { Role } from '../config/roles.js'
import { ApiError } from '../core/errors.js'
import { editDistance } from '../lib/edit-distance.js'
import { sendError } from './errors.js'
import type { Observe } from './observe.js'

/**
 * Answers unknown paths with 404 and a hint, and known paths with another method with 405. Neither
 * needs a key or reads a body. It covers the routes that are registered after this call.
 */
export function handleNotFound(app: FastifyInstance, observe: Observe, roles: readonly Role[]): void {
  const routes = collectRoutes(app)
  // The framework's own handler would come after its check of the body, which a method may require.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    reply.raw.once('finish', () => observe(request, reply))
    const [path = ''] = request.url.split('?', 1)
    const methods = methodsOf(routes, path)
    if (methods.length > 0) {
      const allow = methods.join(', ')
      reply.header('allow', allow)
      const message = `${request.method} is not possible here. Allowed: ${allow}`
      return sendError(request, reply, new ApiError(405, message))
    }
    const hint = roles.includes('api') ? hintAt(nearestPath(routes, path)) : hintElsewhere(roles)
    return sendError(request, reply, notFound(path, hint))
  })
}

function hintAt(nearest: string | undefined): string {
  const meant = nearest === undefined ? '' : `Did you mean ${nearest}? `
  return `${meant}Every path is listed at /docs.`
}

/** Most likely a load balancer sends requests to the wrong process. */
const hintElsewhere = (roles: readonly Role[]): string =>
  `This process has the roles ${roles.join(', ')}. Those with the role api answer requests.`

function notFound(path: string, hint: string): ApiError {
  return path.startsWith('/v3/')
    ? new ApiError(404, 'not_found', { path: path.slice(0, 200), hint })
    : new ApiError(404, 'Not found.', { hint })
}

type KnownRoute = { methods: string[]; path: string; segments: string[]; isDocumented: boolean }

/** The list grows as routes are registered. */
function collectRoutes(app: FastifyInstance): KnownRoute[] {
  const routes: KnownRoute[] = []
  app.addHook('onRoute', ({ method, url, schema }) => {
    routes.push({
      methods: [method].flat(),
      path: url.replace(/:(\w+)/g, '{$1}'),
      segments: url.split('/'),
      isDocumented: schema?.hide !== true && !url.includes('*'),
    })
  })
  return routes
}

/** The methods that a path answers to; empty when there is no such path. */
function methodsOf(routes: readonly KnownRoute[], path: string): string[] {
  const segments = path.split('/')
  // The wildcard takes preflight requests of every path, existing or not.
  const found = routes.filter((route) => !route.path.includes('*') && matches(route, segments))
  return [...new Set(found.flatMap(({ methods }) => methods))].sort()
}

/** The documented path that is closest to one that does not exist, if any is close. */
function nearestPath(routes: readonly KnownRoute[], path: string): string | undefined {
  if (path.length > 120) return undefined
  const segments = path.split('/')
  let best: string | undefined
  let bound = Math.max(3, Math.floor(path.length / 3)) + 1
  for (const route of routes) {
    if (!route.isDocumented) continue
    const apart = measure(route.segments, segments, bound)
    if (apart < bound) {
      best = route.path
      bound = apart
    }
  }
  return best
}

function matches({ segments }: KnownRoute, requested: string[]): boolean {
  return (
    segments.length === requested.length &&
    segments.every((segment, index) => isParameter(segment) || segment === requested[index])
  )
}

/** How far apart two paths are; gives up at `bound`, because any client may ask for any path. */
function measure(known: string[], requested: string[], bound: number): number {
  if (Math.abs(known.length - requested.length) > 1) return bound
  let apart = 0
  for (let index = 0; index < Math.max(known.length, requested.length) && apart < bound; index++) {
    const expected = known[index] ?? ''
    const actual = requested[index] ?? ''
    if (expected === actual || (isParameter(expected) && actual !== '')) continue
    const lengthsApart = Math.abs(expected.length - actual.length)
    apart += lengthsApart < bound ? editDistance(expected, actual) : lengthsApart
  }
  return apart
}

const isParameter = (segment: string): boolean => segment.startsWith(':')
