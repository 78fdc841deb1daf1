import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BusEvent } from '../../bus/event.js'
import { publishUniverse } from '../../events/test-universe.js'
import { insertMarkets, openTestStream, type TestStream } from './test-stream.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 14)
const FROM_MS = START_MS + 40 * MINUTE_MS
/** What the bus keeps. */
const PAST_MS = 5 * MINUTE_MS
const LIVE_MS = 2 * MINUTE_MS

// A market in which orders are matched often, so that five minutes have everything.
const run = publishUniverse({ seed: 9, startMs: START_MS, intensity: 9, comboShare: 0.4 }, FROM_MS)
const { universe, bus, events } = run

let stream: TestStream
/** Events of the last minutes before the subscriptions are made. */
let past: readonly BusEvent[]
beforeAll(async () => {
  stream = await openTestStream({ bus, clock: { now: () => universe.nowMs } })
  const markets = universe.catalogue.events().flatMap((event) =>
    event.markets.map(({ slug, conditionId, tokens }) => ({
      slug,
      eventSlug: event.slug,
      condition: conditionId,
      tokens: tokens.map(({ word }) => `0x${word}`),
    })),
  )
  await insertMarkets(stream, markets)
  universe.advance(FROM_MS + PAST_MS)
  past = bus.replay({ sinceMs: universe.nowMs - PAST_MS })
})
afterAll(() => stream.close())

type Data = Record<string, unknown>
type Row = { maker: string; token_id: string; position_id: string }
type Case = {
  type: string
  filters: object
  /** Whether an event is wanted, by what its client sees. */
  isWanted: (data: Data, event: BusEvent) => boolean
}

const rowsOf = ({ trades, confirmed_fills }: Data) => (trades ?? confirmed_fills ?? []) as Row[]
type Leg = { position_id: string; condition_id: string; event_id: string; module_id: number }
const legsOf = ({ legs }: Data) => (legs ?? []) as Leg[]
const listOf = (value: unknown) => (value ?? []) as string[]

/** The value that most events of a type have. */
function common(type: string, select: (data: Data) => unknown): string {
  const counts = new Map<string, number>()
  for (const { data } of past.filter((event) => event.type === type)) {
    const value = select(data)
    if (value !== undefined && value !== null) {
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
    }
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  if (most === undefined) throw new Error(`no ${type} has the value`)
  return most[0]
}

function walletsOf(data: Data, { type }: BusEvent): unknown[] {
  switch (type) {
    case 'settlement':
      return [data.taker_wallet, ...rowsOf(data).map(({ maker }) => maker)]
    case 'status_update':
      return [data.taker_wallet, ...listOf(data.maker_wallets)]
    case 'fill':
      return [data.user, data.taker]
    case 'trade':
      return [data.maker, data.taker]
    case 'redemption':
      return [data.redeemer]
    default:
      return [data.from, data.to, data.stakeholder]
  }
}

function tokensOf(data: Data, { type }: BusEvent): unknown[] {
  switch (type) {
    case 'settlement':
    case 'status_update':
      return rowsOf(data).map(({ token_id }) => token_id)
    case 'trade':
    case 'fill':
    case 'position_change':
      return [data.token_id]
    case 'positions_converted':
      return Object.keys((data.tokens ?? {}) as object)
    default:
      return listOf(data.token_ids)
  }
}

const dollarsOf = (data: Data): number =>
  data.event_type === 'settlement'
    ? Number(data.taker_price) * Number(data.taker_size)
    : data.event_type === 'trade'
      ? Number(data.price) * Number(data.size)
      : Number(data.payout ?? data.amount)

/** The middle one: half of the events are larger. */
function middle(type: string): number {
  const sizes = past.filter((event) => event.type === type).map(({ data }) => dollarsOf(data))
  return sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0
}

const cases: [string, () => Case][] = [
  [
    'wallets, in any letter case',
    () => {
      const wallet = common('settlement', (data) => rowsOf(data)[0]?.maker)
      const filters = { wallets: [`0x${wallet.slice(2).toUpperCase()}`] }
      return {
        type: 'wallets',
        filters,
        isWanted: (...event) => walletsOf(...event).includes(wallet),
      }
    },
  ],
  [
    'wallets of flat fills',
    () => {
      const wallet = common('fill', ({ user }) => user)
      const filters = { wallets: [wallet] }
      return {
        type: 'fills',
        filters,
        isWanted: (...event) => walletsOf(...event).includes(wallet),
      }
    },
  ],
  [
    'tokens',
    () => {
      const tokens = [common('trade', ({ token_id }) => token_id)]
      const isWanted: Case['isWanted'] = (...event) => tokensOf(...event).includes(tokens[0])
      return { type: 'markets', filters: { tokens }, isWanted }
    },
  ],
  [
    'markets, which are tokens, of flat fills',
    () => {
      const markets = [common('fill', ({ token_id }) => token_id)]
      return { type: 'dome', filters: { markets }, isWanted: (d) => d.token_id === markets[0] }
    },
  ],
  [
    'slugs of markets',
    () => {
      const slugs = [common('trade', ({ market_slug }) => market_slug)]
      return { type: 'trades', filters: { slugs }, isWanted: (d) => d.market_slug === slugs[0] }
    },
  ],
  [
    'slugs of events',
    () => {
      const slugs = [common('trade', ({ event_slug }) => event_slug)]
      return { type: 'trades', filters: { slugs }, isWanted: (d) => d.event_slug === slugs[0] }
    },
  ],
  [
    'conditions',
    () => {
      const condition_ids = [common('trade', ({ condition_id }) => condition_id)]
      const isWanted: Case['isWanted'] = (data) => data.condition_id === condition_ids[0]
      return { type: 'trades', filters: { condition_ids }, isWanted }
    },
  ],
  [
    'two filters, which both have to hold',
    () => {
      const slugs = [common('trade', ({ event_slug }) => event_slug)]
      const isWanted: Case['isWanted'] = (d) => d.event_slug === slugs[0] && d.side === 'BUY'
      const filters = { slugs, side: 'BUY', event_types: ['trade'] }
      return { type: 'trades', filters, isWanted }
    },
  ],
  [
    'the side of the taker',
    () => {
      const isWanted: Case['isWanted'] = (data) => (data.taker_side ?? data.side) === 'SELL'
      return { type: 'prices', filters: { side: 'sell' }, isWanted }
    },
  ],
  [
    'the side of a flat fill',
    () => ({ type: 'fills', filters: { side: 'BUY' }, isWanted: ({ side }) => side === 'BUY' }),
  ],
  [
    'a size at least',
    () => {
      const min_size = middle('trade')
      const isWanted: Case['isWanted'] = (data) => dollarsOf(data) >= min_size - 1e-5
      return { type: 'prices', filters: { min_size: min_size - 1e-5 }, isWanted }
    },
  ],
  [
    'a size at most',
    () => {
      const max_size = middle('settlement') + 1e-5
      return {
        type: 'prices',
        filters: { max_size },
        isWanted: (data) => dollarsOf(data) <= max_size,
      }
    },
  ],
  [
    'redemptions that pay',
    () => ({
      type: 'redemptions',
      filters: { min_size: 0.01 },
      isWanted: ({ payout }) => Number(payout) >= 0.01,
    }),
  ],
  [
    'the size of a deposit',
    () => {
      const min_size = middle('deposit')
      return {
        type: 'deposits',
        filters: { min_size },
        isWanted: (d) => Number(d.amount) >= min_size,
      }
    },
  ],
  [
    'pending events',
    () => ({
      type: 'trades',
      filters: { status: 'pending' },
      isWanted: ({ status }) => status === 'pending',
    }),
  ],
  [
    'confirmed events',
    () => ({
      type: 'trades',
      filters: { status: 'confirmed' },
      isWanted: ({ status }) => status !== 'pending',
    }),
  ],
  [
    'combos by their condition',
    () => {
      const combo_condition_ids = [common('combo_execution', (data) => data.combo_condition_id)]
      const isWanted: Case['isWanted'] = (d) => d.combo_condition_id === combo_condition_ids[0]
      return { type: 'combos', filters: { combo_condition_ids }, isWanted }
    },
  ],
  [
    'combos by the condition of a leg',
    () => {
      const condition_ids = [common('combo_execution', (data) => legsOf(data)[0]?.condition_id)]
      const isWanted: Case['isWanted'] = (data) =>
        legsOf(data).some((leg) => leg.condition_id === condition_ids[0])
      return { type: 'combos', filters: { condition_ids }, isWanted }
    },
  ],
  [
    'combos by a leg',
    () => {
      const leg_position_ids = [common('combo_execution', (data) => legsOf(data)[0]?.position_id)]
      const isWanted: Case['isWanted'] = (data) =>
        legsOf(data).some((leg) => leg.position_id === leg_position_ids[0])
      return { type: 'combos', filters: { leg_position_ids }, isWanted }
    },
  ],
  [
    'combos by a token of a leg',
    () => {
      const tokens = [common('combo_execution', (data) => legsOf(data)[1]?.position_id)]
      const isWanted: Case['isWanted'] = (data) => legsOf(data).some((leg) => leg.position_id === tokens[0])
      return { type: 'combos', filters: { tokens }, isWanted }
    },
  ],
  [
    'combos by the event of a leg',
    () => {
      const event_ids = [common('combo_execution', (data) => legsOf(data)[0]?.event_id)]
      const isWanted: Case['isWanted'] = (data) => legsOf(data).some((leg) => leg.event_id === event_ids[0])
      return { type: 'combos', filters: { event_ids }, isWanted }
    },
  ],
  [
    'combos with a leg of a module',
    () => {
      const filters = { module_ids: [1] }
      const isWanted: Case['isWanted'] = (d) => legsOf(d).some((leg) => leg.module_id === 1)
      return { type: 'combos', filters, isWanted }
    },
  ],
  [
    'combos by what the taker does',
    () => ({
      type: 'combos',
      filters: { direction: 'sell', event_types: ['combo_execution'] },
      isWanted: ({ direction }) => direction === 'SELL',
    }),
  ],
  [
    'combos by their side',
    () => ({
      type: 'combos',
      filters: { side: 'no', event_types: ['combo_execution'] },
      isWanted: ({ side }) => side === 'NO',
    }),
  ],
  [
    'steps in the life of combos',
    () => ({
      type: 'combos',
      filters: { action: 'redeem', event_types: ['combo_lifecycle'] },
      isWanted: ({ action }) => action === 'Redeem',
    }),
  ],
  [
    'event types',
    () => ({
      type: 'global',
      filters: { event_types: ['position_split', 'block', 'redemption'] },
      isWanted: (_, { type }) => ['position_split', 'block', 'redemption'].includes(type),
    }),
  ],
]

/** Events of the types of a case, and those that it wants. */
function choose(list: readonly BusEvent[], types: ReadonlySet<string>, { isWanted }: Case) {
  const offered = list.filter(({ type }) => types.has(type))
  const wanted = offered.filter((event) => isWanted(event.data, event))
  return { offered, wanted: wanted.map(({ seq }) => seq) }
}

describe('of simulated events, replayed and live, come exactly those that match', () => {
  const open: { name: string; check: () => void }[] = []

  beforeAll(async () => {
    const { nowMs } = universe
    for (const [name, make] of cases) {
      const chosen = make()
      const { type, filters } = chosen
      const all = stream.connect()
      const client = stream.connect()
      const { event_types } = filters as { event_types?: string[] }
      await all.subscribe(type, { event_types, snapshot_count: 0 })
      const since = nowMs - PAST_MS
      const [ack, ...replayed] = await client.subscribe(type, { ...filters, since })
      const seqs = replayed.flatMap(({ type, seq, events }) =>
        type === 'snapshot' ? (events as { seq: number }[]).map((each) => each.seq) : [Number(seq)],
      )
      open.push({
        name,
        check: () => {
          expect(ack).toMatchObject({ type: 'subscribed', warnings: [] })
          const offeredLive = new Set(all.connection.messages.map(({ seq }) => Number(seq)))
          const live = events.filter(({ seq }) => offeredLive.has(seq))
          const types = new Set([...live].map((event) => event.type))
          const before = choose(past, types, chosen)
          expect(seqs).toEqual(before.wanted)
          const after = choose(live, types, chosen)
          expect(client.connection.messages.map(({ seq }) => seq)).toEqual(after.wanted)
          const wanted = before.wanted.length + after.wanted.length
          expect(wanted).toBeGreaterThan(0)
          expect(wanted).toBeLessThan(before.offered.length + live.length + Number(name === 'event types'))
        },
      })
    }
    universe.advance(universe.nowMs + LIVE_MS)
  })

  test.each(cases.map(([name]) => name))('%s', (name) => {
    open.find((each) => each.name === name)?.check()
    expect(run.errors).toEqual([])
  })
})
