import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { SharedLimiter } from './shared-limiter.js'
import { deleteOldWindows } from './shared-queries.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const WINDOW_MS = 10_000
const open = (clock: ManualClock) => new SharedLimiter({ store: { answers: database.sql }, clock })

let subjects = 0
const shared = (subject: number, limit = 3) => ({
  bucket: 'search_online',
  subject,
  limit,
  windowMs: WINDOW_MS,
  isShared: true,
})
const own = (subject: number, limit = 60) => ({ bucket: 'rest', subject, limit, windowMs: 60_000 })

describe('SharedLimiter', () => {
  test('two processes agree with a plain list of times, for any times', async () => {
    const request = fc.record({
      waitMs: fc.integer({ min: 0, max: 6_000 }),
      process: fc.constantFrom(0, 1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 30 }), async (requests) => {
        const clock = new ManualClock(1_000_000)
        const limiters = [open(clock), open(clock)]
        const subject = ++subjects
        let times: number[] = []
        for (const { waitMs, process } of requests) {
          clock.advance(waitMs)
          times = times.filter((time) => time > clock.now() - WINDOW_MS)
          const isFree = times.length < 3
          if (isFree) times.push(clock.now())
          expect(await limiters[process]?.take([shared(subject)])).toMatchObject({
            allowed: isFree,
            strictest: { remaining: 3 - times.length, resetAtMs: (times[0] ?? 0) + WINDOW_MS },
          })
        }
      }),
      { numRuns: 20 },
    )
  })

  test('of many requests at once, in two processes, exactly the allowed ones pass', async () => {
    const clock = new ManualClock()
    const limiters = [open(clock), open(clock)]
    const subject = ++subjects
    const asked = Array.from({ length: 40 }, (_, index) => limiters[index % 2])
    const verdicts = await Promise.all(asked.map((limiter) => limiter?.take([shared(subject)])))
    expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(3)
  })

  test('a refusal of the shared bucket charges none of the others', async () => {
    const limiter = open(new ManualClock())
    const subject = ++subjects
    const charges = [own(subject), shared(subject, 1)]
    expect(await limiter.take(charges)).toMatchObject({
      allowed: true,
      balances: [{ bucket: 'rest', remaining: 59 }, { bucket: 'search_online' }],
    })
    for (let count = 0; count < 5; count++) {
      const { allowed, strictest } = await limiter.take(charges)
      expect([allowed, strictest.bucket]).toEqual([false, 'search_online'])
    }
    expect(await limiter.take([own(subject)])).toMatchObject({ strictest: { remaining: 58 } })
  })

  test('a full bucket of this process is refused without asking the database', async () => {
    const limiter = open(new ManualClock())
    const subject = ++subjects
    limiter.take([own(subject, 1)])
    expect(limiter.take([own(subject, 1), shared(subject)])).toMatchObject({
      allowed: false,
      strictest: { bucket: 'rest' },
    })
  })

  test('a clock that was set back does not freeze a window', async () => {
    const clock = new ManualClock(10_000_000)
    const limiter = open(clock)
    const subject = ++subjects
    await limiter.take([shared(subject, 1)])
    expect((await limiter.take([shared(subject, 1)])).allowed).toBe(false)
    clock.set(5_000_000)
    expect((await limiter.take([shared(subject, 1)])).allowed).toBe(true)
  })

  test('windows without requests are forgotten', async () => {
    const clock = new ManualClock(1_000)
    await open(clock).take([shared(++subjects)])
    await deleteOldWindows(database.sql, 1_001)
    const rows = await database.sql`select from rate_windows where subject = ${subjects}`
    expect(rows).toHaveLength(0)
  })
})
