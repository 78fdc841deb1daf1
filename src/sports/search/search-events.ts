import { canonicalSlugOf } from '../../lookups/game-slug.js'
import { isSearchable, toQueryWords } from '../../lookups/query-words.js'
import type { GammaEvent } from '../../upstreams/gamma/parse.js'
import { readFirst, type Sourced, type SportsTools } from '../sources.js'
import { type FoundEvent, selectFoundEvents } from './queries.js'

const SPORTS_TAG = 'sports'
/** What the platform shows at most. */
const FOUND_MAX = 50
/** Markets that ended longer ago do not make an event match. */
const KEEP_CLOSED_HOURS = 24

/**
 * Events of sports, futures too, that match a text: as the platform's search finds them, else by their
 * titles, else in our copy of its catalogue.
 */
export async function searchEvents(
  tools: SportsTools,
  q: string,
  limit: number,
): Promise<Sourced<FoundEvent[]>> {
  const { upstreams } = tools.deps
  const { answerSql } = tools.platform
  const { gamma } = upstreams
  const found = await readFirst<FoundEvent[]>(tools, [
    {
      name: 'gamma:/public-search',
      read: async (call) => {
        const only = { eventsTag: [SPORTS_TAG], keepClosedMarkets: KEEP_CLOSED_HOURS }
        const events = await gamma.searchEvents({ q, limitPerType: FOUND_MAX, ...only }, call)
        return events.filter(isOfSports)
      },
    },
    {
      name: 'gamma:/events/keyset',
      read: async (call) => {
        const filter = { titleSearch: q, tagSlug: SPORTS_TAG, order: 'volume', ascending: false }
        const page = { ...filter, limit: FOUND_MAX }
        return (await gamma.readEventPage(page, undefined, call)).items
      },
    },
    {
      name: 'auspex:catalogue',
      read: async () => {
        const words = toQueryWords(q)
        return isSearchable(words) ? selectFoundEvents(answerSql, words, FOUND_MAX) : []
      },
    },
  ])
  return { ...found, value: withoutCompanions(found.value).slice(0, limit).map(toFound) }
}

/** Tags are not on every event that the search shows. */
const isOfSports = ({ tags }: GammaEvent): boolean =>
  tags.length === 0 || tags.some(({ slug }) => slug === SPORTS_TAG)

/** A game stands for its companions, unless only they match. */
function withoutCompanions(events: readonly FoundEvent[]): FoundEvent[] {
  const slugs = new Set(events.map(({ slug }) => slug))
  return events.filter(({ slug = '' }) => {
    const canonical = canonicalSlugOf(slug)
    return slug !== '' && (canonical === slug || !slugs.has(canonical))
  })
}

const toFound = ({ id, slug, title, active, closed, volume }: FoundEvent): FoundEvent => ({
  id,
  slug,
  title,
  active,
  closed,
  volume,
})
