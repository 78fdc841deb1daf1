import fc from 'fast-check'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectTo } from '../../test/connect-redis.js'
import { createTestDatabase, storeOf } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../../test/redis-server.js'
import { until } from '../../test/until.js'
import type { RedisConnection } from '../redis/connection.js'
import { type Charge, type Limiter, MemoryLimiter } from './limiter.js'
import { RedisLimiter } from './redis-limiter.js'
import { SharedLimiter } from './shared-limiter.js'

const WINDOW_MS = 60_000

const charge = (limit: number, subject: number, bucket = 'rest'): Charge => ({
  bucket,
  subject,
  limit,
  windowMs: WINDOW_MS,
})

let lastSubject = 0
/** One that no test has used before. */
const newSubject = () => ++lastSubject

type ProcessOptions = {
  clock?: ManualClock
  leaseUnitsMax?: number
  serverClock?: ManualClock
  fallback?: Limiter
}

function openProcess(redis: RedisConnection, options: ProcessOptions) {
  const { clock = new ManualClock(), ...rest } = options
  const registry = new Registry()
  const fallback = new MemoryLimiter(clock)
  const limiter = new RedisLimiter({ redis, fallback, clock, registry, ...rest })
  const decided = async (by: string) => {
    const metric = await registry.getSingleMetric('auspex_limit_decisions_total')?.get()
    return metric?.values.find(({ labels }) => labels.by === by)?.value ?? 0
  }
  return { limiter, decided }
}

describe.skipIf(REDIS_PROGRAM === undefined)('RedisLimiter', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.remove())

  test('decides as MemoryLimiter does, when one process asks without leases', async () => {
    const redis = await connectTo(server, 'same')
    const request = fc.record({
      waitMs: fc.integer({ min: 0, max: 20_000 }),
      buckets: fc.subarray(['rest', 'v3', 'v3_heavy'], { minLength: 1 }),
    })
    const limits = fc.record({
      rest: fc.integer({ min: 0, max: 6 }),
      v3: fc.integer({ min: 1, max: 6 }),
      v3_heavy: fc.integer({ min: 1, max: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 40 }), limits, async (requests, limitOf) => {
        const clock = new ManualClock()
        const memory = new MemoryLimiter(clock)
        const { limiter } = openProcess(redis, { serverClock: clock, leaseUnitsMax: 0 })
        const subject = newSubject()
        for (const { waitMs, buckets } of requests) {
          clock.advance(waitMs)
          const charges = buckets.map((bucket) =>
            charge(limitOf[bucket as keyof typeof limitOf], subject, bucket),
          )
          const expected = memory.take(charges)
          const verdict = limiter.take(charges)
          if (verdict instanceof Promise) expect(await verdict).toEqual(expected)
          // A refusal that is remembered knows of the full bucket alone.
          else expect(verdict).toMatchObject({ allowed: expected.allowed, strictest: expected.strictest })
          expect(await limiter.look(charges)).toEqual(await memory.look(charges))
        }
      }),
      { numRuns: 40 },
    )
  })

  test('never allows more than the limit in any window, and loses no unit, whatever processes do', async () => {
    const redis = await connectTo(server, 'many')
    const step = fc.record({
      process: fc.integer({ min: 0, max: 2 }),
      waitMs: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 30_000 })),
      burst: fc.integer({ min: 1, max: 12 }),
      buckets: fc.subarray(['v3', 'v3_heavy'], { minLength: 1 }),
      after: fc.constantFrom('go on', 'go on', 'give back', 'die'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 1, max: 60 }),
        async (steps, limit) => {
          const serverClock = new ManualClock()
          const open = () => openProcess(redis, { serverClock }).limiter
          const processes = [open(), open(), open()]
          const subject = newSubject()
          const usedAtMs: Record<string, number[]> = { v3: [], v3_heavy: [] }
          let hasDied = false
          for (const { process, waitMs, burst, buckets, after } of steps) {
            serverClock.advance(waitMs)
            const limiter = processes[process]
            if (limiter === undefined) throw new Error('there is no such process')
            const charges = buckets.map((bucket) => charge(limit, subject, bucket))
            const verdicts = await Promise.all(Array.from({ length: burst }, () => limiter.take(charges)))
            for (const { allowed } of verdicts) {
              for (const bucket of allowed ? buckets : []) usedAtMs[bucket]?.push(serverClock.now())
            }
            if (after === 'give back') await limiter.giveBackOld()
            if (after !== 'die') continue
            processes[process] = open()
            hasDied = true
          }
          for (const limiter of processes) await limiter.giveBackAll()
          for (const [bucket, times] of Object.entries(usedAtMs)) {
            const inWindow = times.map(
              (end) => times.filter((time) => time <= end && time > end - WINDOW_MS).length,
            )
            expect(Math.max(0, ...inWindow)).toBeLessThanOrEqual(limit)
            const used = times.filter((time) => time > serverClock.now() - WINDOW_MS).length
            const [balance] = (await processes[0]?.look([charge(limit, subject, bucket)])) ?? []
            if (hasDied) expect(balance?.remaining).toBeLessThanOrEqual(limit - used)
            else expect(balance?.remaining).toBe(limit - used)
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  test('what a process has used before it died counts as long as if it had said so', async () => {
    const redis = await connectTo(server, 'dead')
    const serverClock = new ManualClock()
    const charges = [charge(200, newSubject())]
    const { limiter } = openProcess(redis, { serverClock })
    for (let count = 0; count < 2; count++) await limiter.take(charges)
    serverClock.advance(900)
    let lent = 0
    while (!(limiter.take(charges) instanceof Promise)) lent++
    expect(lent).toBeGreaterThan(10)
    serverClock.advance(WINDOW_MS - 900)
    const next = openProcess(redis, { serverClock }).limiter
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => next.take(charges)))
    expect(verdicts.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(200 - lent)
  })

  test('allows exactly the limit in a minute of steady load on two processes, mostly without asking', async () => {
    const redis = await connectTo(server, 'steady')
    const serverClock = new ManualClock()
    const processes = [openProcess(redis, { serverClock }), openProcess(redis, { serverClock })]
    const subject = newSubject()
    let allowed = 0
    for (let ms = 0; ms < WINDOW_MS; ms += 25, serverClock.advance(25)) {
      for (const { limiter } of processes) {
        if ((await limiter.take([charge(2_000, subject)])).allowed) allowed++
        if (ms % 250 === 0) await limiter.giveBackOld()
      }
    }
    expect(allowed).toBe(2_000)
    for (const { decided } of processes) {
      expect(await decided('redis')).toBeLessThan(240)
      expect((await decided('lease')) + (await decided('redis')) + (await decided('refusal'))).toBe(2_400)
    }
  })

  test('counts in one window for processes whose clocks differ, and answers each in its own time', async () => {
    const redis = await connectTo(server, 'clocks')
    const subject = newSubject()
    const clocks = [new ManualClock(1_000_000), new ManualClock(1_000_000 - 7_000)]
    const processes = clocks.map((clock) => openProcess(redis, { clock }))
    const verdicts = []
    for (let count = 0; count < 30; count++) {
      const limiter = processes[count % 2]?.limiter
      if (limiter !== undefined) verdicts.push(await limiter.take([charge(20, subject)]))
    }
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(20)
    for (const [index, clock] of clocks.entries()) {
      const late = verdicts.at(-2 + index)?.strictest.resetAtMs ?? 0
      expect(late - clock.now()).toBeGreaterThan(WINDOW_MS - 5_000)
      expect(late - clock.now()).toBeLessThanOrEqual(WINDOW_MS)
    }
  })

  test('a full window costs Redis nothing until a unit is free', async () => {
    const redis = await connectTo(server, 'refusals')
    const serverClock = new ManualClock()
    const { limiter, decided } = openProcess(redis, { serverClock })
    const full = [charge(3, newSubject())]
    for (let count = 0; count < 3; count++) expect((await limiter.take(full)).allowed).toBe(true)
    const asked = await decided('redis')
    serverClock.advance(WINDOW_MS - 1)
    for (let count = 0; count < 50; count++) expect(limiter.take(full)).toMatchObject({ allowed: false })
    expect(await decided('redis')).toBe(asked)
    serverClock.advance(1)
    expect((await limiter.take(full)).allowed).toBe(true)
  })

  test('requests that come together are asked for together', async () => {
    const redis = await connectTo(server, 'together')
    const { limiter } = openProcess(redis, { serverClock: new ManualClock() })
    const charges = [charge(30, newSubject())]
    const verdicts = await Promise.all(Array.from({ length: 40 }, () => limiter.take(charges)))
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(30)
  })

  test('two databases on one Redis count apart', async () => {
    const subject = newSubject()
    for (const namespace of ['one', 'two']) {
      const { limiter } = openProcess(await connectTo(server, namespace), {})
      expect((await limiter.take([charge(1, subject)])).allowed).toBe(true)
      expect((await limiter.take([charge(1, subject)])).allowed).toBe(false)
    }
  })

  test('counts in this process while Redis is lost, and in Redis again when it is back', async () => {
    const redis = await connectTo(server, 'lost')
    const { limiter, decided } = openProcess(redis, {})
    const charges = [charge(2, newSubject())]
    const take = async () => (await limiter.take(charges)).allowed
    expect([await take(), await take(), await take()]).toEqual([true, true, false])
    await server.kill()
    await until(() => redis.problem !== undefined)
    expect([await take(), await take(), await take()]).toEqual([true, true, false])
    expect(await decided('process')).toBe(3)
    expect(await limiter.look(charges)).toMatchObject([{ remaining: 0 }])
    await server.start()
    await until(() => redis.problem === undefined)
    const asked = await decided('redis')
    expect((await limiter.take([charge(2, newSubject())])).allowed).toBe(true)
    expect(await decided('redis')).toBe(asked + 1)
  })

  test('a process that has just started waits for Redis, and counts with the others', async () => {
    const charges = [charge(1, newSubject())]
    const first = openProcess(await connectTo(server, 'start'), {})
    expect((await first.limiter.take(charges)).allowed).toBe(true)
    const starting = await connectTo(server, 'start', undefined, { isReady: false })
    const { limiter, decided } = openProcess(starting, {})
    expect(starting.isStarting).toBe(true)
    expect((await limiter.take(charges)).allowed).toBe(false)
    expect([await decided('redis'), await decided('process')]).toEqual([1, 0])
  })

  test('a process that starts while Redis is away counts for itself', async () => {
    await server.kill()
    onTestFinished(() => server.start())
    const { limiter, decided } = openProcess(
      await connectTo(server, 'start', undefined, { isReady: false }),
      {},
    )
    expect((await limiter.take([charge(1, newSubject())])).allowed).toBe(true)
    expect(await decided('process')).toBe(1)
  })

  test('counts what is lasting in the database, so that a Redis that starts again empty forgets nothing', async () => {
    const redis = await connectTo(server, 'lasting')
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const clock = new ManualClock()
    const open = () => {
      const fallback = new SharedLimiter({ store: storeOf(database.sql), clock })
      return openProcess(redis, { clock, fallback }).limiter
    }
    const processes = [open(), open()]
    const subject = newSubject()
    const lasting = { ...charge(3, subject, 'account_keys'), isShared: true, isLasting: true }
    const takeOfBoth = async () => {
      const verdicts = await Promise.all(processes.map((each) => each.take([lasting])))
      return verdicts.filter(({ allowed }) => allowed).length
    }
    expect(await takeOfBoth()).toBe(2)
    await server.kill()
    await server.start()
    await until(() => redis.problem !== undefined)
    await until(() => redis.problem === undefined)
    expect(await takeOfBoth()).toBe(1)
    const balances = await processes[0]?.look([charge(9, subject, 'v3'), lasting, charge(8, subject)])
    expect(balances?.map(({ bucket, remaining }) => [bucket, remaining])).toEqual([
      ['v3', 9],
      ['account_keys', 0],
      ['rest', 8],
    ])
  })

  test('a Redis that hangs delays requests once, and for less than a second', async () => {
    const redis = await connectTo(server, 'hangs')
    const { limiter } = openProcess(redis, {})
    server.pause()
    const startedAt = performance.now()
    expect((await limiter.take([charge(2, newSubject())])).allowed).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(limiter.take([charge(2, newSubject())])).toMatchObject({ allowed: true })
    server.resume()
    await until(() => redis.problem === undefined)
  })
})
