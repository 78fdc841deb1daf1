import { type ArchiveTable, type SqlColumn, sqlTable } from './archive-table.js'

/** A block has some ten kilobytes, a busy one some hundred. */
const STRIPS_PER_GROUP = 500
const HOUR_SEC = 3_600

const plain = (name: string, type: 'integer' | 'bigint' | 'boolean', sql: string): SqlColumn => ({
  name,
  type,
  sql,
})

const TOKEN_COLUMNS: readonly SqlColumn[] = [
  { name: 'token_bytes', type: 'bytes32', sql: 't.token' },
  { name: 'condition_id', type: 'text', sql: 't.condition', isNullable: true },
]

/**
 * The spans without a hole of recorded books that reach into a day, for a restore: `books` has the same for readers. What
 * a span has after the day is in the files of the next one. Times are Unix milliseconds.
 */
export const BOOK_SPANS: ArchiveTable = sqlTable({
  name: 'book_spans',
  follows: 'facts',
  columns: [
    ...TOKEN_COLUMNS,
    plain('recording', 'integer', 's.recording'),
    plain('recording_from_ms', 'bigint', 'r.from_ms'),
    plain('recording_until_ms', 'bigint', 'least(r.until_ms, $2::bigint)'),
    plain('from_ms', 'bigint', 's.from_ms'),
    { ...plain('to_ms', 'bigint', 'case when s.to_ms < $2::bigint then s.to_ms end'), isNullable: true },
  ],
  from: `book_sessions s
    join book_recordings r on r.id = s.recording
    join book_tokens t on t.id = s.token
   where s.from_ms < $2::bigint
     and coalesce(s.to_ms, r.until_ms) > greatest(s.from_ms, s.kept_from_ms, $1::bigint)
   order by s.token, s.from_ms, s.recording`,
  parameters: ({ fromSec, untilSec }) => [fromSec * 1_000, untilSec * 1_000],
})

/** The strips of recorded books as the database keeps them, for a restore. They are compressed already. */
export const BOOK_STRIPS: ArchiveTable = sqlTable({
  name: 'book_strips',
  follows: 'facts',
  rowsPerGroup: STRIPS_PER_GROUP,
  columns: [
    ...TOKEN_COLUMNS,
    plain('recording', 'integer', 's.recording'),
    plain('hour', 'integer', 's.hour'),
    plain('from_ms', 'bigint', 's.from_ms'),
    plain('from_place', 'integer', 's.from_place'),
    plain('to_ms', 'bigint', 's.to_ms'),
    plain('to_place', 'integer', 's.to_place'),
    plain('is_whole', 'boolean', 's.is_whole'),
    plain('changes', 'integer', 's.changes'),
    plain('is_packed', 'boolean', 's.is_packed'),
    { name: 'bytes', type: 'bytes', sql: 's.bytes' },
  ],
  from: `(${stripsOf('book_tail', false)} union all ${stripsOf('book_blocks', true)}) s
    join book_tokens t on t.id = s.token
   order by s.token, s.recording, s.hour, s.from_ms, s.from_place`,
  parameters: ({ fromSec, untilSec }) => [fromSec / HOUR_SEC, untilSec / HOUR_SEC],
})

function stripsOf(table: string, isPacked: boolean): string {
  return `select token, recording, hour, from_ms, from_place, to_ms, to_place, is_whole, changes, bytes,
                 ${isPacked} as is_packed
            from ${table} where hour >= $1::integer and hour < $2::integer`
}
