import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { Bus } from '../bus/bus.js'
import { type BusEvent, type EventDraft, NO_KEYS } from '../bus/event.js'
import { createLog } from '../lib/log.js'
import { EventLog } from './event-log.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 3)

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

/** A process of its own on that database. */
async function open(database: TestDatabase, nowMs = START_MS, keepDays?: number) {
  const clock = new ManualClock(nowMs)
  const bus = new Bus({ clock, log: createLog('silent', process.stderr) })
  const eventLog = new EventLog({ store: database, bus, clock, keepDays })
  return { clock, bus, eventLog }
}

type Process = Awaited<ReturnType<typeof open>>

const draft = (name: string, status: 'pending' | 'confirmed' = 'confirmed'): EventDraft => ({
  type: 'trade',
  timestampMs: START_MS,
  data: { name, absent: undefined },
  keys: { ...NO_KEYS, wallets: ['0xa'], status },
})

/** Books a block whose transaction commits. */
async function book({ bus, eventLog }: Process, { sql }: TestDatabase, ...names: string[]) {
  const reservation = bus.reserve(names.map((name) => draft(name)))
  await sql.begin((tx) => eventLog.insert(tx, reservation.events))
  eventLog.noteStored(reservation.events.at(-1)?.seq ?? 0)
  reservation.publish()
  return reservation.events
}

async function readAll({ eventLog }: Process, afterSeq = 0): Promise<BusEvent[]> {
  const events = []
  for await (const page of eventLog.read(afterSeq)) events.push(...page)
  return events
}

const namesOf = (events: readonly BusEvent[]) => events.map(({ data }) => data.name)

test('events come back as they were published, pending ones in their original order', async () => {
  const database = await openDatabase()
  const process = await open(database)
  await process.eventLog.lead(database.sql)
  await book(process, database, 'a', 'b')
  process.bus.publish([draft('pending', 'pending')])
  await book(process, database, 'c')
  const published = process.bus.replay({ afterSeq: 0 })
  const stored = await readAll(process)
  expect(namesOf(stored)).toEqual(['a', 'b', 'pending', 'c'])
  expect(stored.map(({ text, keys, publishedMs }) => [text, keys, publishedMs])).toEqual(
    published.map(({ text, keys, publishedMs }) => [
      text,
      expect.objectContaining({ wallets: keys.wallets }),
      publishedMs,
    ]),
  )
  expect(namesOf(await readAll(process, published[1]?.seq))).toEqual(['pending', 'c'])
})

test('a page has some hundred events, and reading all pages misses none', async () => {
  const database = await openDatabase()
  const process = await open(database)
  await process.eventLog.lead(database.sql)
  const names = Array.from({ length: 3_210 }, (_, index) => `${index}`)
  await book(process, database, ...names)
  const pages = []
  for await (const page of process.eventLog.read(0)) pages.push(page)
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(500)
  expect(namesOf(pages.flat())).toEqual(names)
})

test('a process that starts has the last five minutes, and numbers its events above', async () => {
  const database = await openDatabase()
  const first = await open(database)
  await first.eventLog.lead(database.sql)
  await book(first, database, 'old')
  first.clock.advance(6 * MINUTE_MS)
  const [recent] = await book(first, database, 'recent')
  const restarted = await open(database, START_MS + 6 * MINUTE_MS)
  await restarted.eventLog.lead(database.sql)
  expect(namesOf(restarted.bus.replay({ afterSeq: 0 }))).toEqual(['recent'])
  // Its clock is an hour slow.
  const second = await open(database, START_MS - 60 * MINUTE_MS)
  await second.eventLog.lead(database.sql)
  const [next] = await book(second, database, 'next')
  expect(next?.seq).toBeGreaterThan(recent?.seq ?? Number.NaN)
})

test('a process that does not write delivers what another one stores, each once', async () => {
  const database = await openDatabase()
  const [writer, reader] = [await open(database), await open(database)]
  await writer.eventLog.lead(database.sql)
  const got: BusEvent[] = []
  reader.bus.subscribe((events) => void got.push(...events))
  for (const name of ['a', 'b', 'c']) {
    await book(writer, database, name)
    await reader.eventLog.sync()
    await reader.eventLog.sync()
  }
  expect(got.map(({ seq, text }) => [seq, text])).toEqual(
    writer.bus.replay({ afterSeq: 0 }).map(({ seq, text }) => [seq, text]),
  )
})

test('a process that was cut off for longer than the bus buffers delivers everything', async () => {
  const database = await openDatabase()
  const [writer, reader] = [await open(database), await open(database)]
  await writer.eventLog.lead(database.sql)
  const got: BusEvent[] = []
  reader.bus.subscribe((events) => void got.push(...events))
  await book(writer, database, 'a')
  await reader.eventLog.sync()
  await book(writer, database, 'b')
  for (const { clock } of [writer, reader]) clock.advance(10 * MINUTE_MS)
  await book(writer, database, 'c')
  await reader.eventLog.sync()
  expect(namesOf(got)).toEqual(['a', 'b', 'c'])
})

test('a process that takes over numbers above what the last one published and did not store', async () => {
  const database = await openDatabase()
  const [first, second] = [await open(database), await open(database)]
  await first.eventLog.lead(database.sql)
  await book(first, database, 'a')
  first.bus.publish([draft('lost', 'pending')])
  const { lastSeq } = first.bus

  second.clock.advance(MINUTE_MS)
  await second.eventLog.sync()
  expect(await second.eventLog.check(lastSeq)).toBe('confirmed')
  expect(await second.eventLog.check(lastSeq * 2)).toBe('gap')

  await second.eventLog.lead(database.sql)
  expect(await second.eventLog.check(lastSeq)).toBe('confirmed')
  const [b] = await book(second, database, 'b')
  expect(b?.seq).toBeGreaterThan(lastSeq)
})

test('pending events that are too many to be stored are owned up to', async () => {
  const database = await openDatabase()
  const process = await open(database)
  await process.eventLog.lead(database.sql)
  const [a] = await book(process, database, 'a')
  expect(await process.eventLog.check(a?.seq ?? 0)).toBe('exact')
  process.bus.publish(Array.from({ length: 20_010 }, () => draft('waits', 'pending')))
  const [b] = await book(process, database, 'b')
  expect(await readAll(process, a?.seq)).toHaveLength(20_001)
  expect(await process.eventLog.check(a?.seq ?? 0)).toBe('confirmed')
  expect(await process.eventLog.check((a?.seq ?? 0) + 11)).toBe('exact')

  const next = await open(database)
  await next.eventLog.load()
  expect(next.bus.publishedSeq).toBe(b?.seq)
  expect(await next.eventLog.check(a?.seq ?? 0)).toBe('confirmed')
})

test('the log says how well a client can go on', async () => {
  const database = await openDatabase()
  const first = await open(database)
  await first.eventLog.lead(database.sql)
  const [a] = await book(first, database, 'a')
  const seq = a?.seq ?? 0
  expect(await first.eventLog.check(seq)).toBe('exact')
  expect(await first.eventLog.check(seq + 1)).toBe('gap')

  const second = await open(database, START_MS + MINUTE_MS)
  await second.eventLog.lead(database.sql)
  const [b] = await book(second, database, 'b')
  expect(await second.eventLog.check(seq)).toBe('confirmed')
  expect(await second.eventLog.check(b?.seq ?? 0)).toBe('exact')

  second.clock.advance(24 * 60 * MINUTE_MS - 1)
  await book(second, database, 'c')
  await second.eventLog.deleteOld()
  expect(await second.eventLog.check(seq)).toBe('confirmed')
  second.clock.advance(2)
  await second.eventLog.deleteOld()
  expect(await second.eventLog.check(seq)).toBe('gap')
  expect(await second.eventLog.check(b?.seq ?? 0)).toBe('exact')
  expect(namesOf(await readAll(second))).toEqual(['c'])
})

test('events are kept for as many days as replays reach, and clients resume within the last of them', async () => {
  const database = await openDatabase()
  const process = await open(database, START_MS, 3)
  const { clock, eventLog } = process
  await eventLog.lead(database.sql)
  const [first, second] = await book(process, database, 'a', 'b')
  // In a log that is younger than a day nothing is too old, not even what came before its first row.
  expect(await eventLog.check((first?.seq ?? 0) - 1)).not.toBe('gap')
  clock.advance(25 * 60 * MINUTE_MS)
  await book(process, database, 'c')
  await eventLog.deleteOld()
  expect(namesOf(await readAll(process))).toEqual(['a', 'b', 'c'])
  expect(await eventLog.check(first?.seq ?? 0)).toBe('gap')
  // What came after it is of the last day.
  expect(await eventLog.check(second?.seq ?? 0)).toBe('exact')
  const between = eventLog.readBetween(START_MS, START_MS + MINUTE_MS, database.sql)
  const read: BusEvent[] = []
  for await (const page of between) read.push(...page)
  expect(namesOf(read)).toEqual(['a', 'b'])
  clock.advance(48 * 60 * MINUTE_MS)
  await eventLog.deleteOld()
  expect(namesOf(await readAll(process))).toEqual(['c'])
})
