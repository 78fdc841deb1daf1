import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_KEYS } from '../../bus/event.js'
import { type EventFilter, type FilteredEvent, matchesEvent } from './event-filter.js'
import { SubscriptionIndex } from './subscription-index.js'

// Few of each, so that random filters and events meet.
const oneOf = (...values: string[]) => fc.constantFrom(...values)
const type = oneOf('settlement', 'trade', 'block', 'combo_execution')
const wallet = oneOf('0xa', '0xb', '0xc')
const token = oneOf('1', '2', '3')
const slug = oneOf('a', 'b')
const condition = oneOf('0x1', '0x2')
const side = oneOf('BUY', 'SELL')
const status = fc.constantFrom('pending' as const, 'confirmed' as const)
const size = fc.nat(3)

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const list = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 2 })
const set = <T>(value: fc.Arbitrary<T>) =>
  fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => new Set(values))

const filters: fc.Arbitrary<EventFilter> = fc.record({
  types: set(type),
  status: maybe(status),
  wallets: maybe(set(wallet)),
  scopes: list(
    fc.record({ tokens: set(token), slugs: maybe(set(slug)), conditionIds: maybe(set(condition)) }),
  ),
  side: maybe(side),
  sizeMin: maybe(size),
  sizeMax: maybe(size),
  combo: maybe(
    fc.record({
      conditionIds: maybe(set(condition)),
      legPositionIds: maybe(set(token)),
      eventIds: maybe(set(condition)),
      moduleIds: maybe(set(fc.nat(2))),
      direction: maybe(side),
      action: maybe(oneOf('Split', 'Merge')),
    }),
  ),
  leagues: maybe(set(slug)),
  gameSlugs: maybe(set(slug)),
})

/** Most filters of clients have a single condition. */
const plainFilters: fc.Arbitrary<EventFilter> = fc
  .tuple(filters, fc.nat(2))
  .map(([{ types, wallets, scopes, status, sizeMin }, kind]) => {
    if (kind === 0) return { types, scopes: [], wallets }
    return kind === 1 ? { types, scopes: scopes.slice(0, 1) } : { types, scopes: [], status, sizeMin }
  })

const events: fc.Arbitrary<FilteredEvent> = fc.record({
  type,
  keys: fc.record({
    wallets: list(wallet),
    tokens: list(token),
    conditionIds: list(condition),
    marketSlug: maybe(slug),
    eventSlug: maybe(slug),
    side: maybe(side),
    sizeUsd: maybe(size),
    status,
    league: maybe(slug),
    gameSlug: maybe(slug),
    combo: maybe(
      fc.record({
        conditionId: maybe(condition),
        legPositionIds: list(token),
        eventIds: list(condition),
        moduleIds: list(fc.nat(2)),
        direction: maybe(side),
        action: maybe(oneOf('Split', 'Merge')),
      }),
    ),
  }),
})

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      who: fc.nat(3),
      filter: fc.oneof(filters, plainFilters),
    }),
    fc.record({ kind: fc.constant('remove' as const), which: fc.nat(20) }),
    fc.record({ kind: fc.constant('event' as const), event: events }),
    fc.record({ kind: fc.constant('event' as const), event: events }),
  ),
  { maxLength: 60 },
)

test('it finds the receivers that asking every filter finds, each once, however filters come and go', () => {
  const receivers = Array.from({ length: 4 }, (_, number) => ({ number }))
  fc.assert(
    fc.property(steps, (all) => {
      const index = new SubscriptionIndex<{ number: number }>()
      const twin: { receiver: { number: number }; filter: EventFilter; remove: () => void }[] = []
      for (const step of all) {
        if (step.kind === 'add') {
          const receiver = receivers[step.who] ?? { number: -1 }
          const { filter } = step
          twin.push({ receiver, filter, remove: index.add(receiver, filter) })
        } else if (step.kind === 'remove') {
          const [removed] = twin.splice(step.which, 1)
          removed?.remove()
          removed?.remove()
        } else {
          const found = index.match(step.event).map(({ number }) => number)
          const matching = twin.filter(({ filter }) => matchesEvent(filter, step.event))
          const expected = new Set(matching.map(({ receiver }) => receiver.number))
          expect(found.toSorted()).toEqual([...expected].sort())
        }
        expect(index.size).toBe(twin.length)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a filter with many items is not evaluated for events that have none of them', () => {
  const index = new SubscriptionIndex<object>()
  let lookups = 0
  const counting = new Proxy<ReadonlySet<string>>(new Set(['trade']), {
    get(types, name) {
      if (name === 'has') lookups++
      const value = Reflect.get(types, name)
      return typeof value === 'function' ? value.bind(types) : value
    },
  })
  for (let number = 0; number < 1_000; number++) {
    const wallets = new Set([`0x${number}`])
    index.add({}, { types: counting, wallets, side: 'BUY', scopes: [] })
  }
  const keys = { ...NO_KEYS, wallets: ['0x7', '0x8', 'other'], side: 'BUY' }
  const event = { type: 'trade', keys }
  expect(index.match(event)).toHaveLength(2)
  expect(lookups).toBe(2)
})

test('a long filter comes and goes in pieces: it has no effect before it is armed, nor after it is removed', () => {
  const index = new SubscriptionIndex<object>()
  const wallets = new Set(Array.from({ length: 5_000 }, (_, number) => `0x${number}`))
  const event = { type: 'trade', keys: { ...NO_KEYS, wallets: ['0x4999'] } }
  const long = index.prepare({}, { types: new Set(['trade']), wallets, scopes: [] })
  let pieces = 1
  while (!long.post(1_000)) pieces++
  expect(pieces).toBe(6)
  expect([index.size, index.match(event).length]).toEqual([0, 0])
  long.arm()
  expect([index.size, index.match(event).length]).toEqual([1, 1])
  long.remove()
  expect([index.size, index.match(event).length]).toEqual([0, 0])
  long.arm()
  expect(index.size).toBe(0)
})

test('a filter that is removed while it comes leaves nothing', () => {
  const index = new SubscriptionIndex<object>()
  const receiver = {}
  const filter = { types: new Set(['trade']), wallets: new Set(['0x1', '0x2']), scopes: [] }
  const half = index.prepare(receiver, filter)
  expect(half.post(1)).toBe(false)
  half.remove()
  expect(half.post(1)).toBe(true)
  index.add(receiver, filter)
  expect(index.match({ type: 'trade', keys: { ...NO_KEYS, wallets: ['0x1', '0x2'] } })).toEqual([receiver])
})

test('filters without keys that are the same are evaluated once', () => {
  const index = new SubscriptionIndex<object>()
  const filter = (sizeMin: number): EventFilter => ({
    types: new Set(['trade']),
    sizeMin,
    scopes: [],
  })
  for (let number = 0; number < 100; number++) index.add({}, filter(number % 2))
  const trade = (sizeUsd: number) => ({ type: 'trade', keys: { ...NO_KEYS, sizeUsd } })
  expect(index.match(trade(0.5))).toHaveLength(50)
  expect(index.match(trade(1))).toHaveLength(100)
  expect(index.match({ type: 'block', keys: NO_KEYS })).toEqual([])
})
