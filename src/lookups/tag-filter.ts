import type { Fragment, Sql } from '../store/connection.js'

/**
 * The tags that a text names, by slug or by label, in capitals or small letters, with `-` for a space.
 * Several tags may share a label. Indexes: tags_plain_slug, tags_plain_label.
 */
export async function selectTagIds(sql: Sql, text: string): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from tags where ${isNamedTag(sql, text)} order by id`
  return rows.map(({ id }) => id)
}

/** The condition that a text names a row of `tags`. */
export const isNamedTag = (sql: Sql, text: string): Fragment => sql`
  (lower(replace(slug, '-', ' ')) = lower(replace(${text}::text, '-', ' '))
   or lower(replace(label, '-', ' ')) = lower(replace(${text}::text, '-', ' ')))`

/** The slug of a row of `tags`; one without a slug gets one made of its label. */
export const tagSlug = (sql: Sql): Fragment => sql`coalesce(slug, lower(replace(label, ' ', '-')))`

/** Tags of which a market has one. `isCategory`: the market's first tag counts alone. */
export type TagFilter = { tags: readonly number[]; isCategory: boolean }

/** What the parameters `category` and `tag_slug` leave; a text that names no tag leaves nothing. */
export async function selectTagFilters(
  sql: Sql,
  { category, tag_slug: tag }: { category?: string | undefined; tag_slug?: string | undefined },
): Promise<TagFilter[]> {
  const filters: TagFilter[] = []
  if (category !== undefined) {
    filters.push({ tags: await selectTagIds(sql, category), isCategory: true })
  }
  if (tag !== undefined) filters.push({ tags: await selectTagIds(sql, tag), isCategory: false })
  return filters
}

/** The condition that a column names a token of such a market. Indexes: primary keys, event_tags_pkey. */
export const isTokenTagged = (sql: Sql, column: string, filter: TagFilter): Fragment => sql`
  exists (select
            from tokens t
            join market_tokens mt on mt.token = t.token
            join markets m on m.id = mt.market
            join event_tags et on et.event = m.event
           where t.id = ${sql(column)} and ${isOneOfTags(sql, filter)})`

/** How many markets carry such a tag, counted no further than `max`. Indexes: event_tags_tag, markets_event. */
export async function countTaggedMarkets(sql: Sql, filter: TagFilter, max: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count
      from (select from event_tags et join markets m on m.event = et.event
             where ${isOneOfTags(sql, filter)} limit ${max}) found`
  return row?.count ?? 0
}

/** The condition that the row `et` of event_tags is wanted. Column `place`: the index of the tag in its event. */
export const isOneOfTags = (sql: Sql, { tags, isCategory }: TagFilter): Fragment => sql`
  et.tag = any(${[...tags]}::integer[]) ${isCategory ? sql`and et.place = 0` : sql``}`
