import type { Faults } from '../server/faults.js'
import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import { BadSearch, type Engine, readForm, readSearch, type Search } from './parameters.js'
import { runSearch } from './search.js'

/**
 * A SearXNG instance with the formats html and json, and three engines, which search pages about the
 * events of the universe. Faults: `engine-down` silences the first engine of a search, `engines-down`
 * all of them, `format-off` takes the format json away.
 */
export function createSearxngHost(universe: Universe, faults: Faults): HostParts {
  const own = faults.of('searxng')
  const silentOf = ({ engines }: Search): readonly Engine[] => {
    if (own.hits('engines-down')) return engines
    return own.hits('engine-down') ? engines.slice(0, 1) : []
  }
  const answer = (request: HttpRequest): HttpReply => {
    const fields = readForm(request)
    const format = fields.get('format') ?? 'html'
    if (format === 'json' ? own.hits('format-off') : format !== 'html') return FORBIDDEN
    if (format === 'html') return html(200, 'SearXNG')
    const search = readSearch(fields)
    if (search.redirect !== undefined) {
      return { ...html(302, 'Redirecting...'), headers: { ...HTML, location: search.redirect } }
    }
    return { status: 200, body: runSearch(universe, search, silentOf(search)) }
  }
  return {
    http(request) {
      if (request.path === '/healthz') return { status: 200, body: 'OK', headers: TEXT }
      if (request.path !== '/search' && request.path !== '/') return html(404, 'Page not found')
      try {
        return answer(request)
      } catch (error) {
        if (error instanceof BadSearch) return { status: 400, body: { error: error.message } }
        throw error
      }
    },
  }
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const HTML = { 'content-type': 'text/html; charset=utf-8' }

const html = (status: number, title: string): HttpReply => ({
  status,
  body: `<!doctype html>\n<html lang=en>\n<title>${title}</title>\n`,
  headers: HTML,
})

const FORBIDDEN = html(403, '403 Forbidden')
