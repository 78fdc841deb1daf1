import type { Sql } from '../../store/connection.js'

/** Ids of the catalogue are below; an id that is larger is not in it. */
const ID_MAX = 2 ** 31 - 1

/** The slug of an event of the catalogue. `undefined`: it has none. */
export async function selectEventSlug(sql: Sql, eventId: string): Promise<string | undefined> {
  if (Number(eventId) > ID_MAX) return undefined
  const [row] = await sql<{ slug: string | null }[]>`
    select slug from events where id = ${Number(eventId)}`
  return row?.slug ?? undefined
}

/** The slug of the event of a market of the catalogue. `undefined`: it has none. */
export async function selectSlugOfMarket(sql: Sql, marketId: string): Promise<string | undefined> {
  if (Number(marketId) > ID_MAX) return undefined
  const [row] = await sql<{ slug: string | null }[]>`
    select e.slug from markets m join events e on e.id = m.event where m.id = ${Number(marketId)}`
  return row?.slug ?? undefined
}
