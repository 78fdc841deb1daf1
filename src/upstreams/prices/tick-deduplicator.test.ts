import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PriceTick, StoredStreams } from './source.js'
import { TickDeduplicator, type TickHole } from './tick-deduplicator.js'

const anySec = fc.integer({ min: 1, max: 60 })
const anySecs = fc.array(anySec, { minLength: 1 })

const tick = (coin: string, sec: number, kind: PriceTick['kind'] = 'spot'): PriceTick => ({
  coin,
  kind,
  source: 'rtds',
  provider: 'chainlink',
  timestampMs: sec * 1_000,
  price: '1',
  priceE18: 10n ** 18n,
  receivedMs: sec * 1_000 + 900,
})

const until = (sec: number) => ({ untilMs: sec * 1_000, missing: [] })

function open(stepMsMax = 5_000, stored?: StoredStreams) {
  const accepted: string[] = []
  const holes: TickHole[] = []
  const deduplicator = new TickDeduplicator({
    coins: ['btc', 'eth'],
    stepMsMax,
    stored,
    onTick: ({ coin, kind, timestampMs }) => accepted.push(`${coin} ${kind} ${timestampMs / 1_000}`),
    onHole: (hole) => holes.push(hole),
  })
  return { deduplicator, accepted, holes }
}

test('each tick of each stream is handed on once, in whatever order, and only wanted coins', () => {
  const { deduplicator, accepted } = open()
  const sent = [tick('btc', 10), tick('btc', 12), tick('btc', 11), tick('btc', 10)]
  for (const each of [...sent, tick('btc', 10, 'twap60'), tick('eth', 10), tick('doge', 10)])
    deduplicator.accept(each)
  expect(accepted).toEqual(['btc spot 10', 'btc spot 12', 'btc spot 11', 'btc twap60 10', 'eth spot 10'])
  expect(deduplicator.lastTimestampMs).toBe(12_000)
  expect(deduplicator.lastTickMs).toBe(10_900)
})

test('a jump over the step is a hole of that stream', () => {
  const { deduplicator, holes } = open()
  for (const sec of [10, 15, 21, 20, 22]) deduplicator.accept(tick('btc', sec))
  deduplicator.accept(tick('eth', 40))
  expect(holes).toEqual([{ coin: 'btc', kind: 'spot', afterMs: 15_000, beforeMs: 21_000 }])
})

test('a gap begins with the stream that lags most, and its jump is no hole', () => {
  const { deduplicator, accepted, holes } = open()
  expect(deduplicator.closeGap(5_000)).toBeUndefined()
  deduplicator.accept(tick('btc', 10))
  deduplicator.accept(tick('btc', 12, 'twap60'))
  deduplicator.accept(tick('eth', 13))
  expect(deduplicator.closeGap(14_000, 'twap60')).toBe(12_000)
  expect(deduplicator.closeGap(60_000)).toBe(10_000)
  for (const sec of [10, 58, 64]) deduplicator.accept(tick('btc', sec))
  expect(holes).toEqual([])
  expect(accepted.slice(3)).toEqual(['btc spot 58', 'btc spot 64'])

  deduplicator.accept(tick('eth', 66))
  expect(holes).toEqual([{ coin: 'eth', kind: 'spot', afterMs: 60_000, beforeMs: 66_000 }])
  expect(deduplicator.closeGap(70_000)).toBe(64_000)
})

test('a stream that was silent long before is not part of a gap, and has a hole of its own', () => {
  const { deduplicator, holes } = open()
  deduplicator.accept(tick('eth', 10))
  for (const sec of [96, 98, 100]) deduplicator.accept(tick('btc', sec))
  expect(deduplicator.closeGap(103_000)).toBe(100_000)
  deduplicator.accept(tick('btc', 104))
  expect(holes).toEqual([])
  deduplicator.accept(tick('eth', 104))
  expect(holes).toEqual([{ coin: 'eth', kind: 'spot', afterMs: 10_000, beforeMs: 104_000 }])
})

test('a stream that the reader has stored has a hole before its first tick, one that is new has none', () => {
  const stored: StoredStreams = (coin, kind) => (coin === 'btc' && kind === 'spot' ? until(10) : undefined)
  const { deduplicator, accepted, holes } = open(5_000, stored)
  for (const each of [tick('btc', 16), tick('btc', 40, 'twap60'), tick('eth', 40)]) deduplicator.accept(each)
  deduplicator.accept(tick('btc', 10))
  deduplicator.accept(tick('btc', 9))
  expect(holes).toEqual([{ coin: 'btc', kind: 'spot', afterMs: 10_000, beforeMs: 16_000 }])
  expect(accepted.slice(3)).toEqual(['btc spot 10', 'btc spot 9'])
})

test('a stream that begins with what the reader has goes on from the last stored tick', () => {
  const { deduplicator, accepted, holes } = open(5_000, () => until(10))
  for (const sec of [3, 9, 15, 21]) deduplicator.accept(tick('btc', sec))
  expect(accepted).toHaveLength(4)
  expect(holes).toEqual([{ coin: 'btc', kind: 'spot', afterMs: 15_000, beforeMs: 21_000 }])
})

test('for any order of seconds no tick is handed on twice, and holes cover what is missing', () => {
  fc.assert(
    fc.property(anySecs, fc.option(anySec, { nil: undefined }), (secs, storedSec) => {
      const stored = storedSec === undefined ? undefined : () => until(storedSec)
      const { deduplicator, accepted, holes } = open(1_000, stored)
      for (const sec of secs) deduplicator.accept(tick('btc', sec))
      expect(accepted).toHaveLength(new Set(secs).size)
      const first = storedSec === undefined ? (secs[0] ?? 0) : storedSec + 1
      const last = Math.max(...secs)
      for (let sec = first; sec <= last; sec++) {
        const isInHole = holes.some(
          ({ afterMs, beforeMs }) => afterMs < sec * 1_000 && sec * 1_000 < beforeMs,
        )
        expect(secs.includes(sec) || isInHole).toBe(true)
      }
    }),
  )
})
