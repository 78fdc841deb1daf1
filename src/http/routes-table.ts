import type { FastifyInstance } from 'fastify'
import { editDistance } from '../lib/edit-distance.js'

/** The routes that exist, for answering about those that do not. */
export type RoutesTable = { routes: KnownRoute[] }
export type KnownRoute = {
  methods: string[]
  path: string
  segments: string[]
  isDocumented: boolean
}

/** Collects every route that is registered after this call. */
export function collectRoutes(app: FastifyInstance): RoutesTable {
  const table: RoutesTable = { routes: [] }
  app.addHook('onRoute', ({ method, url, schema }) => {
    table.routes.push({
      methods: [method].flat(),
      path: url.replace(/:(\w+)/g, '{$1}'),
      segments: url.split('/'),
      isDocumented: schema?.hide !== true && !url.includes('*'),
    })
  })
  return table
}

/** The methods that a path answers to; empty when there is no such path. */
export function methodsOf({ routes }: RoutesTable, path: string): string[] {
  const segments = path.split('/')
  // The wildcard takes preflight requests of every path, existing or not.
  const found = routes.filter((route) => !route.path.includes('*') && matches(route, segments))
  return [...new Set(found.flatMap(({ methods }) => methods))].sort()
}

const PATH_LENGTH_MAX = 120

/** The documented path that is closest to one that does not exist, if any is close. */
export function nearestPath({ routes }: RoutesTable, path: string): string | undefined {
  if (path.length > PATH_LENGTH_MAX) return undefined
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

function matches({ segments }: KnownRoute, asked: string[]): boolean {
  return (
    segments.length === asked.length &&
    segments.every((segment, index) => isParameter(segment) || segment === asked[index])
  )
}

/** How far apart two paths are; gives up at `bound`, because anybody may ask for any path. */
function measure(known: string[], asked: string[], bound: number): number {
  if (Math.abs(known.length - asked.length) > 1) return bound
  let apart = 0
  for (let index = 0; index < Math.max(known.length, asked.length) && apart < bound; index++) {
    const expected = known[index] ?? ''
    const given = asked[index] ?? ''
    if (expected === given || (isParameter(expected) && given !== '')) continue
    const lengthsApart = Math.abs(expected.length - given.length)
    apart += lengthsApart < bound ? editDistance(expected, given) : lengthsApart
  }
  return apart
}

const isParameter = (segment: string): boolean => segment.startsWith(':')
