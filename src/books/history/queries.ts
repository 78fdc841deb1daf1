import { parseTokenId, toTokenId } from '../../core/ids.js'
import type { Sql } from '../../store/connection.js'
import { hex, selectBytes } from '../../store/sql-words.js'

/** A span in which every change of a token is recorded. `toMs`: the first moment that is not in it. */
export type TokenSpan = { tokenId: string; fromMs: number; toMs: number }

type SpanRow = { token: string; fromMs: bigint; toMs: bigint }

const toSpan = ({ token, fromMs, toMs }: SpanRow): TokenSpan => ({
  tokenId: toTokenId(token),
  fromMs: Number(fromMs),
  toMs: Number(toMs),
})

/** What retention has dropped of a session is no part of its span. */
const spansOf = (sql: Sql, tokenIds: readonly string[]) => {
  const tokens = tokenIds.flatMap((id) => parseTokenId(id) ?? [])
  return sql`
    select ${hex(sql, 't.token')} as token, greatest(s.from_ms, s.kept_from_ms) as from_ms,
           coalesce(s.to_ms, r.until_ms) as to_ms
      from book_tokens t
      join book_sessions s on s.token = t.id
      join book_recordings r on r.id = s.recording
     where t.token in (${selectBytes(sql, tokens)}) and coalesce(s.to_ms, r.until_ms) > greatest(s.from_ms, s.kept_from_ms)`
}

/** The spans of these tokens that reach into a range, the oldest first. Index: book_sessions_pkey. */
export async function selectSpansWithin(
  sql: Sql,
  tokenIds: readonly string[],
  { fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number },
): Promise<TokenSpan[]> {
  const rows = await sql<SpanRow[]>`
    select * from (${spansOf(sql, tokenIds)}) as spans
     where from_ms <= ${toMs} and to_ms > ${fromMs}
     order by from_ms, token
     limit ${limit}`
  return rows.map(toSpan)
}

/** The last span before a range, and the first one after it. Index: book_sessions_pkey. */
export async function selectSpansAround(
  sql: Sql,
  tokenIds: readonly string[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<{ before: TokenSpan | undefined; after: TokenSpan | undefined }> {
  const [before] = await sql<SpanRow[]>`
    select * from (${spansOf(sql, tokenIds)}) as spans
     where from_ms < ${fromMs} order by from_ms desc limit 1`
  const [after] = await sql<SpanRow[]>`
    select * from (${spansOf(sql, tokenIds)}) as spans
     where from_ms > ${toMs} order by from_ms limit 1`
  return { before: before && toSpan(before), after: after && toSpan(after) }
}

/** The last moment at which a book of one of these tokens is recorded. Index: book_sessions_pkey. */
export async function selectNewestMoment(sql: Sql, tokenIds: readonly string[]): Promise<number | undefined> {
  const [row] = await sql<{ toMs: bigint }[]>`
    select to_ms from (${spansOf(sql, tokenIds)}) as spans order by to_ms desc limit 1`
  return row === undefined ? undefined : Number(row.toMs) - 1
}
