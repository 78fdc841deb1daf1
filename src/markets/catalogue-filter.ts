import { isOneOfTags, selectTagFilters, type TagFilter } from '../lookups/tag-filter.js'
import type { Sql } from '../store/connection.js'
import type { CatalogueFilter } from './catalogue-page.js'

/** What lists of markets and of events are narrowed by. */
export type CatalogueFilters = {
  category?: string | undefined
  tag_slug?: string | undefined
  event_slug?: string | undefined
  active?: boolean | undefined
  neg_risk?: boolean | undefined
}

/** Conditions for each filter that is given. `undefined`: nothing can match. */
export async function resolveCatalogueFilters(
  sql: Sql,
  given: CatalogueFilters,
): Promise<CatalogueFilter[] | undefined> {
  const filters: CatalogueFilter[] = []
  for (const tagged of await selectTagFilters(sql, given)) {
    if (tagged.tags.length === 0) return undefined
    filters.push(hasTag(sql, tagged))
  }
  if (given.event_slug !== undefined) {
    const events = await selectEventIds(sql, given.event_slug)
    if (events.length === 0) return undefined
    filters.push(isOfEvents(sql, events))
  }
  const { active, neg_risk: negRisk } = given
  if (active === true) filters.push({ condition: sql`c.active`, matches: 'most' })
  // Few ever were taken off. Index: markets_inactive, events_inactive.
  if (active === false) filters.push({ condition: sql`not c.active`, matches: 'few' })
  if (negRisk !== undefined) {
    filters.push({ condition: negRisk ? sql`c.neg_risk` : sql`not c.neg_risk`, matches: 'most' })
  }
  return filters
}

/** Indexes: event_tags_pkey along an order; else event_tags_tag or event_tags_first, and markets_event. */
export const hasTag = (sql: Sql, filter: TagFilter): CatalogueFilter => ({
  condition: sql`exists (
    select from event_tags et where et.event = c.event and ${isOneOfTags(sql, filter)})`,
  matches: 'some',
})

/** Index: markets_event. */
const isOfEvents = (sql: Sql, events: readonly number[]): CatalogueFilter => ({
  condition: sql`c.event = any(${[...events]}::int[])`,
  matches: 'few',
})

/** Index: events_slug. */
async function selectEventIds(sql: Sql, slug: string): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`select id from events where slug = ${slug} order by id`
  return rows.map(({ id }) => id)
}
