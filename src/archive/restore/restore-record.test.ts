import { rmSync } from 'node:fs'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { makeOpenFolder } from '../../../test/open-folder.js'
import { selectSpansWithin } from '../../books/history/queries.js'
import { compressStrip, wrapStrip } from '../../books/recording/compression.js'
import { ensureBlockPartition } from '../../books/recording/partitions.js'
import {
  ensureBookTokens,
  insertRecording,
  insertStrips,
  updateRecordedUntil,
  upsertSessions,
} from '../../books/recording/queries.js'
import { findRecordedToken, readBookAt } from '../../books/recording/read-recorded.js'
import type { RecordedChange } from '../../books/recording/recorded-change.js'
import { encodeStrip } from '../../books/recording/strip.js'
import { HOUR_MS, hourOfMs } from '../../books/recording/token-recording.js'
import { Bus } from '../../bus/bus.js'
import { utcDay } from '../../core/unix-time.js'
import { EventLog } from '../../events/event-log.js'
import { EventRecord } from '../../replay/event-record.js'
import type { ReplayEvent } from '../../replay/replay-event.js'
import { ReplayRecord } from '../../replay/replay-record.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { draftOf } from '../../stream/events/test-stream.js'
import { createFolderStore } from '../store/folder-store.js'
import type { ArchiveTable } from '../tables/archive-table.js'
import { BOOK_SPANS, BOOK_STRIPS } from '../tables/book-strip-tables.js'
import { EVENT_PAGES } from '../tables/event-pages-table.js'
import { writeTable } from '../write-table.js'
import { FULL_RETENTION, type Retention, restoreRecord } from './restore-record.js'

const DAY_MS = 24 * HOUR_MS
const START_MS = Date.UTC(2026, 10, 14)
const DAYS = [0, 1, 2]
const TOKEN = '7123'
const never = new AbortController().signal

const folder = makeOpenFolder('restore-record')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

const dayOf = (day: number) => utcDay(START_MS + day * DAY_MS)

/** Writes these tables of three days, and returns what restores some of them. */
async function archive({ sql: pool }: TestDatabase, tables: readonly ArchiveTable[]) {
  const store = createFolderStore(`${folder}/${tables[0]?.name}`)
  const days = await Promise.all(
    DAYS.map(async (day) => {
      const fromSec = (START_MS + day * DAY_MS) / 1_000
      const blocks = { fromBlock: day, toBlock: day, fromSeq: day, toSeq: day }
      const archiveDay = { day: dayOf(day), fromSec, untilSec: fromSec + DAY_MS / 1_000, ...blocks }
      const options = {
        pool,
        store,
        schema: 1,
        ledgerFrom: 0,
        signal: never,
        limits: {},
        onBytes: () => undefined,
      }
      const manifests = new Map()
      for (const table of tables) manifests.set(table.name, await writeTable(table, archiveDay, options))
      return manifests
    }),
  )
  return async (
    { sql: into }: TestDatabase,
    which: readonly number[],
    retention: Retention = FULL_RETENTION,
  ) => {
    for (const day of which) {
      const manifests = days[day] ?? new Map()
      await transact(into, (tx) =>
        restoreRecord(tx, { day: dayOf(day) }, { manifests, retention, store, signal: never }),
      )
    }
  }
}

/** A whole book in each hour, after its first second, and a change in the middle; the size tells the moment. */
async function recordBooks(sql: Pool): Promise<void> {
  const recording = await insertRecording(sql, START_MS)
  const [token = 0] = await ensureBookTokens(sql, [
    { token: `0x${BigInt(TOKEN).toString(16).padStart(64, '0')}`, condition: '0xab' },
  ])
  const hours = DAYS.length * 24
  for (let index = 0; index < hours; index++) {
    const atMs = START_MS + index * HOUR_MS + 1_000
    const size = (offset: number) => String(10 * index + offset)
    const details = { hash: 'h', tickSize: '0.01', minOrderSize: '5', negRisk: false, lastTradePrice: '0.5' }
    const book = {
      ...details,
      timestampMs: atMs,
      isAbsent: false,
      bids: [{ price: '0.4', size: size(1) }],
      asks: [],
    }
    const level = { side: 'BUY' as const, price: '0.4', timestampMs: atMs, isContinued: false, ordinal: 0 }
    const changes: RecordedChange[] = [
      { kind: 'snapshot', atMs, ordinal: 0, isKeyframe: true, book },
      { kind: 'level', ...level, atMs: atMs + HOUR_MS / 2, size: size(2) },
      // After the end of the hour, and before the whole book of the next one.
      { kind: 'level', ...level, atMs: atMs + HOUR_MS - 500, size: size(3) },
    ]
    const hour = hourOfMs(atMs)
    const isPacked = index % 24 !== 23
    await sql.begin((tx) => ensureBlockPartition(tx, hour))
    const strip = encodeStrip(changes)
    await insertStrips(sql, isPacked ? 'book_blocks' : 'book_tail', [
      {
        token,
        recording,
        hour,
        isWhole: true,
        changes: 3,
        fromMs: atMs,
        fromPlace: 0,
        toMs: atMs + HOUR_MS - 500,
        toPlace: 0,
        bytes: isPacked ? await compressStrip(strip) : wrapStrip(strip),
      },
    ])
  }
  const untilMs = START_MS + hours * HOUR_MS
  await upsertSessions(sql, [{ token, recording, fromMs: START_MS + 1_000, toMs: undefined }])
  await updateRecordedUntil(sql, recording, untilMs)
}

/** Every quarter of an hour, and around each midnight. */
const MOMENTS = [
  ...Array.from({ length: DAYS.length * 96 }, (_, index) => START_MS + index * 900_000 + 450_000),
  ...DAYS.flatMap((day) => [0, 250, 750, 1_000, 1_500].map((ms) => START_MS + day * DAY_MS + ms)),
].toSorted((a, b) => a - b)

async function sizesOf({ sql }: TestDatabase): Promise<(string | undefined)[]> {
  const token = await findRecordedToken(sql, TOKEN)
  const sizes: (string | undefined)[] = []
  for (const atMs of MOMENTS) sizes.push((token && (await readBookAt(sql, token, atMs)))?.bids[0]?.size)
  return sizes
}

const spansOf = ({ sql }: TestDatabase) =>
  selectSpansWithin(sql, [TOKEN], { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 10 })

test('books of days that follow each other are as they were recorded, also when they are restored twice', async () => {
  const original = await openDatabase()
  await recordBooks(original.sql)
  const restore = await archive(original, [BOOK_STRIPS, BOOK_SPANS])
  const restored = await openDatabase()
  await restore(restored, DAYS)
  const sizes = await sizesOf(original)
  expect(sizes.filter((size) => size === undefined)).toHaveLength(3)
  expect(await sizesOf(restored)).toEqual(sizes)
  expect(await spansOf(restored)).toEqual(await spansOf(original))
  await restore(restored, DAYS)
  expect(await sizesOf(restored)).toEqual(sizes)

  // Another recording goes on with numbers of its own.
  expect(await insertRecording(restored.sql, START_MS)).toBeGreaterThan(1)
})

test('a day that is not restored is a gap, and what follows it begins with a whole book', async () => {
  const original = await openDatabase()
  await recordBooks(original.sql)
  const restore = await archive(original, [BOOK_STRIPS, BOOK_SPANS])
  const [begin, ...ends] = [START_MS + 1_000, START_MS + DAY_MS, START_MS + 2 * DAY_MS, START_MS + 3 * DAY_MS]
  const sizes = await sizesOf(original)
  for (const [days, spans] of [
    [
      [0, 2],
      [
        [begin, ends[0]],
        [Number(ends[1]) + 1_000, ends[2]],
      ],
    ],
    [[1], [[Number(ends[0]) + 1_000, ends[1]]]],
  ] as const) {
    const restored = await openDatabase()
    await restore(restored, days)
    expect(await spansOf(restored)).toEqual(spans.map(([fromMs, toMs]) => ({ tokenId: TOKEN, fromMs, toMs })))
    const isWithin = (atMs = 0) => spans.some(([fromMs = 0, toMs = 0]) => atMs >= fromMs && atMs < toMs)
    expect(await sizesOf(restored)).toEqual(
      sizes.map((size, index) => (isWithin(MOMENTS[index]) ? size : undefined)),
    )
  }
})

async function readEvents({ sql }: TestDatabase, eventLog: EventLog): Promise<ReplayEvent[]> {
  const events: ReplayEvent[] = []
  for await (const page of new ReplayRecord(eventLog).read(0, START_MS + 9 * DAY_MS, sql))
    events.push(...page)
  return events
}

test('what live sockets were sent is replayed from what was restored, and the log goes on after it', async () => {
  const [original, restored, newest] = [await openDatabase(), await openDatabase(), await openDatabase()]
  const clock = new ManualClock()
  const log = pino({ level: 'silent' })
  const openBus = () => new Bus({ clock, log })
  const openLog = (store: TestDatabase, bus = openBus()) => ({
    bus,
    eventLog: new EventLog({ store, bus, clock }),
  })
  clock.set(START_MS)
  const { bus, eventLog } = openLog(original)
  const priceBus = openBus()
  const record = new EventRecord({ store: original, bus, priceBus, scoreBus: openBus() })
  onTestFinished(record.listen())
  await eventLog.lead(original.sql)
  for (let hour = 0; hour < DAYS.length * 24; hour++) {
    clock.set(START_MS + hour * HOUR_MS)
    const { events, publish } = bus.reserve(
      Array.from({ length: 20 }, (_, index) => draftOf('trade', { hour, index }, {}, clock.now())),
    )
    publish()
    await transact(original.sql, (tx) => eventLog.insert(tx, events))
    priceBus.publish([draftOf('price_feed', { hour }, {}, clock.now())])
    await record.save()
  }
  const restore = await archive(original, [EVENT_PAGES])
  await restore(restored, DAYS)
  await restore(restored, DAYS)
  const sent = await readEvents(original, eventLog)
  expect(sent).toHaveLength(DAYS.length * 24 * 21)
  const copy = openLog(restored)
  expect(await readEvents(restored, copy.eventLog)).toEqual(sent)

  await copy.eventLog.lead(restored.sql)
  expect(copy.bus.lastSeq).toBeGreaterThanOrEqual(sent.at(-1)?.chainSeq ?? 0)
  expect(await copy.eventLog.check(1)).toBe('gap')

  // Of what the service would drop at once nothing is copied.
  await restore(newest, DAYS, { eventsFromMs: START_MS + 2 * DAY_MS + 1, booksFromMs: 0 })
  const left = await readEvents(newest, openLog(newest).eventLog)
  expect(left).toEqual(sent.filter(({ event }) => event.publishedMs >= START_MS + 2 * DAY_MS))
})
