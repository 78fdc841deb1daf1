import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { selectSpansWithin } from '../history/queries.js'
import { compressStrip, wrapStrip } from './compression.js'
import { packRecordedBooks } from './pack.js'
import { dropOldBooks, ensureBlockPartition } from './partitions.js'
import {
  ensureBookTokens,
  insertRecording,
  insertStrips,
  updateRecordedUntil,
  upsertSessions,
} from './queries.js'
import { findRecordedToken, readBookAt } from './read-recorded.js'
import type { RecordedChange } from './recorded-change.js'
import { createRecorderMetrics } from './recorder-metrics.js'
import { encodeStrip } from './strip.js'
import { HOUR_MS, hourOfMs } from './token-recording.js'

const DAY_MS = 24 * HOUR_MS
const START_MS = Date.UTC(2026, 10, 15, 12)
const TOKEN = '7123'

let database: TestDatabase
let token: number
let recording: number

/** Each test has a database of its own. */
async function open() {
  database = await createTestDatabase()
  onTestFinished(() => database.drop())
  recording = await insertRecording(database.sql, START_MS)
  const [id = 0] = await ensureBookTokens(database.sql, [
    { token: `0x${BigInt(TOKEN).toString(16).padStart(64, '0')}`, condition: '0xab' },
  ])
  token = id
}

const whole = (atMs: number, size: string): RecordedChange => {
  const details = { hash: 'h', tickSize: '0.01', minOrderSize: '5', negRisk: false, lastTradePrice: '0.5' }
  const book = { ...details, timestampMs: atMs, isAbsent: false, bids: [{ price: '0.4', size }], asks: [] }
  return { kind: 'snapshot', atMs, ordinal: 0, isKeyframe: true, book }
}

const level = (atMs: number, size: string): RecordedChange => ({
  kind: 'level',
  atMs,
  ordinal: 0,
  side: 'BUY',
  price: '0.4',
  size,
  timestampMs: atMs - 20,
  isContinued: false,
})

const toRow = (changes: readonly RecordedChange[], hour: number, bytes: Buffer) => ({
  token,
  recording,
  fromMs: changes[0]?.atMs ?? 0,
  fromPlace: changes[0]?.ordinal ?? 0,
  toMs: changes.at(-1)?.atMs ?? 0,
  toPlace: changes.at(-1)?.ordinal ?? 0,
  hour,
  isWhole: changes[0]?.kind === 'snapshot',
  changes: changes.length,
  bytes,
})

/** Strips of one second, of which each hour has its first one with the whole book. */
async function writeHours(fromMs: number, hours: number) {
  const rows = Array.from({ length: hours }, (_, index) => fromMs + index * HOUR_MS).flatMap(
    (hourMs, index) => {
      const strips = [
        [whole(hourMs + 1_000, `${index + 1}1`)],
        [level(hourMs + 2_000, `${index + 1}2`), level(hourMs + 2_500, `${index + 1}3`)],
        [level(hourMs + 3_000, `${index + 1}4`)],
      ]
      return strips.map((changes) => toRow(changes, hourOfMs(hourMs), wrapStrip(encodeStrip(changes))))
    },
  )
  await insertStrips(database.sql, 'book_tail', rows)
  const untilMs = fromMs + hours * HOUR_MS
  await upsertSessions(database.sql, [{ token, recording, fromMs: fromMs + 1_000, toMs: undefined }])
  await updateRecordedUntil(database.sql, recording, untilMs)
  return untilMs
}

const pack = (nowMs: number) =>
  packRecordedBooks(database.sql, nowMs, createRecorderMetrics(new Registry()), new AbortController().signal)

async function sizeAt(atMs: number): Promise<string | undefined> {
  const found = await findRecordedToken(database.sql, TOKEN)
  const book = found && (await readBookAt(database.sql, found, atMs))
  return book?.bids[0]?.size
}

const count = async (table: string): Promise<number> => {
  const [row] = await database.sql<{ count: number }[]>`select count(*)::int from ${database.sql(table)}`
  return row?.count ?? 0
}

describe('packing', () => {
  test('takes finished hours alone, and changes no moment, however often it runs', async () => {
    await open()
    const untilMs = await writeHours(START_MS, 3)
    const moments = [1_000, 2_400, 2_500, 3_000, HOUR_MS - 1, HOUR_MS + 2_600, 2 * HOUR_MS + 5_000]
    const sizes = await Promise.all(moments.map((ms) => sizeAt(START_MS + ms)))
    expect(sizes).toEqual(['11', '12', '13', '14', '14', '23', '34'])
    await Promise.all([pack(untilMs), pack(untilMs)])
    expect([await count('book_tail'), await count('book_blocks')]).toEqual([3, 2])
    await pack(untilMs + HOUR_MS)
    await pack(untilMs + HOUR_MS)
    expect([await count('book_tail'), await count('book_blocks')]).toEqual([0, 3])
    expect(await Promise.all(moments.map((ms) => sizeAt(START_MS + ms)))).toEqual(sizes)
  })

  test('that is stopped in the middle leaves every moment as it was', async () => {
    await open()
    const untilMs = await writeHours(START_MS, 2)
    await database.sql`
      create function fail() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`
    await database.sql`create trigger fail before delete on book_tail execute function fail()`
    await expect(pack(untilMs + HOUR_MS)).rejects.toThrow('stopped')
    expect([await count('book_tail'), await count('book_blocks')]).toEqual([6, 0])
    await database.sql`drop trigger fail on book_tail`
    await pack(untilMs + HOUR_MS)
    expect([await count('book_tail'), await count('book_blocks')]).toEqual([0, 2])
    expect(await sizeAt(START_MS + 2_500)).toBe('13')
  })

  test('a block that this release cannot read is an error with the number of its method', async () => {
    await open()
    await writeHours(START_MS, 1)
    const stored = await compressStrip(encodeStrip([whole(START_MS + 1_000, '1')]))
    stored[0] = 9
    await database.sql`update book_tail set bytes = ${stored}`
    await expect(sizeAt(START_MS + 1_000)).rejects.toThrow('method 9')
  })
})

describe('retention', () => {
  test('drops days that are over, and a span begins with the first whole book that is left', async () => {
    await open()
    const dayMs = Math.floor(START_MS / DAY_MS) * DAY_MS
    const untilMs = await writeHours(dayMs, 72)
    await pack(untilMs + HOUR_MS)
    await dropOldBooks(database.sql, untilMs, 0)
    expect(await count('book_blocks')).toBe(72)
    await dropOldBooks(database.sql, untilMs, 1)
    expect(await count('book_blocks')).toBe(24)
    const left = dayMs + 2 * DAY_MS
    const spans = await selectSpansWithin(database.sql, [TOKEN], { fromMs: 0, toMs: untilMs, limit: 10 })
    expect(spans).toEqual([{ tokenId: TOKEN, fromMs: left + 1_000, toMs: untilMs }])
    expect(await sizeAt(left + 500)).toBeUndefined()
    expect(await sizeAt(left + 2_000)).toBe('492')
    // The recorder ends the span under the name that it gave it.
    const end = { token, recording, fromMs: dayMs + 1_000, toMs: left + 5_000 }
    await upsertSessions(database.sql, [end])
    expect(await sizeAt(left + 5_000)).toBeUndefined()
    expect(await sizeAt(left + 4_999)).toBe('494')
    await dropOldBooks(database.sql, untilMs + DAY_MS, 1)
    expect([await count('book_sessions'), await count('book_recordings')]).toEqual([0, 0])
  })

  test('partitions are made once, by however many processes', async () => {
    await open()
    const { sql } = database
    const hour = hourOfMs(START_MS)
    await Promise.all([1, 2, 3].map(() => sql.begin((tx) => ensureBlockPartition(tx, hour))))
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int from pg_inherits where inhparent = 'book_blocks'::regclass`
    expect(row?.count).toBe(1)
  })
})
