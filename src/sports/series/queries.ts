import type { Sql } from '../../store/connection.js'

/** The slugs of these series; those that the catalogue does not have are absent. Index: series_pkey. */
export async function selectSeriesSlugs(sql: Sql, ids: readonly number[]): Promise<string[]> {
  const rows = await sql<{ slug: string }[]>`
    select slug from series where id = any(${[...ids]}::integer[]) and slug is not null order by id`
  return rows.map(({ slug }) => slug)
}
