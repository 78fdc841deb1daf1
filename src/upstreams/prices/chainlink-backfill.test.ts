import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../transport/errors.js'
import { Backfill, type MissedSeconds } from './chainlink-backfill.js'
import type { ChainlinkFeed } from './chainlink-feeds.js'
import type { PriceTick } from './source.js'

const FEED: ChainlinkFeed = { id: '0x0003', coin: 'btc', kind: 'spot', decimals: 18 }

const tick = (sec: number): PriceTick => ({
  coin: 'btc',
  kind: 'spot',
  source: 'chainlink',
  oracle: 'chainlink',
  timestampMs: sec * 1_000,
  price: '1',
  priceE18: 10n ** 18n,
  receivedMs: 0,
})

/** A host that has every second up to `lastSec`, 100 to a page of `pageMs`; `fail` may throw instead. */
function open({ lastSec = 10_000_000, pageMs = 0, fail = (_call: number) => {} } = {}) {
  const asked: number[] = []
  const filled: number[] = []
  const missed: MissedSeconds[] = []
  let nowMs = 0
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const backfill = new Backfill(controller.signal, {
    readPage: async (_feed, fromSec) => {
      asked.push(fromSec)
      nowMs += pageMs
      fail(asked.length)
      const count = Math.max(0, Math.min(100, lastSec - fromSec + 1))
      return Array.from({ length: count }, (_, index) => tick(fromSec + index))
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
  return { backfill, asked, filled, missed, controller }
}

const range = (fromSec: number, toSec: number) =>
  Array.from({ length: toSec - fromSec + 1 }, (_, index) => fromSec + index)

const failure = (retryable: boolean, status?: number) =>
  new UpstreamError('no', { upstream: 'test', retryable, status })

test('all pages of a stretch are read, and nothing beyond it is delivered', async () => {
  const { backfill, asked, filled, missed } = open()
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_249 })
  await vi.waitFor(() => expect(filled).toEqual(range(1_000, 1_249)))
  expect(asked).toEqual([1_000, 1_100, 1_200])
  expect(missed).toEqual([])
})

test('stretches that one page covers need no other', async () => {
  const { backfill, asked, filled } = open()
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_001 })
  backfill.add({ feed: FEED, fromSec: 1_010, toSec: 1_010 })
  backfill.add({ feed: FEED, fromSec: 1_090, toSec: 1_105 })
  backfill.add({ feed: FEED, fromSec: 900, toSec: 901 })
  const earlier = [900, 901]
  const expected = [1_000, 1_001, 1_010, ...range(1_090, 1_105), ...earlier]
  await vi.waitFor(() => expect(filled).toEqual(expected))
  expect(asked).toEqual([1_000, 1_100, 900])
})

test.each([
  ['fails', failure(true)],
  ['refuses our signature', failure(false, 401)],
])('a host that %s for a while is asked again, from where it stopped', async (_how, error) => {
  const { backfill, filled, missed } = open({
    fail: (call) => {
      if (call > 1 && call < 6) throw error
    },
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_149 })
  await vi.waitFor(() => expect(filled).toEqual(range(1_000, 1_149)))
  expect(missed).toEqual([])
})

test('what it refuses is reported, and only that', async () => {
  const { backfill, filled, missed } = open({
    fail: (call) => {
      if (call === 2) throw failure(false)
    },
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_149 })
  backfill.add({ feed: FEED, fromSec: 2_000, toSec: 2_000 })
  await vi.waitFor(() => expect(filled).toEqual([...range(1_000, 1_099), 2_000]))
  expect(missed).toEqual([{ feed: FEED, fromSec: 1_100, toSec: 1_149 }])
})

test('a stretch that had to wait for long is not given up for one failure', async () => {
  const { backfill, filled, missed } = open({
    pageMs: 60_000,
    fail: (call) => {
      if (call === 31) throw failure(true)
    },
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 3_999 })
  backfill.add({ feed: { ...FEED, coin: 'eth' }, fromSec: 5_000, toSec: 5_000 })
  await vi.waitFor(() => expect(filled).toHaveLength(3_001))
  expect(missed).toEqual([])
})

test('a host that stays behind is given up in the end', async () => {
  const { backfill, asked, filled, missed } = open({ lastSec: 1_009 })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_020 })
  await vi.waitFor(() => expect(missed).toEqual([{ feed: FEED, fromSec: 1_010, toSec: 1_020 }]))
  expect(filled).toEqual(range(1_000, 1_009))
  expect(asked.length).toBeLessThan(30)
})

test('more than a day back, or too many stretches, are reported at once', async () => {
  const { backfill, missed } = open({
    fail: () => {
      throw failure(true)
    },
  })
  backfill.add({ feed: FEED, fromSec: 1, toSec: 86_401 })
  expect(missed).toEqual([{ feed: FEED, fromSec: 1, toSec: 1 }])
  for (let index = 0; index <= 1_000; index++) backfill.add({ feed: FEED, fromSec: 5, toSec: 5 })
  expect(missed).toHaveLength(2)
})

test('an abort ends it without a word', async () => {
  const { backfill, asked, filled, missed, controller } = open({
    fail: () => controller.abort(new Error('over')),
  })
  backfill.add({ feed: FEED, fromSec: 1_000, toSec: 1_010 })
  backfill.add({ feed: FEED, fromSec: 2_000, toSec: 2_010 })
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  await new Promise((resolve) => setImmediate(resolve))
  expect([asked, filled, missed]).toEqual([[1_000], [], []])
})
