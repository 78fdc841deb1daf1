import { hexToBytes } from '../../lib/hex.js'
import type { Sql } from '../../store/connection.js'

export type TestBookMarket = {
  id: number
  eventId: number
  eventSlug: string
  slug: string
  conditionId: string
  /** Hex. */
  tokens: readonly string[]
}

/** Writes what names of books are looked up in. */
export async function insertBookMarkets(sql: Sql, markets: readonly TestBookMarket[]) {
  const flags = { active: true, closed: false, archived: false, neg_risk: false }
  const shared = { ...flags, first_seen: new Date(0) }
  const events = new Map(markets.map(({ eventId, eventSlug }) => [eventId, eventSlug]))
  await sql`insert into events ${sql([...events].map(([id, slug]) => ({ ...shared, id, slug })))}`
  for (const { id, eventId: event, slug, conditionId, tokens } of markets) {
    const row = { ...shared, id, event, slug, condition: hexToBytes(conditionId) }
    await sql`
      insert into markets ${sql({
        ...row,
        accepting_orders: true,
        enable_order_book: true,
        outcomes: ['Yes', 'No'],
        tokens: [] as Buffer[],
      })}`
    await sql`
      update markets
         set tokens = array(select decode(substr(t, 3), 'hex') from unnest(${[...tokens]}::text[]) t)
       where id = ${id}`
  }
}
