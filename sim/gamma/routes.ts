import { listEvents, pageEvents, paginateEvents, requireEvent } from './events.js'
import type { Gamma } from './gamma.js'
import { listMarkets, pageMarkets, requireMarket, showMarket } from './markets.js'
import { presentEvent } from './present-event.js'
import { presentTag } from './present-tag.js'
import { showProfile } from './profiles.js'
import { invalid } from './refusal.js'
import { search } from './search.js'
import { listSeries, showSeries } from './series-routes.js'
import { listMarketTypes, listResults, listSports, listTeams, summarizeSports } from './sports-routes.js'
import { listRelatedTags, listRelations, listTags, showTag } from './tag-routes.js'

/** `name` is the id or the slug in the path. */
type Handler = (gamma: Gamma, query: URLSearchParams, name: string) => unknown

/** `:id` must be a number, `:slug` can be anything. The first path that fits counts. */
const TABLE: Record<string, Handler> = {
  '/events': listEvents,
  '/events/keyset': pageEvents,
  '/events/pagination': paginateEvents,
  '/events/results': listResults,
  '/events/slug/:slug': (gamma, _, slug) => presentEvent(gamma.universe, requireEvent(gamma, 'slug', slug)),
  '/events/:id': (gamma, _, id) => presentEvent(gamma.universe, requireEvent(gamma, 'id', id)),
  '/events/:id/tags': (gamma, _, id) => requireEvent(gamma, 'id', id).tags.map(presentTag),
  '/markets': listMarkets,
  '/markets/keyset': pageMarkets,
  '/markets/slug/:slug': (gamma, query, slug) => showMarket(gamma, query, requireMarket(gamma, 'slug', slug)),
  '/markets/:id': (gamma, query, id) => showMarket(gamma, query, requireMarket(gamma, 'id', id)),
  '/markets/:id/tags': (gamma, _, id) => requireMarket(gamma, 'id', id).event.tags.map(presentTag),
  '/series': ({ universe }, query) => listSeries(universe, query),
  '/series/:id': ({ universe }, query, id) => showSeries(universe, query, id),
  '/tags': listTags,
  '/tags/slug/:slug': (gamma, _, slug) => showTag(gamma, 'slug', slug),
  '/tags/slug/:slug/related-tags': (gamma, query, slug) => listRelations(gamma, query, 'slug', slug),
  '/tags/slug/:slug/related-tags/tags': (gamma, query, slug) => listRelatedTags(gamma, query, 'slug', slug),
  '/tags/:id': (gamma, _, id) => showTag(gamma, 'id', id),
  '/tags/:id/related-tags': (gamma, query, id) => listRelations(gamma, query, 'id', id),
  '/tags/:id/related-tags/tags': (gamma, query, id) => listRelatedTags(gamma, query, 'id', id),
  '/public-search': search,
  '/public-profile': showProfile,
  '/sports': listSports,
  '/sports/market-types': listMarketTypes,
  '/sports/summary': summarizeSports,
  '/teams': listTeams,
  '/status': () => 'OK',
}

const PATTERNS = Object.entries(TABLE).map(([path, handle]) => {
  const pattern = path.replace(/:\w+/, '([^/]+)')
  return { pattern: new RegExp(`^${pattern}$`), isById: path.includes(':id'), handle }
})

/** `undefined`: no such path. */
export function route(gamma: Gamma, path: string, query: URLSearchParams): unknown {
  for (const { pattern, isById, handle } of PATTERNS) {
    const found = pattern.exec(path)
    if (found === null) continue
    const name = found[1] ?? ''
    if (isById && !/^\d+$/.test(name)) throw invalid('id is invalid')
    return handle(gamma, query, name)
  }
  return undefined
}
