import type { Sql } from '../store/connection.js'

/**
 * The tags that a text names, by slug or by label, in capitals or small letters, with `-` for a space.
 * Several tags may share a label. Indexes: tags_plain_slug, tags_plain_label.
 */
export async function selectTagIds(sql: Sql, text: string): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from tags
     where lower(replace(slug, '-', ' ')) = lower(replace(${text}::text, '-', ' '))
        or lower(replace(label, '-', ' ')) = lower(replace(${text}::text, '-', ' '))
     order by id`
  return rows.map(({ id }) => id)
}
