import { parseTokenId } from '../../core/ids.js'
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

/** Writes the rows in which the names of books are looked up. */
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
    await sql`
      insert into market_tokens
      select token, id, position - 1
        from markets, unnest(tokens) with ordinality as outcomes (token, position)
       where id = ${id}`
  }
}

/** Writes tokens, by their decimal ids, of a market that has nothing else. */
export async function insertTokens(sql: Sql, tokenIds: readonly string[]): Promise<void> {
  const tokens = tokenIds.map((tokenId) => parseTokenId(tokenId) ?? '0x')
  await sql`
    insert into market_tokens
    select decode(substr(hex, 3), 'hex'), 0, 0 from unnest(${tokens}::text[]) hex
        on conflict do nothing`
}
