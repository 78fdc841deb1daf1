import { hasText, type QueryWord, substringPattern } from '../../lookups/query-words.js'
import type { Sql } from '../../store/connection.js'

/** An event that a search found. */
export type FoundEvent = {
  id: string
  slug: string | undefined
  title: string | undefined
  active: boolean | undefined
  closed: boolean | undefined
  volume: number | undefined
}

/** Sports events with all words in title or slug: open ones first, then by volume. Index: event_texts_trigrams. */
export const selectFoundEvents = (
  sql: Sql,
  words: readonly QueryWord[],
  limit: number,
): Promise<FoundEvent[]> => sql<FoundEvent[]>`
  select e.id::text as id, e.slug, e.title, e.active, e.closed, coalesce(e.volume, 0)::float8 as volume
    from event_texts t join events e on e.id = t.event
   where ${hasText(sql, sql`t.text`, words, substringPattern)}
     and e.slug is not null and e.title is not null and e.gone_at is null and not e.archived
     and exists (
       select from event_tags n join tags g on g.id = n.tag where n.event = e.id and g.slug = 'sports')
   order by e.closed, coalesce(e.volume, 0) desc, e.id desc
   limit ${limit}`
