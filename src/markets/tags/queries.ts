import type { Page } from '../../core/page.js'
import { tagSlug } from '../../lookups/tag-filter.js'
import type { Sql } from '../../store/connection.js'
import { isAfterKey, type OrderColumn, orderedBy } from '../../store/keyset.js'

type TagRow = { slug: string; label: string; markets: number }

const MOST_MARKETS_FIRST: readonly OrderColumn[] = [
  { column: '-c.markets', type: 'integer' },
  { column: 'c.slug', type: 'text' },
]

/** Tags, those of most markets first. Index: tag_counts_markets. */
export function selectTags(sql: Sql, { after, limit, offset }: Page): Promise<TagRow[]> {
  return sql<TagRow[]>`
    select c.slug, c.label, c.markets from tag_counts c
     where ${isAfterKey(sql, MOST_MARKETS_FIRST, after, true)}
     ${orderedBy(sql, MOST_MARKETS_FIRST, true)}
     limit ${limit} offset ${offset}`
}

export type CountedTagRow = {
  slug: string
  markets: number
  events: number
  firstSec: number
  lastSec: number
}

type TagChoice = {
  prefix: string
  marketsMin: number
  sort: 'popularity' | 'alpha'
  limit: number
}

/** Tags by the number of their markets or by slug. Indexes: tag_counts_markets, tag_counts_pkey. */
export function selectCountedTags(
  sql: Sql,
  { prefix, marketsMin, sort, limit }: TagChoice,
): Promise<CountedTagRow[]> {
  return sql<CountedTagRow[]>`
    select slug, markets, events, floor(extract(epoch from first_seen_at))::float8 as first_sec,
           floor(extract(epoch from last_seen_at))::float8 as last_sec
      from tag_counts
     where starts_with(slug, ${prefix}) and markets >= ${marketsMin}
     order by ${sort === 'alpha' ? sql`slug` : sql`-markets, slug`}
     limit ${limit}`
}

/**
 * Counts the markets and events of every tag again. It reads all markets once, so a job does it. Tags
 * without markets are left out; those without a slug get one made of their label.
 */
export async function replaceTagCounts(tx: Sql): Promise<void> {
  await tx`delete from tag_counts`
  await tx`
    insert into tag_counts
    with per_event as materialized (
      select event, count(*) as markets, min(coalesce(created_at, first_seen)) as first_at,
             max(coalesce(created_at, first_seen)) as last_at
        from markets where event is not null group by event
    ), named as (
      select id, ${tagSlug(tx)} as slug,
             coalesce(label, slug) as label
        from tags
    ), tagged as (
      -- An event may have two tags of one slug.
      select t.slug, min(t.label) as label, et.event
        from named t
        join event_tags et on et.tag = t.id
       where t.slug is not null
       group by t.slug, et.event
    )
    select t.slug, min(t.label), sum(e.markets), count(*), min(e.first_at), max(e.last_at)
      from tagged t
      join per_event e on e.event = t.event
     group by t.slug`
}
