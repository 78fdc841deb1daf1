import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import { type Gamma, RowMemory } from './gamma.js'
import { Refusal } from './refusal.js'
import { route } from './routes.js'
import { TagRelations } from './tag-relations.js'

const TEXT = { 'content-type': 'text/plain' }

/** The catalogue of the site: events, markets, series, tags, people. */
export function createGammaHost(universe: Universe): HostParts {
  const relations = new TagRelations(universe)
  const gamma: Gamma = { universe, relations, events: new RowMemory(), markets: new RowMemory() }
  return { http: (request) => answer(gamma, request) }
}

function answer(gamma: Gamma, { method, path, query, headers }: HttpRequest): HttpReply {
  // The CDN of the real host refuses clients without a user agent.
  if (!headers['user-agent']) return { status: 403, body: 'error code: 1010', headers: TEXT }
  if (method === 'POST') return { status: 405, body: { error: 'method not allowed' } }
  try {
    const body = route(gamma, path, query)
    if (body === undefined) return { status: 404, body: '404 page not found', headers: TEXT }
    return typeof body === 'string' ? { status: 200, body, headers: TEXT } : { status: 200, body }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { status: error.status, body: { type: error.type, error: error.message } }
  }
}
