import type { Sql } from '../store/connection.js'

export type PriceSource = 'settlement' | 'clob_mid' | 'v1_condition' | 'last_fill'

/** `source` null: nothing tells yet what the token is worth. Whole numbers arrive as text. */
export type TokenPriceRow = {
  token: number
  source: PriceSource | null
  numerator: string
  denominator: string
  seq: bigint | null
  readAt: Date | null
}

/** Prices of these tokens, given by their numbers; unknown ones are absent. */
export function selectPrices(sql: Sql, tokens: readonly number[]): Promise<TokenPriceRow[]> {
  return sql<TokenPriceRow[]>`
    select token, source, numerator::text, denominator::text, seq, read_at
      from token_prices
     where token = any(${[...tokens]}::int[])`
}

/**
 * Tokens somebody holds, of open markets without a result, whose midpoint is older than that: the
 * oldest first, those without any before all others. Index: markets_open, then keys alone.
 */
export async function selectStaleMids(
  sql: Sql,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<string[]> {
  const rows = await sql<{ token: string }[]>`
    select '0x' || encode(t.token, 'hex') as token
      from markets m
      cross join unnest(m.tokens) as listed (token)
      join tokens t on t.token = listed.token
      join supplies s on s.token = t.id
      left join token_mids book on book.token = t.token
     where not m.closed
       and s.minted > s.burned
       and (book.token is null or book.read_at < ${new Date(beforeMs)})
       and not exists (select from resolutions r where r.condition = t.condition)
     order by book.read_at nulls first, t.id
     limit ${limit}`
  return rows.map(({ token }) => token)
}

/** `mids` by token, in millionths; null for tokens without a book. */
export async function upsertMids(
  sql: Sql,
  mids: readonly { token: string; mid: number | null }[],
  nowMs: number,
): Promise<void> {
  await sql`
    insert into token_mids (token, mid, read_at)
    select decode(substr(given.token, 3), 'hex'), given.mid, ${new Date(nowMs)}
      from unnest(${mids.map(({ token }) => token)}::text[],
                  ${mids.map(({ mid }) => mid)}::int[]) as given (token, mid)
     order by 1
    on conflict (token) do update set mid = excluded.mid, read_at = excluded.read_at`
}

/** Forgets midpoints that nobody refreshes any more: their markets are closed or have a result. */
export async function deleteMids(sql: Sql, beforeMs: number): Promise<void> {
  await sql`
    delete from token_mids book
     where book.read_at < ${new Date(beforeMs)}
       and exists (
         select from market_tokens mt join markets m on m.id = mt.market
          where mt.token = book.token and m.closed
       )`
}
