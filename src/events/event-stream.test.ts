import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectTo } from '../../test/connect-redis.js'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../../test/redis-server.js'
import { until } from '../../test/until.js'
import { Bus } from '../bus/bus.js'
import { type EventDraft, NO_KEYS } from '../bus/event.js'
import { createLog } from '../lib/log.js'
import type { RedisConnection } from '../redis/connection.js'
import { EventLog } from './event-log.js'
import { EventStream } from './event-stream.js'

const draft = (name: string, status: 'pending' | 'confirmed' = 'confirmed'): EventDraft => ({
  type: 'trade',
  timestampMs: 1,
  data: { name },
  keys: { ...NO_KEYS, status },
})

/** A process of its own on that database and that Redis. */
function openProcess(redis: RedisConnection, { sql }: TestDatabase) {
  const clock = new ManualClock()
  const bus = new Bus({ clock, log: createLog('silent', process.stderr) })
  let queries = 0
  const store = {
    get sql() {
      queries++
      return sql
    },
  }
  const eventLog = new EventLog({ store, bus, clock })
  const stream = new EventStream({ redis, bus, eventLog })
  const received: string[] = []
  bus.subscribe((events) => received.push(...events.map(({ data }) => `${data.name}`)))

  /** What the job does, until the test ends. */
  const follow = () => {
    const stopping = new AbortController()
    const run = async () => {
      while (!stopping.signal.aborted) await stream.follow(stopping.signal)
    }
    const running = run()
    onTestFinished(async () => {
      stopping.abort()
      await running
    })
  }
  /** Books a block whose transaction commits. */
  const book = async (...names: string[]) => {
    const reservation = bus.reserve(names.map((name) => draft(name)))
    await sql.begin((tx) => eventLog.insert(tx, reservation.events))
    eventLog.noteStored(reservation.events.at(-1)?.seq ?? 0)
    reservation.publish()
  }
  const publishPending = (name: string) => bus.publish([draft(name, 'pending')])
  return {
    clock,
    bus,
    eventLog,
    stream,
    received,
    follow,
    book,
    publishPending,
    queries: () => queries,
  }
}

describe.skipIf(REDIS_PROGRAM === undefined)('EventStream', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.remove())

  async function open(namespace: string) {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const redis = await connectTo(server, namespace)
    const writer = openProcess(redis, database)
    await writer.eventLog.lead(database.sql)
    const reader = openProcess(redis, database)
    return { database, redis, writer, reader }
  }

  type World = Awaited<ReturnType<typeof open>>

  async function untilFollowing(world: World) {
    world.reader.follow()
    await untilSynced(world, () => world.reader.stream.isFollowing)
  }

  /** Runs what the jobs of both do meanwhile. */
  async function untilSynced({ writer, reader }: World, isDone: () => boolean) {
    await vi.waitFor(
      async () => {
        writer.stream.beat()
        if (!reader.stream.isFollowing) await reader.eventLog.sync()
        expect(isDone()).toBe(true)
      },
      { timeout: 10_000, interval: 10 },
    )
  }

  test('a reader has events after the commit, and pending ones at once, without asking the database', async () => {
    const world = await open('quick')
    const { writer, reader } = world
    await writer.book('before')
    await untilFollowing(world)
    const asked = reader.queries()
    await writer.book('a', 'b')
    writer.publishPending('c')
    await writer.book('d')
    await until(() => reader.received.length === 5)
    expect(reader.received).toEqual(['before', 'a', 'b', 'c', 'd'])
    expect(reader.bus.publishedSeq).toBe(writer.bus.publishedSeq)
    expect(reader.queries()).toBe(asked)
  })

  test('events that a reader has missed come from the log, in their order', async () => {
    const world = await open('missed')
    const { redis, writer, reader } = world
    await untilFollowing(world)
    await writer.book('a')
    await until(() => reader.received.length === 1)
    await server.kill()
    await until(() => redis.problem !== undefined && !reader.stream.isFollowing)
    await writer.book('b')
    writer.publishPending('c')
    await server.start()
    await until(() => redis.problem === undefined)
    await untilSynced(world, () => reader.received.includes('b'))
    // It follows a pending event that the reader has missed, and that is not in the log yet.
    writer.publishPending('d')
    await reader.eventLog.sync()
    expect(reader.received).toEqual(['a', 'b'])
    await writer.book('e')
    await untilSynced(world, () => reader.stream.isFollowing && reader.received.includes('e'))
    expect(reader.received).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('a reader goes on with the next writer, and ignores one that does not know yet that it is none', async () => {
    const world = await open('takeover')
    const { database, redis, writer, reader } = world
    await untilFollowing(world)
    await writer.book('a')
    writer.publishPending('never stored')
    await until(() => reader.received.length === 2)
    const next = openProcess(redis, database)
    next.clock.advance(1_000)
    await next.eventLog.lead(database.sql)
    await next.book('b')
    writer.publishPending('late')
    await next.book('c')
    await until(() => reader.received.includes('c'))
    expect(reader.received).toEqual(['a', 'never stored', 'b', 'c'])
  })

  test('a writer that is silent is noticed, so that the log is read again', async () => {
    const world = await open('silent')
    await untilFollowing(world)
    expect(world.reader.stream.isFollowing).toBe(true)
    await until(() => !world.reader.stream.isFollowing)
  })

  test('two databases on one Redis do not mix', async () => {
    const one = await open('mix-1')
    const two = await open('mix-2')
    await untilFollowing(one)
    await untilFollowing(two)
    await one.writer.book('of one')
    await two.writer.book('of two')
    await until(() => one.reader.received.length > 0 && two.reader.received.length > 0)
    expect(two.reader.received).toEqual(['of two'])
  })

  test('no event is lost, doubled or out of order, whatever the stream loses', async () => {
    const world = await open('any')
    const { redis, writer, reader } = world
    await untilFollowing(world)
    const act = fc.constantFrom('book', 'book', 'pending', 'lose', 'sync', 'large')
    let last = 0
    let losses = 0
    const killConnections = async () => {
      losses++
      const kill = redis.call('kill', (client) =>
        client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no'),
      )
      await kill.catch(() => undefined)
    }
    const expectSame = async () => {
      await writer.book(`${++last}`)
      await untilSynced(world, () => reader.bus.publishedSeq === writer.bus.publishedSeq)
      expect(reader.received).toEqual(writer.received)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        for (const each of acts) {
          if (each === 'book') await writer.book(`${++last}`, `${++last}`)
          if (each === 'large') await writer.book(...Array.from({ length: 2_100 }, () => `${++last}`))
          if (each === 'pending') writer.publishPending(`${++last}`)
          if (each === 'lose' && redis.problem === undefined) await killConnections()
          if (each === 'sync') await reader.eventLog.sync()
        }
        await expectSame()
      }),
      { numRuns: 12 },
    )
    // Few of the draws may lose a connection: those of one that is lost already do not.
    while (losses < 3) {
      await until(() => redis.problem === undefined)
      await killConnections()
      await expectSame()
    }
  })
})
