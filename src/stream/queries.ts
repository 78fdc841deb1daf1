import type { Sql } from '../store/connection.js'

/** Tokens of a slug or of a condition, as hex text; those of several markets in one row each. */
export type TokensRow = { name: string; tokens: string[] }

const tokensOf = (sql: Sql) => sql`
  array(select '0x' || encode(token, 'hex') from unnest(m.tokens) token) as tokens`

/**
 * The tokens of these slugs of markets and of events, by slug. Those that the catalogue does not have
 * are absent. Indexes: markets_slug, events_slug, markets_event.
 */
export function selectTokensOfSlugs(sql: Sql, slugs: readonly string[], limit: number): Promise<TokensRow[]> {
  return sql<TokensRow[]>`
    with requested as materialized (select unnest(${[...slugs]}::text[]) as slug)
    select requested.slug as name, ${tokensOf(sql)}
      from requested join markets m on m.slug = requested.slug
    union all
    select requested.slug as name, ${tokensOf(sql)}
      from requested join events e on e.slug = requested.slug join markets m on m.event = e.id
     order by name
     limit ${limit}`
}

/**
 * The tokens of these conditions of 32 bytes, by condition; of the catalogue and of the chain, which
 * may have one before the other. Indexes: markets_condition, conditions_condition_key, tokens_condition.
 */
export function selectTokensOfConditions(
  sql: Sql,
  conditions: readonly string[],
  limit: number,
): Promise<TokensRow[]> {
  return sql<TokensRow[]>`
    with requested as materialized (
      select decode(substr(hex, 3), 'hex') as condition from unnest(${[...conditions]}::text[]) hex
    )
    select '0x' || encode(requested.condition, 'hex') as name, ${tokensOf(sql)}
      from requested join markets m on m.condition = requested.condition
    union all
    select '0x' || encode(requested.condition, 'hex') as name,
           array(select '0x' || encode(t.token, 'hex') from tokens t where t.condition = c.id)
      from requested join conditions c on c.condition = requested.condition
     order by name
     limit ${limit}`
}

/** Markets of these conditions of 32 bytes, at most `limit`, by id. Index: markets_condition. */
export function selectBooksOfConditions(sql: Sql, conditions: readonly string[], limit: number) {
  return sql<TokensRow[]>`
    select '0x' || encode(m.condition, 'hex') as name, ${tokensOf(sql)}
      from markets m
     where m.condition = any(array(select decode(substr(hex, 3), 'hex') from unnest(${[...conditions]}::text[]) hex))
     order by m.id
     limit ${limit}`
}

/** Markets of the events with these slugs, at most `limit`, by id. Indexes: events_slug, markets_event. */
export function selectBooksOfEvents(sql: Sql, slugs: readonly string[], limit: number) {
  return sql<TokensRow[]>`
    select e.slug as name, ${tokensOf(sql)}
      from events e
      join markets m on m.event = e.id
     where e.slug = any(${[...slugs]}::text[])
     order by m.id
     limit ${limit}`
}

/** Markets with these slugs, at most `limit`, by id. Index: markets_slug. */
export function selectBooksOfMarkets(sql: Sql, slugs: readonly string[], limit: number) {
  return sql<TokensRow[]>`
    select m.slug as name, ${tokensOf(sql)}
      from markets m
     where m.slug = any(${[...slugs]}::text[])
     order by m.id
     limit ${limit}`
}

/** The indexes of those tokens, hex text of 32 bytes, that the catalogue does not have. Index: market_tokens_pkey. */
export async function selectUnknownTokens(sql: Sql, tokens: readonly string[]): Promise<number[]> {
  const rows = await sql<{ index: number }[]>`
    select (requested.position - 1)::int as index
      from unnest(${[...tokens]}::text[]) with ordinality as requested (hex, position)
     where not exists (
       select from market_tokens where token = decode(substr(requested.hex, 3), 'hex')
     )
     order by requested.position
     limit ${tokens.length}`
  return rows.map(({ index }) => index)
}
