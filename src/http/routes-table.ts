import type { FastifyInstance } from 'fastify'

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

const SEGMENT_LENGTH_MAX = 40

/** The documented path that is closest to one that does not exist, if any is close. */
export function nearestPath(
  { routes }: RoutesTable,
  path: string,
  distance: (a: string, b: string) => number,
): string | undefined {
  const segments = path.split('/')
  if (segments.some((segment) => segment.length > SEGMENT_LENGTH_MAX)) return undefined
  const ranked = routes
    .filter(({ isDocumented }) => isDocumented)
    .map((route) => ({ route, apart: measure(route.segments, segments, distance) }))
    .sort((a, b) => a.apart - b.apart)
  const [best] = ranked
  return best !== undefined && best.apart <= Math.max(3, path.length / 3)
    ? best.route.path
    : undefined
}

function matches({ segments }: KnownRoute, asked: string[]): boolean {
  return (
    segments.length === asked.length &&
    segments.every((segment, index) => isParameter(segment) || segment === asked[index])
  )
}

function measure(
  known: string[],
  asked: string[],
  distance: (a: string, b: string) => number,
): number {
  const length = Math.max(known.length, asked.length)
  if (Math.abs(known.length - asked.length) > 1) return Number.POSITIVE_INFINITY
  let apart = 0
  for (let index = 0; index < length; index++) {
    const expected = known[index] ?? ''
    const given = asked[index] ?? ''
    if (!(isParameter(expected) && given !== '')) apart += distance(expected, given)
  }
  return apart
}

const isParameter = (segment: string): boolean => segment.startsWith(':')
