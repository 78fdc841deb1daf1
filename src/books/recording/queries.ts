import { hexToBytes } from '../../lib/hex.js'
import type { Sql } from '../../store/connection.js'
import { rowsAs } from '../../store/sql-words.js'
import type { Moment } from './recorded-change.js'

/** A strip as it is stored. `token`, `recording`: their numbers in the database. Both moments are in it. */
export type StoredStrip = {
  token: number
  recording: number
  fromMs: number
  fromPlace: number
  toMs: number
  toPlace: number
  hour: number
  isWhole: boolean
  changes: number
  bytes: Buffer
}

export type StoredSession = { token: number; recording: number; fromMs: number; toMs: number | undefined }

export async function insertRecording(sql: Sql, nowMs: number): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into book_recordings (from_ms, until_ms) values (${nowMs}, ${nowMs}) returning id`
  return row?.id ?? 0
}

/** All that came before this moment is written. */
export const updateRecordedUntil = (sql: Sql, recording: number, untilMs: number) => sql`
  update book_recordings set until_ms = greatest(until_ms, ${untilMs}) where id = ${recording}`

/** The numbers of these tokens, in their order; new ones get one. `token`: hex text. */
export async function ensureBookTokens(
  sql: Sql,
  tokens: readonly { token: string; condition: string | undefined }[],
): Promise<number[]> {
  const rows = tokens.map(({ token, condition }) => ({ token: hexToBytes(token), condition }))
  const source = rowsAs(sql, 'given', rows, { token: 'bytea', condition: 'text' })
  await sql`
    insert into book_tokens (token, condition)
    select token, condition from ${source}
     where not exists (
       select from book_tokens known
        where known.token = given.token and (known.condition is not null or given.condition is null)
     )
     order by token
        on conflict (token) do update set condition = excluded.condition`
  const found = await sql<{ id: number }[]>`
    select known.id
      from ${rowsAs(
        sql,
        'given',
        rows.map(({ token }, index) => ({ token, place: index })),
        { token: 'bytea', place: 'int' },
      )}
      join book_tokens known on known.token = given.token
     order by given.place`
  return found.map(({ id }) => id)
}

const STRIP_COLUMNS = 'token, recording, from_ms, from_place, to_ms, to_place, hour, is_whole, changes, bytes'
const STRIP_TYPES = {
  token: 'int',
  recording: 'int',
  fromMs: 'bigint',
  fromPlace: 'int',
  toMs: 'bigint',
  toPlace: 'int',
  hour: 'int',
  isWhole: 'boolean',
  changes: 'int',
  bytes: 'bytea',
} as const

/** Rows that are there already stay: the same batch may be written twice when a connection ends with the commit. */
export const insertStrips = (
  sql: Sql,
  table: 'book_tail' | 'book_blocks',
  rows: readonly StoredStrip[],
) => sql`
  insert into ${sql(table)} (${sql.unsafe(STRIP_COLUMNS)})
  select ${sql.unsafe(STRIP_COLUMNS)}
    from ${rowsAs(sql, 'strips', rows, STRIP_TYPES)}
      on conflict do nothing`

/** Each session is named once. */
export const upsertSessions = (sql: Sql, rows: readonly StoredSession[]) => sql`
  insert into book_sessions (token, recording, from_ms, to_ms)
  select token, recording, from_ms, to_ms
    from ${rowsAs(sql, 'sessions', rows, { token: 'int', recording: 'int', fromMs: 'bigint', toMs: 'bigint' })}
      on conflict (token, from_ms, recording) do update set to_ms = excluded.to_ms`

/** `condition`: as the exchange names it. `undefined`: it was never recorded. Index: book_tokens_token_key. */
export async function selectBookTokenId(sql: Sql, token: string) {
  const [row] = await sql<{ id: number; condition: string | null }[]>`
    select id, condition from book_tokens where token = ${hexToBytes(token)}`
  return row === undefined ? undefined : { id: row.id, conditionId: row.condition ?? undefined }
}

/** `toMs`: the first moment that is not in it. */
export type RecordedSpan = { recording: number; fromMs: number; toMs: number }

type SpanQuery = { fromMs: number; toMs: number; limit: number; isDoubtIncluded?: boolean | undefined }

/**
 * The spans of a token that reach into a range, the oldest first. The next recording may have begun before the last one
 * ended: a span ends where the next one begins. With doubt a span is a recording, from the first book of the token to
 * its end. Index: book_sessions_pkey.
 */
export async function selectSpans(
  sql: Sql,
  token: number,
  { fromMs, toMs, limit, isDoubtIncluded = false }: SpanQuery,
): Promise<RecordedSpan[]> {
  const of = sql`s.token = ${token} and s.from_ms < ${toMs}`
  const ends = isDoubtIncluded
    ? sql`
        select s.recording, min(greatest(s.from_ms, s.kept_from_ms)) as from_ms, max(r.until_ms) as to_ms
          from book_sessions s join book_recordings r on r.id = s.recording
         where ${of}
         group by s.recording`
    : sql`
        select s.recording, greatest(s.from_ms, s.kept_from_ms) as from_ms, coalesce(s.to_ms, r.until_ms) as to_ms
          from book_sessions s join book_recordings r on r.id = s.recording
         where ${of}`
  const rows = await sql<{ recording: number; fromMs: bigint; toMs: bigint }[]>`
    select recording, from_ms, to_ms
      from (
        select recording, from_ms,
               least(to_ms, lead(from_ms) over (order by from_ms, recording)) as to_ms
          from (${ends}) ends
      ) spans
     where to_ms > greatest(from_ms, ${fromMs})
     order by from_ms, recording
     limit ${limit}`
  return rows.map(({ recording, ...span }) => ({
    recording,
    fromMs: Number(span.fromMs),
    toMs: Number(span.toMs),
  }))
}

export type OfToken = { token: number; recording: number }

/** Where the reading of a recording begins: with the strip of a whole book. */
export type StripStart = { hour: number; fromMs: number; fromPlace: number }

/** The last whole book that a strip begins with at this time or before. Indexes: book_tail_pkey, book_blocks_pkey. */
export async function selectStripStart(
  sql: Sql,
  { token, recording }: OfToken,
  atMs: number,
): Promise<StripStart | undefined> {
  const of = sql`token = ${token} and recording = ${recording} and is_whole and from_ms <= ${atMs}`
  const [row] = await sql<{ hour: number; fromMs: bigint; fromPlace: number }[]>`
    (select hour, from_ms, from_place from book_tail where ${of}
      order by from_ms desc, from_place desc limit 1)
    union all
    (select hour, from_ms, from_place from book_blocks where ${of}
      order by hour desc, from_ms desc, from_place desc limit 1)
    order by from_ms desc, from_place desc
    limit 1`
  return row === undefined ? undefined : { ...row, fromMs: Number(row.fromMs) }
}

/** A block may have a few hundred kilobytes, a strip of the tail a few. */
const BLOCKS_MAX = 2
const TAIL_STRIPS_MAX = 500

type StripQuery = OfToken & { start: StripStart; after: Moment; toMs: number }
export type StripRow = Omit<StoredStrip, 'fromMs' | 'toMs'> & { fromMs: bigint; toMs: bigint }

/**
 * The next strips of a recording that end after a moment and begin before `toMs`, in order; none: there are no more. One
 * statement, because strips are packed meanwhile: those of the tail are then in a block that begins earlier.
 * Indexes: book_tail_pkey, book_blocks_pkey.
 */
export async function selectStrips(sql: Sql, q: StripQuery): Promise<StoredStrip[]> {
  const columns = sql.unsafe(STRIP_COLUMNS)
  const of = sql`
    token = ${q.token} and recording = ${q.recording} and from_ms < ${q.toMs}
    and (to_ms, to_place) > (${q.after.atMs}::bigint, ${q.after.ordinal}::int)`
  const rows = await sql<(StripRow & { isPacked: boolean })[]>`
    (select ${columns}, false as is_packed from book_tail
      where ${of} and from_ms >= ${q.start.fromMs}
      order by from_ms, from_place limit ${TAIL_STRIPS_MAX})
    union all
    (select ${columns}, true as is_packed from book_blocks
      where ${of} and hour >= ${q.start.hour}
      order by hour, from_ms, from_place limit ${BLOCKS_MAX})
    order by from_ms, from_place`
  const lastBlock = rows.findLastIndex(({ isPacked }) => isPacked)
  const hasMoreBlocks = rows.filter(({ isPacked }) => isPacked).length === BLOCKS_MAX
  const inOrder = hasMoreBlocks ? rows.slice(0, lastBlock + 1) : rows
  return inOrder.map(({ isPacked: _, ...row }) => toStrip(row))
}

export const toStrip = ({ fromMs, toMs, ...row }: StripRow): StoredStrip => ({
  ...row,
  fromMs: Number(fromMs),
  toMs: Number(toMs),
})

const TOKENS_PER_READ = 1_000

/** The tokens, as hex text, of which something is recorded in a range, in their order. Index: book_tokens_token_key. */
export async function* selectTokensBetween(
  sql: Sql,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): AsyncGenerator<string> {
  for (let after = Buffer.alloc(0); ; ) {
    const rows = await sql<{ token: Buffer }[]>`
      select t.token from book_tokens t
       where t.token > ${after} and exists (
         select from book_sessions s join book_recordings r on r.id = s.recording
          where s.token = t.id and s.from_ms < ${toMs} and coalesce(s.to_ms, r.until_ms) > ${fromMs})
       order by t.token limit ${TOKENS_PER_READ}`
    for (const { token } of rows) yield `0x${token.toString('hex')}`
    const last = rows.at(-1)
    if (last === undefined) return
    after = Buffer.from(last.token)
  }
}
