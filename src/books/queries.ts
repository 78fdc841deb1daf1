import { parseBytes32, parseTokenId, toTokenId } from '../core/ids.js'
import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'
import { hex, selectBytes } from '../store/sql-words.js'

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
      ) open, unnest(open.tokens) with ordinality as outcomes (token, position)
     order by open.volume desc, open.id, position
     limit ${limit}`
  return rows.map(({ token }) => toTokenId(`0x${token}`))
}

/** How many tokens markets have that take orders. Index: markets_open. */
export async function countOpenTokens(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(cardinality(tokens)), 0)::int as count
      from markets
     where not closed and active and enable_order_book and accepting_orders`
  return row?.count ?? 0
}

/**
 * Tokens of open markets, decimal, by token, condition, or slug of a market or an event, at most this many. Indexes:
 * market_tokens_pkey, markets_condition, markets_slug, events_slug, markets_event.
 */
export async function selectNamedTokens(
  sql: Sql,
  names: readonly string[],
  limit: number,
): Promise<string[]> {
  const tokens = names.flatMap((name) => parseTokenId(name) ?? [])
  const conditions = names.flatMap((name) => parseBytes32(name) ?? [])
  const rows = await sql<{ token: string }[]>`
    with named as (
      select t.token, m.id
        from market_tokens t join markets m on m.id = t.market
       where t.token in (${selectBytes(sql, tokens)}) and not m.closed
      union
      select unnest(tokens), id from markets where condition in (${selectBytes(sql, conditions)}) and not closed
      union
      select unnest(tokens), id from markets where slug = any(${[...names]}::text[]) and not closed
      union
      select unnest(m.tokens), m.id
        from events e join markets m on m.event = e.id
       where e.slug = any(${[...names]}::text[]) and not m.closed
    )
    select encode(token, 'hex') as token from named order by id, named.token limit ${limit}`
  return rows.map(({ token }) => toTokenId(`0x${token}`))
}

/** What the catalogue has of a token; `tokenId` is decimal, `condition` is hex text with `0x`. */
export type BookToken = {
  tokenId: string
  outcome: string
  condition: string
  question: string | null
  slug: string | null
  image: string | null
  outcomes: readonly string[]
  negRisk: boolean
  eventTitle: string | null
}

/** The bytes of a token or of a condition, as hex text, or the slug of a market or of an event. */
export type BookQuery = { token: string } | { condition: string } | { slug: string } | { eventSlug: string }

type BookTokenRow = Omit<BookToken, 'tokenId'> & { token: string }

/**
 * The tokens of a condition, of a market or of the open markets of an event, by market and outcome, or one token.
 * Indexes: market_tokens_pkey, markets_condition, markets_slug, events_slug, markets_event.
 */
export async function selectBookTokens(sql: Sql, query: BookQuery, limit: number): Promise<BookToken[]> {
  const rows = await sql<BookTokenRow[]>`
    select encode(u.token, 'hex') as token, coalesce(m.outcomes[u.position], '') as outcome,
           ${hex(sql, 'm.condition')} as condition, m.question, m.slug, m.image, m.outcomes,
           m.neg_risk, e.title as event_title
      from markets m
      left join events e on e.id = m.event
     cross join unnest(m.tokens) with ordinality as u (token, position)
     where m.condition is not null and ${conditionOf(sql, query)}
     order by m.id, u.position
     limit ${limit}`
  return rows.map(({ token, ...row }) => ({ ...row, tokenId: toTokenId(`0x${token}`) }))
}

function conditionOf(sql: Sql, query: BookQuery) {
  if ('token' in query) {
    const token = hexToBytes(query.token)
    return sql`m.id = (select market from market_tokens where token = ${token}) and u.token = ${token}`
  }
  if ('condition' in query) return sql`m.condition = ${hexToBytes(query.condition)}`
  if ('slug' in query) return sql`m.slug = ${query.slug}`
  const events = sql`select id from events where slug = ${query.eventSlug}`
  return sql`not m.closed and m.event = any(array(${events}))`
}
