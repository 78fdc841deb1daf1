import { ensureBlockPartition } from '../../books/recording/partitions.js'
import { ensureBookTokens, insertStrips, type StoredStrip } from '../../books/recording/queries.js'
import { HOUR_MS } from '../../books/recording/token-recording.js'
import type { Sql } from '../../store/connection.js'
import { rowsAs } from '../../store/sql-words.js'
import type { TableManifest } from '../manifest.js'
import { readTable, rowsOf, type TableReadOptions } from './read-columns.js'

const STRIP_COLUMNS = [
  'token_bytes',
  'condition_id',
  'recording',
  'hour',
  'from_ms',
  'from_place',
  'to_ms',
  'to_place',
  'is_whole',
  'changes',
  'is_packed',
  'bytes',
] as const
const SPAN_COLUMNS = [
  'token_bytes',
  'condition_id',
  'recording',
  'recording_from_ms',
  'recording_until_ms',
  'from_ms',
  'to_ms',
] as const

/** Puts the recorded books of a day to those of the days before it. Done twice, it changes nothing. */
export async function restoreBooks(
  tx: Sql,
  dayMs: number,
  { strips, spans }: { strips: TableManifest | undefined; spans: TableManifest | undefined },
  read: TableReadOptions,
): Promise<void> {
  if ((spans?.rows ?? 0) === 0 && (strips?.rows ?? 0) === 0) return
  await ensureBlockPartition(tx, dayMs / HOUR_MS)
  for await (const group of readTable(strips, STRIP_COLUMNS, read)) {
    const rows = [...rowsOf(group, STRIP_COLUMNS)]
    const tokens = await numberTokens(tx, rows)
    const stored = rows.map((row, index) => ({ isPacked: row.is_packed, strip: toStrip(row, tokens[index]) }))
    for (const [table, isPacked] of [
      ['book_blocks', true],
      ['book_tail', false],
    ] as const) {
      const ofTable = stored.filter((row) => row.isPacked === isPacked).map(({ strip }) => strip)
      if (ofTable.length > 0) await insertStrips(tx, table, ofTable)
    }
  }
  await endUnfinished(tx, dayMs)
  for await (const group of readTable(spans, SPAN_COLUMNS, read)) {
    const rows = [...rowsOf(group, SPAN_COLUMNS)]
    const tokens = await numberTokens(tx, rows)
    await mergeSpans(
      tx,
      dayMs,
      rows.map((row, index) => toSpan(row, tokens[index])),
    )
  }
  await tx`select setval('book_recordings_id_seq', id) from book_recordings order by id desc limit 1`
}

type Row<Names extends readonly string[]> = Record<Names[number], unknown>

const toStrip = (row: Row<typeof STRIP_COLUMNS>, token = 0): StoredStrip => ({
  token,
  recording: Number(row.recording),
  fromMs: Number(row.from_ms),
  fromPlace: Number(row.from_place),
  toMs: Number(row.to_ms),
  toPlace: Number(row.to_place),
  hour: Number(row.hour),
  isWhole: row.is_whole === true,
  changes: Number(row.changes),
  bytes: Buffer.from(row.bytes as Uint8Array),
})

const toSpan = (row: Row<typeof SPAN_COLUMNS>, token = 0) => ({
  token,
  recording: Number(row.recording),
  beginMs: Number(row.recording_from_ms),
  untilMs: Number(row.recording_until_ms),
  fromMs: Number(row.from_ms),
  toMs: row.to_ms === null || row.to_ms === undefined ? undefined : Number(row.to_ms),
})

type Span = ReturnType<typeof toSpan>

/** The numbers that these tokens have in this database. */
async function numberTokens(
  tx: Sql,
  rows: readonly { token_bytes: unknown; condition_id: unknown }[],
): Promise<number[]> {
  const keys = rows.map((row) => `0x${Buffer.from(row.token_bytes as Uint8Array).toString('hex')}`)
  const conditions = new Map(rows.map((row, index) => [keys[index] ?? '', row.condition_id]))
  const unique = [...conditions].map(([token, condition]) => ({
    token,
    condition: typeof condition === 'string' ? condition : undefined,
  }))
  const numbers = await ensureBookTokens(tx, unique)
  const byKey = new Map(unique.map(({ token }, index) => [token, numbers[index] ?? 0]))
  return keys.map((key) => byKey.get(key) ?? 0)
}

/** A recording that went on over days that are not in the archive: what it had before them ends there. */
const endUnfinished = (tx: Sql, dayMs: number) => tx`
  update book_sessions s set to_ms = r.until_ms
    from book_recordings r
   where r.id = s.recording and s.to_ms is null and r.until_ms < ${dayMs}`

/**
 * A span that began before the day goes on from the day before, where that is restored. Where it is not, what the day
 * has of it begins with its first whole book.
 */
async function mergeSpans(tx: Sql, dayMs: number, spans: readonly Span[]): Promise<void> {
  const types = {
    token: 'int',
    recording: 'int',
    beginMs: 'bigint',
    untilMs: 'bigint',
    fromMs: 'bigint',
    toMs: 'bigint',
  }
  const given = rowsAs(tx, 'given', spans, types)
  await tx`
    insert into book_recordings (id, from_ms, until_ms) overriding system value
    select distinct on (recording) recording, begin_ms, until_ms from ${given}
     order by recording
        on conflict (id) do update set until_ms = greatest(book_recordings.until_ms, excluded.until_ms)`
  await tx`
    with continued as (
      update book_sessions s set to_ms = given.to_ms
        from ${given}
       where given.from_ms < ${dayMs}
         and s.token = given.token and s.recording = given.recording and s.to_ms is null
   returning s.token, s.recording
    )
    insert into book_sessions (token, recording, from_ms, to_ms)
    select token, recording, from_ms, to_ms
      from (
        select given.token, given.recording, given.to_ms,
               case when given.from_ms >= ${dayMs} then given.from_ms
                    else least(
                      (select min(from_ms) from book_blocks b
                        where b.token = given.token and b.recording = given.recording and b.is_whole
                          and b.from_ms >= ${dayMs}),
                      (select min(from_ms) from book_tail b
                        where b.token = given.token and b.recording = given.recording and b.is_whole
                          and b.from_ms >= ${dayMs}))
                end as from_ms
          from ${given}
         where given.from_ms >= ${dayMs}
            or (given.token, given.recording) not in (select token, recording from continued)
      ) spans
     where from_ms is not null and (to_ms is null or to_ms > from_ms)
        on conflict (token, from_ms, recording) do update set to_ms = excluded.to_ms`
}
