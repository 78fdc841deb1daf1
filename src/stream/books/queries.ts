import type { Sql } from '../../store/connection.js'

/** The tokens of one market, and the identifier by which it was asked for. Bytes are hex digits. */
export type NamedTokens = { name: string; tokens: string[] }

const tokensOf = (sql: Sql) => sql`array(select encode(token, 'hex') from unnest(m.tokens) token)`

/** Markets of these conditions (hex digits), at most `limit`, by id. Index: markets_condition. */
export function selectBooksOfConditions(sql: Sql, conditions: readonly string[], limit: number) {
  return sql<NamedTokens[]>`
    select encode(m.condition, 'hex') as name, ${tokensOf(sql)} as tokens
      from markets m
     where m.condition = any(array(select decode(c, 'hex') from unnest(${[...conditions]}::text[]) c))
     order by m.id
     limit ${limit}`
}

/** Markets of the events with these slugs, at most `limit`, by id. Indexes: events_slug, markets_event. */
export function selectBooksOfEvents(sql: Sql, slugs: readonly string[], limit: number) {
  return sql<NamedTokens[]>`
    select e.slug as name, ${tokensOf(sql)} as tokens
      from events e
      join markets m on m.event = e.id
     where e.slug = any(${[...slugs]}::text[])
     order by m.id
     limit ${limit}`
}

/** Markets with these slugs, at most `limit`, by id. Index: markets_slug. */
export function selectBooksOfMarkets(sql: Sql, slugs: readonly string[], limit: number) {
  return sql<NamedTokens[]>`
    select m.slug as name, ${tokensOf(sql)} as tokens
      from markets m
     where m.slug = any(${[...slugs]}::text[])
     order by m.id
     limit ${limit}`
}
