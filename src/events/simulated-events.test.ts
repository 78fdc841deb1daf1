import { writeFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { oneOfEach } from '../../sim/contracts/test-acts.js'
import { Bus } from '../bus/bus.js'
import type { BusEvent } from '../bus/event.js'
import { seqOf } from '../core/seq.js'
import { createLog } from '../lib/log.js'
import { toPriceEvent } from '../prices/collect/collector.js'
import { LiveScores } from '../scores/live-scores.js'
import { parseScoreFrame } from '../upstreams/sports-ws/parse.js'
import { type EventType, MESSAGES, readEventExamples } from './registry.js'
import { pickExamples } from './test-examples.js'
import { findMissing } from './test-required-fields.js'
import { OTHER_TYPES, publishActs, publishUniverse } from './test-universe.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 14)
const FROM_MS = START_MS + 40 * MINUTE_MS

/** A quarter of an hour, with a reorganisation in the middle of it. */
function live() {
  const run = publishUniverse({ seed: 9, startMs: START_MS, intensity: 4 }, FROM_MS)
  run.universe.advance(FROM_MS + 8 * MINUTE_MS)
  run.universe.reorg(3)
  run.universe.advance(FROM_MS + 15 * MINUTE_MS)
  return run
}

const { universe, events, pending, live: liveEvents, errors, bus } = live()

type Data = Record<string, unknown>
type Row = { order_hash: string; price: number; size: number; maker: string }

const ofType = (...types: EventType[]) => events.filter(({ type }) => types.some((each) => each === type))
const dataOf = ({ data }: BusEvent): Data => JSON.parse(JSON.stringify(data))

function byTx(list: readonly BusEvent[]): Map<string, BusEvent[]> {
  const groups = new Map<string, BusEvent[]>()
  for (const event of list) {
    const hash = String(event.data.tx_hash)
    groups.set(hash, [...(groups.get(hash) ?? []), event])
  }
  return groups
}

const settlements = byTx(ofType('settlement', 'combo_execution'))
const updates = byTx(ofType('status_update', 'combo_status_update'))

test('nothing goes wrong', () => {
  expect(errors).toEqual([])
  expect(liveEvents.status).toMatchObject({ pendingUnreadable: 0 })
})

/** Fields of a message that are missing, of another type or not in its schema. */
function mismatches({ type, text }: BusEvent): string[] {
  const schema = MESSAGES.get(type)?.schema
  if (schema === undefined) return [`${type} is not registered`]
  return Value.Errors(schema, JSON.parse(text)).map(
    ({ instancePath, message }) => `${type}${instancePath} ${message}: ${text}`,
  )
}

test('every message matches the schema of its type', () => {
  expect(events.flatMap(mismatches)).toEqual([])
  expect([...new Set(events.map(({ type }) => type))]).toEqual(
    expect.arrayContaining<EventType>([
      'settlement',
      'fill',
      'status_update',
      'trade',
      'position_split',
      'position_merge',
      'positions_converted',
      'redemption',
      'deposit',
      'block',
      'oracle',
      'combo_execution',
      'combo_status_update',
      'combo_lifecycle',
      'reorg',
    ]),
  )
})

test('ten minutes of the present of a demo have every message of the chain', () => {
  const presentMs = START_MS + 60 * MINUTE_MS
  const options = { seed: 1, startMs: START_MS, presentMs, hasReorgs: true }
  const demo = publishUniverse(options, presentMs)
  demo.universe.advance(presentMs + 10 * MINUTE_MS)
  const types = new Set(demo.events.map(({ type }) => type))
  const others = [...MESSAGES.keys()].filter((type) => !types.has(type))
  expect(others.sort()).toEqual(OTHER_TYPES)
})

test('no message lacks what a strict client requires', () => {
  expect(events.flatMap(({ type, text }) => findMissing(type, text))).toEqual([])
})

/** The messages of two prices, as the collector publishes them. */
function publishPrices(): BusEvent[] {
  const prices = new Bus({
    clock: { now: () => FROM_MS },
    log: createLog('silent', process.stderr),
  })
  const tick = { stream: 0, sec: FROM_MS / 1000, price: 106_210.95, bid: 106_210.4, ask: 106_211.5 }
  for (const kind of ['spot', 'twap30'] as const) {
    const draft = toPriceEvent({ symbol: 'BTC', kind, source: 'platform_oracle' }, tick)
    prices.publish(draft === undefined ? [] : [draft])
  }
  return prices.replay({ afterSeq: 0 })
}

/** The messages of a game, as the score socket tells it. */
function publishScores(): BusEvent[] {
  const clock = { now: () => FROM_MS }
  const scoreBus = new Bus({ clock, log: createLog('silent', process.stderr) })
  const scores = new LiveScores({ scoreBus, clock, registry: new Registry() })
  const game = {
    gameId: 20_026_001,
    slug: 'nfl-lac-buf-2026-11-15',
    leagueAbbreviation: 'nfl',
    homeTeam: 'BUF',
    awayTeam: 'LAC',
  }
  const live = { status: 'InProgress', score: '16-13', period: 'Q4', elapsed: '05:18', turn: 'lac' }
  const final = {
    status: 'Final',
    score: '23-13',
    period: 'FT',
    finishedTimestamp: FROM_MS - 1_000,
  }
  for (const state of [
    { ...live, live: true, ended: false },
    { ...final, live: false, ended: true },
  ]) {
    const frame = parseScoreFrame(JSON.stringify({ ...game, ...state }))
    if (frame?.kind === 'scores') for (const score of frame.scores) scores.accept(score)
  }
  return scoreBus.replay({ afterSeq: 0 })
}

test('the examples of the documents are messages of this chain; AUSPEX_TAKE_EXAMPLES=1 takes them', () => {
  const acts = oneOfEach().map(({ act }) => act)
  const { events: rare } = publishActs(acts, FROM_MS)
  const examples = pickExamples([events, rare, publishPrices(), publishScores()])
  if (process.env.AUSPEX_TAKE_EXAMPLES === '1')
    writeFileSync(new URL('examples.json', import.meta.url), JSON.stringify(examples, null, 2))
  const stored = readEventExamples()
  expect(examples).toEqual(stored)
  for (const [type, { schema }] of MESSAGES)
    for (const { payload } of stored[type as EventType]) expect(Value.Errors(schema, payload)).toEqual([])
})

test('every match that a node shows is published at once, and confirmed once if it gets into a block', () => {
  expect(pending.length).toBeGreaterThan(50)
  let open = 0
  for (const hash of pending) {
    const [settlement, ...more] = settlements.get(hash) ?? []
    expect(more).toEqual([])
    expect(settlement?.data.status).toBe('pending')
    const [update, ...others] = updates.get(hash) ?? []
    expect(others).toEqual([])
    if (update === undefined) {
      open++
      continue
    }
    expect(update.seq).toBeGreaterThan(settlement?.seq ?? 0)
    expect(update.data.pending_detected_at).toBe(settlement?.data.detected_at)
    expect(update.data.latency_ms).toBe(
      Number(update.data.confirmed_at) - Number(settlement?.data.detected_at),
    )
    expect(update.timestampMs).toBe(update.data.confirmed_at)
  }
  expect(open).toBe(liveEvents.status.pendingTransactions)
})

test('a match that no node showed before its block is published and confirmed by it', () => {
  const seen = new Set(pending)
  const unseen = [...updates].filter(([hash]) => !seen.has(hash))
  expect(unseen.length).toBeGreaterThan(5)
  for (const [hash, [update, ...others]] of unseen) {
    expect(others).toEqual([])
    if (update?.type === 'combo_status_update') continue
    const [settlement] = settlements.get(hash) ?? []
    expect(settlement?.data).toMatchObject({
      status: 'confirmed',
      block_number: update?.data.block_number,
    })
    expect(settlement?.seq).toBeLessThan(update?.seq ?? 0)
    expect(update?.data).toMatchObject({
      pending_detected_at: update?.data.confirmed_at,
      latency_ms: 0,
    })
  }
})

test('what a pending match says of prices, sizes and orders is what the block confirms', () => {
  let rows = 0
  for (const [hash, [update]] of updates) {
    const [settlement] = settlements.get(hash) ?? []
    if (settlement?.type !== 'settlement' || update?.type !== 'status_update') continue
    const trades = dataOf(settlement).trades as Row[]
    const fills = dataOf(update).confirmed_fills as Row[]
    const shown = ({ order_hash, price, size, maker }: Row) => ({ order_hash, price, size, maker })
    expect(trades.map(shown)).toEqual(fills.map(shown))
    expect(update.data.order_hashes).toEqual(trades.map(({ order_hash }) => order_hash))
    rows += trades.length
  }
  expect(rows).toBeGreaterThan(200)
})

test('a confirmation repeats the trades of its transaction', () => {
  const trades = byTx(ofType('trade'))
  for (const [hash, [update]] of updates) {
    if (update?.type !== 'status_update') continue
    const fills = dataOf(update).confirmed_fills as Row[]
    const published = (trades.get(hash) ?? []).map(({ data }) => data.order_hash)
    expect(published).toEqual(fills.map(({ order_hash }) => order_hash))
  }
})

test('every row of a settlement is a fill of its own, right after it', () => {
  const bySettlement = byTx(ofType('fill'))
  for (const settlement of ofType('settlement')) {
    const trades = dataOf(settlement).trades as Row[]
    const fills = bySettlement.get(String(settlement.data.tx_hash)) ?? []
    expect(fills.map(({ seq }) => seq)).toEqual(trades.map((_, index) => settlement.seq + 1 + index))
    expect(fills.map(({ data }) => [data.user, data.price, data.shares_normalized])).toEqual(
      trades.map(({ maker, price, size }) => [maker, price, size]),
    )
    for (const fill of fills) {
      const { protocol_version, module, ...fields } = dataOf(fill)
      expect(Object.keys(fields)).toHaveLength(17)
    }
  }
})

test('what comes from logs comes in their order, and the block after it', () => {
  let last = 0
  for (const { type, data } of events) {
    if (type === 'reorg') last = seqOf(Number(data.fork_block) + 1, 0)
    const block = data.block_number
    if (typeof block !== 'number' || type === 'fill') continue
    const logIndex = type === 'block' ? 2 ** 20 - 1 : data.log_index
    // Matches have no log of their own; they stand after the last one of theirs.
    const seq = typeof logIndex === 'number' ? seqOf(block, logIndex) : Math.max(last, seqOf(block, 0))
    expect(seq).toBeGreaterThanOrEqual(last)
    last = seq
  }
})

test('a reorganisation is published before the blocks that replace others', () => {
  const [reorg, ...others] = ofType('reorg')
  expect(others).toEqual([])
  const fork = Number(reorg?.data.fork_block)
  expect(reorg?.data.removed_blocks).toBe(3)
  const blocks = ofType('block').filter(({ seq }) => seq > (reorg?.seq ?? 0))
  expect(blocks.slice(0, 3).map(({ data }) => data.block_number)).toEqual([fork + 1, fork + 2, fork + 3])
  const { chain } = universe
  for (const { data } of blocks) {
    const block = chain.block(Number(data.block_number))
    expect(block && chain.hashOf(block)).toBe(data.block_hash)
    expect(block?.transactions.length).toBe(data.tx_count)
  }
})

test('resolutions name their market', () => {
  const resolutions = ofType('oracle').filter(({ data }) => data.oracle_type === 'resolution')
  expect(resolutions.length).toBeGreaterThan(5)
  for (const { data, keys } of resolutions) {
    const market = universe.catalogue.marketByCondition(String(data.condition_id))
    expect(data).toMatchObject({ question_id: market?.questionId, market_slug: market?.slug })
    expect(keys.tokens).toEqual(market?.tokens.map(({ decimal }) => decimal))
  }
})

test('the bus keeps the last five minutes of all that', () => {
  const kept = bus.replay({ afterSeq: 0 })
  expect(kept).toEqual(events.slice(-kept.length))
  expect(kept[0]?.publishedMs).toBeGreaterThanOrEqual(universe.nowMs - 5 * MINUTE_MS)
  expect(events.at(-kept.length - 1)?.publishedMs).toBeLessThan(universe.nowMs - 5 * MINUTE_MS)
})
