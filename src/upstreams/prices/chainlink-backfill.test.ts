import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../core/upstream-error.js'
import { Backfill, type MissedSeconds } from './chainlink-backfill.js'
import type { ChainlinkFeed } from './chainlink-feeds.js'
import type { PriceTick } from './source.js'

const FEED: ChainlinkFeed = { id: '0x0003', coin: 'btc', kind: 'spot', decimals: 18 }

const tick = (sec: number): PriceTick => ({
  coin: 'btc',
  kind: 'spot',
  source: 'chainlink',
  provider: 'chainlink',
  timestampMs: sec * 1_000,
  price: '1',
  priceE18: 10n ** 18n,
  receivedMs: 0,
})

/** A host that has every second but `empty` up to `lastSec`, 100 to a page of `pageMs`; `fail` may throw instead. */
function open({ lastSec = 10_000_000, pageMs = 0, fail = (_call: number) => {}, empty = NONE } = {}) {
  const requested: number[] = []
  const filled: number[] = []
  const coins: string[] = []
  const missed: MissedSeconds[] = []
  let nowMs = 0
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const backfill = new Backfill(controller.signal, {
    readPage: async ({ coin }, fromSec) => {
      requested.push(fromSec)
      coins.push(coin)
      nowMs += pageMs
      fail(requested.length)
      const firstSec = empty.fromSec <= fromSec && fromSec <= empty.toSec ? empty.toSec + 1 : fromSec
      const count = Math.max(0, Math.min(100, lastSec - firstSec + 1))
      return Array.from({ length: count }, (_, index) => tick(firstSec + index))
    },
    onTick: ({ timestampMs }) => filled.push(timestampMs / 1_000),
    onMissed: (each) => missed.push(each),
    timing: {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms
      },
    },
    log: pino({ level: 'silent' }),
  })
  return { backfill, requested, coins, filled, missed, controller }
}

const NONE = { fromSec: 0, toSec: -1 }

const range = (fromSec: number, toSec: number) =>
  Array.from({ length: toSec - fromSec + 1 }, (_, index) => fromSec + index)

const failure = (retryable: boolean, status?: number) =>
  new UpstreamError('no', { upstream: 'test', retryable, status })

test('all pages of a stretch are read, the newest first, and nothing beyond it is delivered', async () => {
  const { backfill, requested, filled, missed } = open()
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_249 })
  await vi.waitFor(() => expect(filled).toHaveLength(250))
  expect(filled).toEqual([...range(1_150, 1_249), ...range(1_050, 1_149), ...range(1_000, 1_049)])
  expect(requested).toEqual([1_150, 1_050, 1_000])
  expect(missed).toEqual([])
})

test('all feeds are read side by side', async () => {
  const { backfill, coins, filled } = open()
  const feeds = Array.from({ length: 7 }, (_, index) => ({ ...FEED, coin: `coin ${index}` }))
  for (const feed of feeds) backfill.add({ feed, fromSec: 1_000, toSec: 1_299 })
  await vi.waitFor(() => expect(filled).toHaveLength(7 * 300))
  for (const page of [0, 1, 2]) {
    expect(new Set(coins.slice(page * 7, page * 7 + 7)).size).toBe(7)
  }
})

test('recent seconds are read four pages at once, older ones two at once', async () => {
  let pages = 0
  const most = { recent: 0, older: 0 }
  const controller = new AbortController()
  const nothing = () => undefined
  const backfill = new Backfill(controller.signal, {
    readPage: async (_feed, fromSec) => {
      pages += 1
      const age = fromSec > 90_000 ? 'recent' : 'older'
      most[age] = Math.max(most[age], pages)
      await new Promise((resolve) => setImmediate(resolve))
      pages -= 1
      return range(fromSec, fromSec + 99).map(tick)
    },
    onTick: nothing,
    onMissed: nothing,
    timing: { now: () => 0, sleep: async () => {} },
    log: pino({ level: 'silent' }),
  })
  const feeds = Array.from({ length: 7 }, (_, index) => ({ ...FEED, coin: `coin ${index}` }))
  for (const feed of feeds) {
    backfill.add({ feed, fromSec: 99_900, toSec: 100_000 })
    backfill.add({ feed, fromSec: 80_000, toSec: 80_300 })
  }
  await vi.waitFor(() => expect(backfill.isPending('spot', 0)).toBe(false))
  expect(most.recent).toBe(4)
  // The first one is requested while the last recent ones are on their way.
  expect(most.older).toBeLessThan(4)
})

test('stretches that one page covers need no other', async () => {
  const { backfill, requested, filled } = open()
  backfill.add({ feed: FEED, fromSec: 1_090, toSec: 1_105 })
  backfill.add({ feed: FEED, fromSec: 1_010, toSec: 1_010 })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_001 })
  backfill.add({ feed: FEED, fromSec: 900, toSec: 901 })
  await vi.waitFor(() => expect(filled).toHaveLength(21))
  expect(requested).toEqual([1_010, 1_000, 900])
  expect(filled.toSorted((a, b) => a - b)).toEqual([900, 901, 1_000, 1_001, 1_010, ...range(1_090, 1_105)])
})

test('a long time without reports is passed over with one call', async () => {
  const { backfill, requested, filled, missed } = open({ empty: { fromSec: 0, toSec: 50_000 } })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 50_150 })
  await vi.waitFor(() => expect(backfill.isPending('spot', 0)).toBe(false))
  expect(filled.toSorted((a, b) => a - b)).toEqual(range(50_001, 50_150))
  expect(requested).toEqual([50_051, 49_951, 49_851, 1_000])
  expect(missed).toEqual([])
})

test('seconds are pending until they are there', async () => {
  const { backfill, filled } = open()
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_149 })
  expect(backfill.isPending('spot', 1_149)).toBe(true)
  expect(backfill.isPending('spot', 1_150)).toBe(false)
  expect(backfill.isPending('twap60', 0)).toBe(false)
  await vi.waitFor(() => expect(filled).toHaveLength(150))
  expect(backfill.isPending('spot', 0)).toBe(false)
})

test.each([
  ['fails', failure(true)],
  ['refuses our signature', failure(false, 401)],
])('a host that %s for a while gets the request again, from where it stopped', async (_how, error) => {
  const { backfill, filled, missed } = open({
    fail: (call) => {
      if (call > 1 && call < 6) throw error
    },
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_149 })
  await vi.waitFor(() => expect(filled).toEqual([...range(1_050, 1_149), ...range(1_000, 1_049)]))
  expect(missed).toEqual([])
})

test('what it refuses is reported, and only that', async () => {
  const { backfill, filled, missed } = open({
    fail: (call) => {
      if (call === 2) throw failure(false)
    },
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_149 })
  backfill.add({ feed: FEED, fromSec: 500, toSec: 500 })
  await vi.waitFor(() => expect(filled).toEqual([...range(1_050, 1_149), 500]))
  expect(missed).toEqual([{ feed: FEED, fromSec: 1_000, toSec: 1_049 }])
})

test('a stretch that had to wait for long is not given up for one failure', async () => {
  const { backfill, filled, missed } = open({
    pageMs: 60_000,
    fail: (call) => {
      if (call === 31) throw failure(true)
    },
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 3_999 })
  backfill.add({ feed: FEED, fromSec: 500, toSec: 500 })
  await vi.waitFor(() => expect(filled).toHaveLength(3_001))
  expect(missed).toEqual([])
})

test('a host that keeps lagging is given up in the end', async () => {
  const { backfill, requested, filled, missed } = open({ lastSec: 1_009 })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_020 })
  await vi.waitFor(() => expect(missed).toEqual([{ feed: FEED, fromSec: 1_010, toSec: 1_020 }]))
  expect(filled).toEqual(range(1_000, 1_009))
  expect(requested.length).toBeLessThan(30)
})

test('more than a day back, or too many stretches, are reported at once', async () => {
  const { backfill, missed } = open({
    fail: () => {
      throw failure(true)
    },
  })
  backfill.add({ feed: FEED, fromSec: 1, toSec: 86_401 })
  expect(missed).toEqual([{ feed: FEED, fromSec: 1, toSec: 1 }])
  for (let index = 0; index < 1_000; index++) backfill.add({ feed: FEED, fromSec: 5, toSec: 5 })
  expect(missed).toHaveLength(2)
})

test('after an abort nothing is requested, delivered or reported', async () => {
  const { backfill, requested, filled, missed, controller } = open({
    fail: () => controller.abort(new Error('over')),
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_010 })
  backfill.add({ feed: FEED, fromSec: 2_000, toSec: 2_010 })
  await vi.waitFor(() => expect(requested).toHaveLength(1))
  await new Promise((resolve) => setImmediate(resolve))
  expect([requested, filled, missed]).toEqual([[2_000], [], []])
})
