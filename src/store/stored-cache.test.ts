import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { AccountRefusal, notFound } from '../core/errors.js'
import { createLog } from '../lib/log.js'
import { StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import { pause } from '../lib/timing.js'
import { createStoredCache, deleteExpiredAnswers, STALE_MS_MAX } from './stored-cache.js'

const FRESH_MS = 30_000

let database: TestDatabase
let clock: ManualClock
let cache: StaleFallbackCache
let loads: number
let key: string
let tests = 0
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  // Another key for each test: answers of the one before may be stored only now.
  key = `games ${++tests}`
  clock = new ManualClock()
  cache = open()
  loads = 0
})

const log = createLog('silent', process.stderr)
const open = () => createStoredCache({ store: database, clock, log })
const answer = async () => ({ load: ++loads })
const fail = async (): Promise<{ load: number }> => {
  loads += 1
  throw new Error('the upstream is down')
}
const ask = (load = answer, from = cache, waitMs?: number) =>
  from.get(key, { freshMs: FRESH_MS, load, waitMs })
const untilStored = () =>
  vi.waitFor(async () =>
    expect(await database.sql`select from upstream_copies where key = ${key}`).toHaveLength(1),
  )

test('500 requests at once make one load, and a fresh answer none', async () => {
  const all = await Promise.all(Array.from({ length: 500 }, () => ask()))
  expect(new Set(all.map(({ value }) => value.load))).toEqual(new Set([1]))
  clock.advance(FRESH_MS - 1)
  expect(await ask()).toMatchObject({ value: { load: 1 }, isStale: false, isHit: true })
  clock.advance(1)
  expect(await ask()).toMatchObject({ value: { load: 2 }, isStale: false })
})

test('a clock that is set back makes no answer fresh, and no failure recent', async () => {
  await ask()
  clock.advance(-3_600_000)
  expect(await ask()).toMatchObject({ value: { load: 2 }, isStale: false, isHit: false })
  clock.advance(FRESH_MS)
  expect(await ask(fail)).toMatchObject({ value: { load: 2 }, isStale: true })
  clock.advance(-3_600_000)
  expect(await ask()).toMatchObject({ value: { load: 4 }, isStale: false, isHit: false })
})

test('the last answer stands in for twelve hours, with its time', async () => {
  const asOfMs = clock.now()
  await ask()
  clock.advance(STALE_MS_MAX)
  expect(await ask(fail)).toEqual({
    value: { load: 1 },
    asOfMs,
    isStale: true,
    isHit: false,
    fault: new Error('the upstream is down'),
  })
  clock.advance(1_001)
  await expect(ask(fail)).rejects.toThrow('the upstream is down')
})

test('a failure is not repeated for every request', async () => {
  await ask()
  clock.advance(FRESH_MS)
  for (let n = 0; n < 5; n++) expect((await ask(fail)).isStale).toBe(true)
  expect(loads).toBe(2)
  clock.advance(1_000)
  expect(await ask()).toMatchObject({ value: { load: 3 }, isStale: false })
})

test('without a last answer the failure is the answer, and the next request asks again', async () => {
  await expect(ask(fail)).rejects.toThrow('the upstream is down')
  expect(await ask()).toMatchObject({ value: { load: 2 } })
})

test('an answer such as 404 is no failure', async () => {
  await ask()
  clock.advance(FRESH_MS)
  const gone = () => Promise.reject(notFound())
  await expect(ask(gone)).rejects.toMatchObject({ status: 404 })
})

test('a refusal of one account does not refuse another that waits for the same load', async () => {
  const load = async () => {
    loads += 1
    if (loads === 1) throw new AccountRefusal(1, 'your share is used up')
    return { load: loads }
  }
  const [first, second] = await Promise.allSettled(
    [1, 2].map((accountId) => cache.get('a', { freshMs: FRESH_MS, load, accountId })),
  )
  expect(first).toMatchObject({ status: 'rejected' })
  expect(second).toMatchObject({ value: { value: { load: 2 } } })
})

test('the next process has the last answer, until it is too old', async () => {
  await ask()
  await untilStored()
  clock.advance(STALE_MS_MAX)
  expect(await ask(fail, open())).toMatchObject({ value: { load: 1 }, isStale: true })
  clock.advance(1)
  await expect(ask(fail, open())).rejects.toThrow('the upstream is down')
  await deleteExpiredAnswers(database.sql, clock.now())
  expect(await database.sql`select from upstream_copies where key = ${key}`).toHaveLength(0)
})

test.each(['memory', 'the database'])(
  'while a load takes long the last answer of %s is shown, and what it gives is kept',
  async (source) => {
    const before = open()
    await ask(answer, before)
    await untilStored()
    const patient = source === 'memory' ? before : open()
    clock.advance(FRESH_MS)
    let give = () => {}
    const slow = () => new Promise<{ load: number }>((resolve) => (give = () => resolve({ load: 9 })))
    for (let n = 0; n < 3; n++) {
      expect(await ask(slow, patient, 0)).toMatchObject({ value: { load: 1 }, isStale: true })
    }
    give()
    await vi.waitFor(async () =>
      expect(await ask(fail, patient)).toMatchObject({ value: { load: 9 }, isStale: false }),
    )
    expect(loads).toBe(1)
  },
)

test('after a failure no request waits long for the next load', async () => {
  await ask()
  clock.advance(FRESH_MS)
  await ask(fail)
  clock.advance(1_000)
  const never = () => new Promise<{ load: number }>(() => {})
  expect(await ask(never, cache, 60_000)).toMatchObject({ value: { load: 1 }, isStale: true })
})

test('an answer that is doubted gives way to the last one, and is not kept', async () => {
  const doubt = () =>
    cache.get(key, { freshMs: FRESH_MS, load: answer, isDoubtful: ({ load }) => load !== 3 })
  expect(await doubt()).toMatchObject({ value: { load: 1 }, isStale: false })
  expect(await doubt()).toMatchObject({ value: { load: 2 }, isStale: false })
  expect(await doubt()).toMatchObject({ value: { load: 3 }, isStale: false })
  clock.advance(FRESH_MS)
  expect(await doubt()).toMatchObject({ value: { load: 3 }, isStale: true })
  clock.advance(STALE_MS_MAX)
  expect(await doubt()).toMatchObject({ value: { load: 5 }, isStale: false })
})

test('without a last answer a load that takes long is waited for', async () => {
  const slow = async () => {
    await pause(20)
    return { load: 1 }
  }
  expect(await ask(slow, cache, 0)).toMatchObject({ value: { load: 1 }, isStale: false })
})

test('in memory alone: how long an answer is fresh may follow from it, and without a limit none stands in', async () => {
  const memory = new StaleFallbackCache({ clock, limits: { max: 1 }, staleMsMax: 0 })
  const freshMs = ({ load }: { load: number }, asOfMs: number) => (asOfMs > 0 ? load * 1_000 : 0)
  const get = (load = answer) => memory.get('a', { freshMs, load })
  expect(await get()).toMatchObject({ value: { load: 1 }, isHit: false })
  clock.advance(999)
  expect(await get()).toMatchObject({ value: { load: 1 }, isHit: true })
  clock.advance(1)
  await expect(get(fail)).rejects.toThrow('the upstream is down')
  expect(await get()).toMatchObject({ value: { load: 3 } })
  clock.advance(2_999)
  expect(await get()).toMatchObject({ value: { load: 3 }, isHit: true })
})
