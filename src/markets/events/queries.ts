import { hasText, insidePattern, type QueryWord } from '../../lookups/query-words.js'
import type { Sql } from '../../store/connection.js'
import { hex } from '../../store/sql-words.js'
import type { CatalogueFilter, CatalogueId } from '../catalogue-page.js'
import { eventLabels } from '../listing/queries.js'

/** An event with its markets. Amounts are decimal text. */
export type ListedEvent = {
  id: number
  slug: string | null
  title: string | null
  tags: string[] | null
  marketCount: number
  active: boolean
  closed: boolean
  negRisk: boolean
  volume: string
  liquidity: string
  endSec: number | null
  image: string | null
  conditions: string[]
}

/** These events, in the order of the ids. Indexes: events_pkey, markets_event. */
export async function selectListedEvents(
  sql: Sql,
  rows: readonly CatalogueId[],
): Promise<(CatalogueId & ListedEvent)[]> {
  const events = await sql<ListedEvent[]>`
    select e.id, e.slug, e.title, ${eventLabels(sql)} as tags,
           coalesce(e.market_count, 0) as market_count, e.active, e.closed, e.neg_risk,
           coalesce(e.volume, 0)::text as volume, coalesce(e.liquidity, 0)::text as liquidity,
           floor(extract(epoch from e.end_at))::float8 as end_sec, e.image,
           array(
             select ${hex(sql, 'm.condition')} from markets m
              where m.event = e.id and m.condition is not null order by m.id
           ) as conditions
      from events e
     where e.id = any(${rows.map(({ id }) => id)}::int[])`
  const byId = new Map(events.map((event) => [event.id, event]))
  return rows.flatMap((row) => {
    const event = byId.get(row.id)
    return event === undefined ? [] : [{ ...row, ...event }]
  })
}

/** Events with all words in title or slug. Index: event_texts_trigrams. */
export const hasEventText = (sql: Sql, words: readonly QueryWord[]): CatalogueFilter => ({
  condition: sql`exists (
    select from event_texts t where t.event = c.event and ${hasText(sql, sql`t.text`, words, insidePattern)})`,
  matches: 'some',
})
