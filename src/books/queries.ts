import { toTokenId } from '../core/token-id.js'
import type { Sql } from '../store/connection.js'

/** Tokens of markets that take orders, decimal, those of the most traded markets first. Index: markets_open. */
export async function selectOpenTokens(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ token: string }[]>`
    select encode(token, 'hex') as token
      from (
        select id, tokens, coalesce(volume_24h, 0) as volume
          from markets
         where not closed and active and enable_order_book and accepting_orders
         order by coalesce(volume_24h, 0) desc, id
         limit ${limit}
      ) open, unnest(open.tokens) with ordinality as outcomes (token, place)
     order by open.volume desc, open.id, place
     limit ${limit}`
  return rows.map(({ token }) => toTokenId(`0x${token}`))
}
