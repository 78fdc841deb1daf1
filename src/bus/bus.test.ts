import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { createLog } from '../lib/log.js'
import { Bus, type BusOptions } from './bus.js'
import { BusEvent, type EventDraft, NO_KEYS } from './event.js'

const draft = (name: string, timestampMs = 0, type = 'trade'): EventDraft => ({
  type,
  timestampMs,
  data: { name },
  keys: NO_KEYS,
})

function openBus(limits: Partial<BusOptions> = {}) {
  const clock = new ManualClock()
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => lines.push(line) })
  return { bus: new Bus({ clock, log, ...limits }), clock, lines }
}

const namesOf = (events: readonly BusEvent[]) => events.map(({ data }) => data.name)

describe('publishing', () => {
  test('every listener gets every batch, in order, with ids that count up by one', () => {
    const { bus } = openBus()
    const batches: number[][] = [[], []]
    for (const ids of batches) bus.subscribe((events) => void ids.push(...events.map(({ seq }) => seq)))
    bus.publish([draft('a'), draft('b')])
    bus.publish([draft('c')])
    const [first = 0] = batches[0] ?? []
    expect(batches).toEqual([
      [first, first + 1, first + 2],
      [first, first + 1, first + 2],
    ])
  })

  test('an empty list is not delivered', () => {
    const { bus } = openBus()
    let batches = 0
    bus.subscribe(() => void batches++)
    bus.publish([])
    expect(batches).toBe(0)
  })

  test('a listener that throws is logged and affects neither the others nor the publisher', () => {
    const { bus, lines } = openBus()
    const got: unknown[] = []
    bus.subscribe(() => {
      throw new Error('not today')
    })
    bus.subscribe((events) => void got.push(...namesOf(events)))
    bus.publish([draft('a')])
    bus.publish([draft('b')])
    expect(got).toEqual(['a', 'b'])
    expect(lines.filter((line) => line.includes('not today'))).toHaveLength(2)
  })

  test('a slow listener is named once', () => {
    const { bus, lines } = openBus()
    bus.subscribe(function sleeper() {
      const endMs = performance.now() + 60
      while (performance.now() < endMs);
    })
    bus.publish([draft('a')])
    bus.publish([draft('b')])
    expect(lines.filter((line) => line.includes('sleeper'))).toHaveLength(1)
  })

  test('a listener that unsubscribed receives nothing more, not even the batch that is being delivered', () => {
    const { bus } = openBus()
    const got: unknown[] = []
    const leave = () => stop()
    bus.subscribe(leave)
    const stop = bus.subscribe((events) => void got.push(...namesOf(events)))
    bus.publish([draft('a')])
    expect(got).toEqual([])
  })

  test('what a listener publishes comes after the batch it received, for all listeners', () => {
    const { bus } = openBus()
    const got: unknown[] = []
    bus.subscribe(([event]) => {
      if (event?.data.name === 'question') bus.publish([draft('answer')])
    })
    bus.subscribe((events) => void got.push(...namesOf(events)))
    bus.publish([draft('question')])
    expect(got).toEqual(['question', 'answer'])
  })

  test('numbers of a later process are above all that came before', () => {
    const { bus, clock } = openBus()
    bus.publish(Array.from({ length: 500 }, (_, index) => draft(`${index}`)))
    const last = bus.replay({ afterSeq: 0 }).at(-1)?.seq ?? 0
    clock.advance(1)
    const later = new Bus({ clock, log: createLog('silent', process.stderr) })
    later.publish([draft('new')])
    expect(later.replay({ afterSeq: 0 })[0]?.seq).toBeGreaterThan(last)
  })
})

describe('the text of an event', () => {
  test('is an envelope around the data, without what is undefined, and made once', () => {
    const { bus } = openBus()
    let reads = 0
    const data = {
      event_type: 'trade',
      absent: undefined,
      get price() {
        reads++
        return 0.5
      },
    }
    bus.publish([{ type: 'trade', timestampMs: 7, data, keys: NO_KEYS }])
    const readsBefore = reads
    const [event] = bus.replay({ afterSeq: 0 })
    expect(event?.text).toBe(
      `{"type":"trade","timestamp":7,"seq":${event?.seq},"data":{"event_type":"trade","price":0.5}}`,
    )
    expect(event?.text).toBe(event?.text)
    expect(reads).toBe(readsBefore + 1)
  })

  test('has the head of its publisher where it has one', () => {
    const { bus } = openBus()
    bus.publish([{ ...draft('a', 7, 'fill'), head: { type: 'event' } }])
    const [event] = bus.replay({ afterSeq: 0 })
    expect(event?.text).toBe(`{"type":"event","seq":${event?.seq},"data":{"name":"a"}}`)
  })
})

describe('a reservation', () => {
  test('numbers events that others are then published after', () => {
    const { bus } = openBus()
    const got: BusEvent[] = []
    bus.subscribe((events) => void got.push(...events))
    const reservation = bus.reserve([draft('block')])
    bus.publish([draft('pending')])
    expect(got).toEqual([])
    reservation.publish()
    bus.publish([draft('later')])
    expect(namesOf(got)).toEqual(['block', 'pending', 'later'])
    expect(got.map(({ seq }) => seq)).toEqual(got.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect(got[0]).toBe(reservation.events[0])
  })

  test('that is cancelled leaves its numbers out', () => {
    const { bus } = openBus()
    const reservation = bus.reserve([draft('block')])
    bus.publish([draft('pending')])
    reservation.cancel()
    const events = bus.replay({ afterSeq: 0 })
    expect(namesOf(events)).toEqual(['pending'])
    expect(events[0]?.seq).toBe((reservation.events[0]?.seq ?? 0) + 1)
  })
})

test('events of an earlier process come back once, and new ones are numbered above them', () => {
  const { bus, clock } = openBus()
  const old = [5, 7].map((offset) => new BusEvent(draft(`${offset}`), bus.lastSeq + offset, clock.now()))
  bus.restore(old)
  bus.restore(old)
  bus.publish([draft('new')])
  const events = bus.replay({ afterSeq: 0 })
  expect(namesOf(events)).toEqual(['5', '7', 'new'])
  expect(events[2]?.seq).toBeGreaterThan(events[1]?.seq ?? 0)
  expect(namesOf(bus.replay({ afterSeq: events[0]?.seq ?? 0 }))).toEqual(['7', 'new'])
})

describe('replay', () => {
  test('by time: every event after it, in the order of publishing', () => {
    const { bus } = openBus()
    bus.publish([draft('a', 100), draft('b', 300), draft('c', 200), draft('d', 201)])
    expect(namesOf(bus.replay({ sinceMs: 200 }))).toEqual(['b', 'd'])
  })

  test('by id: every event after it', () => {
    const { bus } = openBus()
    bus.publish([draft('a'), draft('b'), draft('c')])
    const [first, , last] = bus.replay({ afterSeq: 0 })
    expect(namesOf(bus.replay({ afterSeq: first?.seq ?? 0 }))).toEqual(['b', 'c'])
    expect(bus.replay({ afterSeq: last?.seq ?? 0 })).toEqual([])
    expect(bus.replay({ afterSeq: (last?.seq ?? 0) + 5 })).toEqual([])
  })

  test('backwards in steps, from the newest or from a number', () => {
    const { bus } = openBus()
    bus.publish([draft('a'), draft('b'), draft('c'), draft('d'), draft('e')])
    const newest = bus.pageBefore(Number.POSITIVE_INFINITY, 2)
    expect(namesOf(newest)).toEqual(['d', 'e'])
    expect(namesOf(bus.pageBefore(newest[0]?.seq ?? 0, 5))).toEqual(['a', 'b', 'c'])
    expect(bus.pageBefore(0, 5)).toEqual([])
  })

  test('a limit keeps the newest', () => {
    const { bus } = openBus()
    bus.publish([draft('a', 1), draft('b', 2), draft('c', 3)])
    expect(namesOf(bus.replay({ sinceMs: 0, limit: 2 }))).toEqual(['b', 'c'])
    expect(bus.replay({ sinceMs: 0, limit: 0 })).toEqual([])
    expect(bus.replay({ sinceMs: 0, limit: 9 })).toHaveLength(3)
  })

  test('events older than five minutes are removed and do not count as dropped', () => {
    const { bus, clock } = openBus()
    bus.publish([draft('old', 1, 'settlement')])
    clock.advance(5 * 60_000)
    bus.publish([draft('new', 2)])
    expect(namesOf(bus.replay({ afterSeq: 0 }))).toEqual(['old', 'new'])
    expect(bus.status).toMatchObject({ eventsBuffered: 2 })
    expect(bus.countBuffered('settlement')).toBe(1)
    clock.advance(1)
    expect(namesOf(bus.replay({ afterSeq: 0 }))).toEqual(['new'])
    expect(bus.status).toMatchObject({
      eventsBuffered: 1,
      eventsProcessed: 2,
      eventsDropped: 0,
    })
    expect(bus.countBuffered('settlement')).toBe(0)
  })

  test('past the bound on the count the oldest go, and are counted', () => {
    const { bus } = openBus({ countMax: 2 })
    bus.publish([draft('a'), draft('b'), draft('c')])
    expect(namesOf(bus.replay({ afterSeq: 0 }))).toEqual(['b', 'c'])
    expect(bus.status).toMatchObject({ eventsBuffered: 2, eventsDropped: 1 })
  })

  test('past the bound on the bytes the oldest go', () => {
    const { bus } = openBus({ bytesMax: 50_000 })
    const large = 'x'.repeat(1_000)
    for (let index = 0; index < 100; index++) bus.publish([draft(large)])
    const { eventsBuffered, eventsDropped, eventStoreBytes } = bus.status
    expect(eventStoreBytes).toBeLessThanOrEqual(50_000)
    expect(eventsBuffered).toBeGreaterThan(10)
    expect(eventsBuffered + eventsDropped).toBe(100)
  })

  test('the estimate of the bytes covers the text and the fields of real data', () => {
    const { bus } = openBus()
    const data = { tx_hash: `0x${'a'.repeat(64)}`, price: 0.5125, list: [{ maker: 'm', size: 25 }] }
    bus.publish([{ type: 'trade', timestampMs: 0, data, keys: NO_KEYS }])
    const text = JSON.stringify(data).length
    expect(bus.status.eventStoreBytes).toBeGreaterThan(text * 2)
    expect(bus.status.eventStoreBytes).toBeLessThan(text * 3 + 400)
  })

  test('an emptied buffer counts nothing', () => {
    const { bus, clock } = openBus()
    for (let index = 0; index < 5_000; index++) bus.publish([draft('a', 0, 'settlement')])
    clock.advance(5 * 60_000 + 1)
    expect(bus.status).toMatchObject({
      eventsBuffered: 0,
      eventStoreBytes: 0,
      keptFromMs: undefined,
    })
    expect(bus.countBuffered('settlement')).toBe(0)
    bus.publish([draft('b')])
    expect(namesOf(bus.replay({ afterSeq: 0 }))).toEqual(['b'])
  })
})

/** What a reader does who joins, perhaps in the middle of a batch: subscribe, then ask for the past. */
function join(bus: Bus, afterSeq: number) {
  const ids: number[] = []
  const stop = bus.subscribe((events) => void ids.push(...events.map(({ seq }) => seq)))
  ids.push(...bus.replay({ afterSeq }).map(({ seq }) => seq))
  return { ids, stop }
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('publish' as const), count: fc.nat(4) }),
    fc.record({ kind: fc.constant('join' as const), isInside: fc.boolean() }),
    fc.record({ kind: fc.constant('leave' as const), which: fc.nat(5) }),
    fc.record({ kind: fc.constant('answer' as const), count: fc.nat(2) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(120_000) }),
  ),
  { maxLength: 60 },
)

test('however publishing, joining, leaving and answering mix, every reader sees no gap and no double', () => {
  fc.assert(
    fc.property(steps, fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }), (all, max) => {
      const { bus, clock } = openBus(max === undefined ? {} : { countMax: max })
      const readers: ReturnType<typeof join>[] = []
      /** Done while the next batch is delivered. */
      const inside: (() => void)[] = []
      bus.subscribe(() => {
        for (const act of inside.splice(0)) act()
      })
      for (const step of all) {
        if (step.kind === 'publish') bus.publish(Array.from({ length: step.count }, () => draft('x')))
        if (step.kind === 'wait') clock.advance(step.ms)
        if (step.kind === 'leave') readers.splice(step.which, 1)[0]?.stop()
        if (step.kind === 'answer')
          inside.push(() => bus.publish(Array.from({ length: step.count }, () => draft('y'))))
        if (step.kind === 'join') {
          const act = () => void readers.push(join(bus, 0))
          if (step.isInside) inside.push(act)
          else act()
        }
      }
      const lastId = bus.replay({ afterSeq: 0 }).at(-1)?.seq
      for (const { ids } of readers) {
        ids.forEach((id, index) => {
          if (index > 0) expect(id).toBe((ids[index - 1] ?? 0) + 1)
        })
        if (lastId !== undefined && ids.length > 0) expect(ids.at(-1)).toBe(lastId)
      }
    }),
    { numRuns: 300 },
  )
})
