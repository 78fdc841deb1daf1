import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../../test/until.js'
import type { PlanId } from '../../accounts/plans.js'
import { BusEvent, type EventDraft } from '../../bus/event.js'
import { FairSemaphore } from '../../lib/fair-semaphore.js'
import { Replay } from './replay.js'
import { draftOf, openTestStream, priceOf, type TestClient, type TestStream } from './test-stream.js'

const MINUTE_MS = 60_000

let stream: TestStream
const published: BusEvent[] = []
beforeAll(async () => {
  stream = await openTestStream()
  stream.bus.subscribe((events) => void published.push(...events))
  await stream.ctx.eventLog.lead(stream.sql)
})
afterAll(() => stream.close())
beforeEach(() => {
  for (const { protocol } of clients.splice(0)) protocol.onClose()
  expect(stream.hub.subscriptions.size).toBe(0)
  forget()
})

const clients: TestClient[] = []
function connect(plan?: PlanId): TestClient {
  const client = stream.connect(plan)
  clients.push(client)
  return client
}

/** Longer than the bus keeps events. */
const forget = () => stream.clock.advance(6 * MINUTE_MS)

const trade = (keys = {}, timestampMs = stream.clock.now()) => draftOf('trade', {}, keys, timestampMs)
const trades = (count: number) => Array.from({ length: count }, () => trade())
const blocks = (count: number) => Array.from({ length: count }, () => draftOf('block'))
const pending = () => draftOf('settlement', {}, { status: 'pending' }, stream.clock.now())

/** Publishes events of a block, whose transaction commits. */
async function book(drafts: readonly EventDraft[]): Promise<void> {
  const { eventLog } = stream.ctx
  const { events, publish } = stream.bus.reserve(drafts)
  await stream.sql.begin((tx) => eventLog.insert(tx, events))
  eventLog.noteStored(events.at(-1)?.seq ?? 0)
  publish()
}

type Envelope = { seq: number }

/** The numbers of all events that a client has got, replayed and live. */
const seqsOf = ({ connection }: TestClient) =>
  connection.messages.flatMap((message) =>
    message.type === 'snapshot'
      ? (message.events as Envelope[]).map(({ seq }) => seq)
      : typeof message.seq === 'number'
        ? [message.seq]
        : [],
  )

const publishedAfter = (seq: number) => published.map((event) => event.seq).filter((each) => each > seq)

/** Subscribes without taking the messages away. */
const subscribe = ({ protocol }: TestClient, type: string, filters: object) =>
  protocol.onMessage(JSON.stringify({ action: 'subscribe', type, filters }))

const countsOf = ({ connection }: TestClient) =>
  connection.messages.filter(({ type }) => type === 'snapshot').map(({ count }) => count)

describe('the last events', () => {
  test.each([
    ['free', undefined, 20],
    ['free', 100, 20],
    ['starter', undefined, 20],
    ['starter', 7, 7],
    ['starter', 1_000, 100],
    ['growth', 1_000, 200],
    ['enterprise', 1_000, 500],
  ] as const)('%s asks for %s and gets %s', async (plan, snapshot_count, count) => {
    stream.bus.publish(trades(600))
    const client = connect(plan)
    await subscribe(client, 'trades', { snapshot_count })
    expect(countsOf(client)).toEqual([count])
    expect(seqsOf(client)).toEqual(publishedAfter(0).slice(-count))
  })

  test('are those that match, as they were sent live, and none if 0 are wanted', async () => {
    stream.bus.publish([trade({ side: 'BUY' }), trade({ side: 'SELL' }), trade({ side: 'BUY' })])
    const client = connect()
    await subscribe(client, 'trades', { side: 'buy', snapshot_count: 5 })
    const [, snapshot] = client.connection.texts
    const events = published.slice(-3).filter(({ keys }) => keys.side === 'BUY')
    const texts = events.map(({ text }) => text).join(',')
    expect(snapshot).toBe(`{"type":"snapshot","count":2,"events":[${texts}]}`)
    expect(client.connection.metered.ws_onchain).toBe(snapshot?.length)
    client.connection.take()
    await subscribe(client, 'trades', { snapshot_count: 0 })
    expect(client.connection.take()).toMatchObject([{ type: 'subscribed' }])
  })

  test('of coin prices and resolutions come in one message', async () => {
    const nowMs = stream.clock.now()
    stream.bus.publish([draftOf('oracle', {}, {}, nowMs - 3_000), draftOf('oracle', {}, {}, nowMs)])
    stream.priceBus.publish([4_000, 2_000, 1_000].map((ms) => priceOf('BTC/USD', 'spot', nowMs - ms)))
    const client = connect()
    await subscribe(client, 'oracle', { snapshot_count: 4 })
    const [, snapshot] = client.connection.messages
    const events = snapshot?.events as { type: string }[] | undefined
    const types = events?.map(({ type }) => type)
    expect(types).toEqual(['oracle', 'price_feed', 'price_feed', 'oracle'])
  })

  test('of flat fills come one by one', async () => {
    const fill = (keys = {}) => ({ ...draftOf('fill', {}, keys), head: { type: 'event' } })
    const client = connect()
    await subscribe(client, 'fills', {})
    expect(client.connection.take().slice(1)).toEqual([{ type: 'snapshot', count: 0, events: [] }])
    stream.bus.publish([fill({ side: 'BUY', sizeUsd: 5 }), fill({ side: 'BUY' }), fill()])
    client.connection.take()
    await subscribe(client, 'dome', { side: 'BUY', min_size: 1 })
    expect(client.connection.take().map(({ type }) => type)).toEqual(['subscribed', 'event', 'event'])
  })
})

describe('events since a time', () => {
  test('are those with a later timestamp, in the order of publishing, however many', async () => {
    const nowMs = stream.clock.now()
    stream.bus.publish([0, 1, 2, 1, 3].map((ms) => trade({}, nowMs - 1_000 + ms)))
    const client = connect()
    await subscribe(client, 'trades', { since: nowMs - 999, snapshot_count: 1 })
    expect(seqsOf(client)).toEqual([2, 4].map((index) => published.slice(-5)[index]?.seq))
  })

  test.each([
    ['free', 30_000],
    ['starter', 120_000],
    ['growth', 300_000],
    ['enterprise', 300_000],
  ] as const)('reach back as far as the plan %s allows', async (plan, lookbackMs) => {
    const nowMs = stream.clock.now()
    const ages = [20_000, 29_999, 30_000, 119_999, 120_000, 299_999, 300_000]
    stream.bus.publish(ages.map((ageMs) => trade({}, nowMs - ageMs)))
    for (const since of [0, 1, nowMs - 3_600_000]) {
      const client = connect(plan)
      await subscribe(client, 'trades', { since })
      expect(countsOf(client)).toEqual([ages.filter((ageMs) => ageMs < lookbackMs).length])
      client.protocol.onClose()
    }
  })

  test('are found by a time in seconds too', async () => {
    const nowMs = stream.clock.now()
    stream.bus.publish([2_000, 1_000, 0].map((ageMs) => trade({}, nowMs - ageMs)))
    const client = connect()
    await subscribe(client, 'trades', { since: nowMs / 1000 - 1 })
    expect(countsOf(client)).toEqual([1])
  })

  test('come in messages of at most 500 events and a mebibyte', async () => {
    stream.bus.publish(trades(1_200))
    const client = connect()
    await subscribe(client, 'trades', { since: 0 })
    expect(countsOf(client)).toEqual([500, 500, 200])
    client.protocol.onClose()
    forget()
    const large = draftOf('trade', { text: 'x'.repeat(400_000) }, {}, stream.clock.now())
    stream.bus.publish([large, large, large])
    const other = connect()
    await subscribe(other, 'trades', { since: 0 })
    expect(countsOf(other)).toEqual([2, 1])
    other.protocol.onClose()
  })
})

describe('a long replay', () => {
  const large = () => draftOf('trade', { text: 'x'.repeat(300_000) }, {}, stream.clock.now())

  test('waits for the client, and what is published meanwhile comes after it, once', async () => {
    const before = stream.bus.lastSeq
    stream.bus.publish(Array.from({ length: 30 }, large))
    const client = connect()
    const { connection } = client
    let waits = 0
    connection.untilDrained = async () => {
      waits++
      // Older than `since`, but published after the subscription was made.
      stream.bus.publish([trade({}, 0), large()])
      return true
    }
    await subscribe(client, 'trades', { since: stream.clock.now() - 1 })
    await until(() => stream.hub.subscriptions.size === 1)
    stream.bus.publish([trade()])
    expect(waits).toBeGreaterThan(2)
    expect(seqsOf(client)).toEqual(publishedAfter(before))
  })

  test('leaves out what the client gets live by another subscription', async () => {
    const before = stream.bus.lastSeq
    stream.bus.publish(Array.from({ length: 30 }, large))
    const client = connect()
    await subscribe(client, 'trades', { side: 'BUY', snapshot_count: 0 })
    client.connection.untilDrained = async () => {
      stream.bus.publish([trade({ side: 'BUY' }), trade({ side: 'SELL' })])
      return true
    }
    await subscribe(client, 'trades', { since: 0 })
    await until(() => stream.hub.subscriptions.size === 2)
    stream.bus.publish([trade({ side: 'BUY' })])
    const seqs = seqsOf(client)
    expect(seqs.toSorted((a, b) => a - b)).toEqual(publishedAfter(before))
  })

  test('lets further messages be answered, and stops when its subscription ends', async () => {
    stream.bus.publish(Array.from({ length: 30 }, large))
    const client = connect()
    const { connection } = client
    let release = (_isOpen: boolean) => {}
    connection.untilDrained = () =>
      new Promise((resolve) => {
        release = resolve
      })
    await subscribe(client, 'trades', { since: 0 })
    const count = connection.messages.length
    expect(await client.say({ action: 'ping' })).toHaveLength(count + 1)
    await until(() => connection.untilDrained !== undefined)
    await client.say({ action: 'unsubscribe', subscription_id: `${connection.id}:1` })
    release(true)
    await new Promise(setImmediate)
    expect(connection.take()).toEqual([])
    expect(stream.hub.subscriptions.size).toBe(0)
  })

  test('looks at many events in steps', async () => {
    stream.bus.publish(trades(45_000))
    stream.bus.publish([trade({ side: 'BUY' })])
    const client = connect()
    await subscribe(client, 'trades', { since: 0, side: 'BUY' })
    expect(client.connection.messages).toHaveLength(1)
    await until(() => stream.hub.subscriptions.size === 1)
    stream.bus.publish([trade({ side: 'BUY' })])
    expect(seqsOf(client)).toHaveLength(2)
  })

  test('ends the connection of a client that is slower than events leave memory', async () => {
    stream.bus.publish(Array.from({ length: 30 }, large))
    const client = connect()
    client.connection.untilDrained = async () => {
      forget()
      return true
    }
    await subscribe(client, 'trades', { since: 0 })
    await until(() => client.connection.closed !== undefined)
    expect(client.connection.closed?.code).toBe(1013)
    expect(stream.hub.subscriptions.size).toBe(0)
  })
})

describe('since_seq', () => {
  const resumeOf = ({ connection }: TestClient) => connection.messages[0]?.resume

  test('goes on exactly there, from memory', async () => {
    stream.bus.publish(trades(5))
    const seq = published.at(-4)?.seq ?? 0
    const client = connect('free')
    await subscribe(client, 'trades', { since_seq: seq, since: 0, snapshot_count: 1 })
    expect(resumeOf(client)).toBe('exact')
    expect(seqsOf(client)).toEqual(publishedAfter(seq))
  })

  test('goes on from the log when memory does not reach back', async () => {
    await book(trades(3))
    const seq = published.at(-2)?.seq ?? 0
    await book(trades(1_500))
    stream.bus.publish([pending()])
    await book(trades(1))
    forget()
    await book(trades(2))
    stream.bus.publish([pending()])
    const client = connect()
    await subscribe(client, 'trades', { since_seq: seq })
    expect(resumeOf(client)).toBe('exact')
    await until(() => stream.hub.subscriptions.size === 1)
    stream.bus.publish([pending()])
    expect(seqsOf(client)).toEqual(publishedAfter(seq))
  })

  test('says that there is a gap, and sends what memory has', async () => {
    stream.bus.publish(trades(4))
    const client = connect()
    await subscribe(client, 'trades', { since_seq: stream.bus.lastSeq + 1_000 })
    expect(resumeOf(client)).toBe('gap')
    expect(countsOf(client)).toEqual([0])
  })

  test('of a client that wants confirmed events is exact also after a restart of the service', async () => {
    await book(trades(1))
    const seq = stream.bus.lastSeq
    const { database, clock } = stream
    const fresh = await openTestStream({ database, clock })
    fresh.clock.advance(MINUTE_MS)
    await fresh.ctx.eventLog.lead(database.sql)
    const ask = async (type: string, filters: object) => {
      const client = fresh.connect()
      await subscribe(client, type, { ...filters, since_seq: seq })
      client.protocol.onClose()
      return resumeOf(client)
    }
    expect(await ask('trades', {})).toBe('confirmed')
    expect(await ask('fills', {})).toBe('confirmed')
    expect(await ask('trades', { status: 'confirmed' })).toBe('exact')
    expect(await ask('redemptions', {})).toBe('exact')
    await fresh.close()
  })

  test('of a day ago is a gap, and what memory has is sent', async () => {
    await book(trades(2))
    const seq = published.at(-2)?.seq ?? 0
    stream.clock.advance(25 * 60 * MINUTE_MS)
    await stream.ctx.eventLog.deleteOld()
    await book(trades(2))
    const client = connect()
    await subscribe(client, 'trades', { since_seq: seq })
    expect(resumeOf(client)).toBe('gap')
    expect(seqsOf(client)).toEqual(publishedAfter(seq).slice(-2))
  })
})

test('a client that has seen more of another process than is stored gets nothing of it again', async () => {
  await book(trades(2))
  const { bus, clock } = stream
  bus.numberFromNow()
  const seq = bus.publishedSeq + 2
  const client = connect()
  await subscribe(client, 'trades', { since_seq: seq })
  await until(() => countsOf(client).length === 1)
  const stored = [seq - 1, seq, seq + 1].map((each) => new BusEvent(trade(), each, clock.now()))
  bus.restore(stored)
  await until(() => seqsOf(client).length === 1)
  await until(() => stream.hub.subscriptions.size === 1)
  bus.publish(trades(1))
  expect(seqsOf(client)).toEqual([seq + 1, bus.lastSeq])
})

/** What happens while a client takes what it was sent. */
const meanwhile = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('book' as const), count: fc.integer({ min: 1, max: 600 }) }),
    fc.record({ kind: fc.constant('pending' as const), count: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 6 }) }),
  ),
  { maxLength: 4 },
)

test('whatever happens while a client resumes, it gets every event after its number once and in order', async () => {
  const act = async (steps: typeof meanwhile extends fc.Arbitrary<infer Steps> ? Steps : never) => {
    for (const step of steps) {
      if (step.kind === 'book') await book(trades(step.count))
      if (step.kind === 'pending') stream.bus.publish(Array.from({ length: step.count }, pending))
      // What was published before is stored with the next block, as it is while blocks come.
      if (step.kind === 'wait') await book(trades(1))
      if (step.kind === 'wait') stream.clock.advance(step.minutes * MINUTE_MS)
    }
  }
  await fc.assert(
    fc.asyncProperty(
      meanwhile,
      fc.array(meanwhile, { minLength: 1, maxLength: 4 }),
      fc.nat(1_000),
      async (before, during, back) => {
        await book(trades(2))
        const from = stream.bus.lastSeq
        await act(before)
        const seqs = publishedAfter(from - 2)
        const seq = seqs[back % seqs.length] ?? from
        const client = connect()
        const rest = [...during]
        client.connection.untilDrained = async () => {
          await act(rest.shift() ?? [])
          return true
        }
        await subscribe(client, 'trades', { since_seq: seq })
        await until(() => stream.hub.subscriptions.size === 1)
        stream.bus.publish([pending()])
        expect(client.connection.messages[0]?.resume).toBe('exact')
        expect(seqsOf(client)).toEqual(publishedAfter(seq))
        client.protocol.onClose()
      },
    ),
    { numRuns: 60 },
  )
})

test('events that are stored and not published yet come once, live', async () => {
  const { bus, sql, ctx } = stream
  await book(trades(2))
  const seq = bus.publishedSeq
  forget()
  const { events, publish } = bus.reserve(trades(2))
  await sql.begin((tx) => ctx.eventLog.insert(tx, events))
  const client = connect()
  await subscribe(client, 'trades', { since_seq: seq - 1 })
  await until(() => stream.hub.subscriptions.size > 0)
  publish()
  expect(seqsOf(client)).toEqual(publishedAfter(seq - 1))
})

test('events that are published while their pages are read come once and in order', async () => {
  const { bus, sql, ctx } = stream
  await book(trades(2))
  const seq = bus.publishedSeq
  forget()
  const { events, publish } = bus.reserve(trades(1_200))
  await sql.begin((tx) => ctx.eventLog.insert(tx, events))
  let isPublished = false
  async function* read(afterSeq: number) {
    for await (const page of ctx.eventLog.read(afterSeq)) {
      try {
        yield page
      } finally {
        // The first page after the published ones was read before, those after it are read later.
        if (!isPublished && page[0] !== undefined && page[0].seq > seq) {
          isPublished = true
          publish()
        }
      }
    }
  }
  const client = connect()
  const seqs: number[] = []
  let isArmed = false
  const replay = new Replay({
    work: { goOn: () => undefined, charge: () => undefined, sql },
    bus,
    eventLog: { read },
    resumptions: new FairSemaphore(),
    connection: client.connection,
    start: { kind: 'seq', afterSeq: seq - 1 },
    isFlat: true,
    subscription: undefined,
    isWanted: (event) => seqs.push(event.seq) > 0,
    wasDelivered: () => false,
    pastOthers: () => [],
    arm: () => {
      isArmed = true
    },
    onFailed: (error) => {
      throw error
    },
  })
  expect(replay.begin()).toBe(true)
  await replay.run()
  expect(isArmed).toBe(true)
  expect(seqs).toEqual(publishedAfter(seq - 1))
})

test('the last events are searched in steps, and those that come meanwhile are among them', async () => {
  const { bus, sql } = stream
  bus.publish([...trades(3), ...blocks(25_000)])
  const paid: number[] = []
  const client = connect()
  const replay = new Replay({
    work: {
      goOn: (kind, amount) => {
        if (kind === 'scannedEvents') paid.push(amount)
        if (paid.length === 1 && kind === 'scannedEvents') bus.publish(trades(1))
      },
      charge: () => undefined,
      sql,
    },
    bus,
    eventLog: stream.ctx.eventLog,
    resumptions: new FairSemaphore(),
    connection: client.connection,
    start: { kind: 'count', count: 3 },
    isFlat: true,
    subscription: undefined,
    isWanted: ({ type }) => type === 'trade',
    wasDelivered: () => false,
    pastOthers: () => [],
    arm: () => undefined,
    onFailed: (error) => {
      throw error
    },
  })
  await replay.search()
  expect(paid[0]).toBe(20_000)
  bus.publish(trades(1))
  expect(replay.begin()).toBe(false)
  const wanted = bus.replay({ afterSeq: 0 }).filter(({ type }) => type === 'trade')
  expect(seqsOf(client)).toEqual(wanted.slice(-3).map(({ seq }) => seq))
})

test('a process that has just started replays the last minutes at once', async () => {
  await book(trades(3))
  const next = await openTestStream({ database: stream.database, clock: stream.clock })
  const client = next.connect()
  await subscribe(client, 'trades', {})
  expect(seqsOf(client)).toEqual(publishedAfter(0).slice(-3))
  client.protocol.onClose()
  await next.close()
})
