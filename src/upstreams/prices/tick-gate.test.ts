import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PriceTick, StoredStreams } from './source.js'
import { type Hole, TickGate } from './tick-gate.js'

const anySec = fc.integer({ min: 1, max: 60 })
const anySecs = fc.array(anySec, { minLength: 1 })

const tick = (coin: string, sec: number, kind: PriceTick['kind'] = 'spot'): PriceTick => ({
  coin,
  kind,
  source: 'rtds',
  oracle: 'chainlink',
  timestampMs: sec * 1_000,
  price: '1',
  priceE18: 10n ** 18n,
  receivedMs: sec * 1_000 + 900,
})

const until = (sec: number) => ({ untilMs: sec * 1_000, missing: [] })

function openGate(stepMsMax = 5_000, stored?: StoredStreams) {
  const passed: string[] = []
  const holes: Hole[] = []
  const gate = new TickGate({
    coins: ['btc', 'eth'],
    stepMsMax,
    stored,
    onTick: ({ coin, kind, timestampMs }) => passed.push(`${coin} ${kind} ${timestampMs / 1_000}`),
    onHole: (hole) => holes.push(hole),
  })
  return { gate, passed, holes }
}

test('each moment of each stream passes once, in whatever order, and only wanted coins', () => {
  const { gate, passed } = openGate()
  const sent = [tick('btc', 10), tick('btc', 12), tick('btc', 11), tick('btc', 10)]
  for (const each of [...sent, tick('btc', 10, 'twap60'), tick('eth', 10), tick('doge', 10)])
    gate.pass(each)
  expect(passed).toEqual([
    'btc spot 10',
    'btc spot 12',
    'btc spot 11',
    'btc twap60 10',
    'eth spot 10',
  ])
  expect(gate.lastTimestampMs).toBe(12_000)
  expect(gate.lastTickMs).toBe(10_900)
})

test('a jump over the step is a hole of that stream', () => {
  const { gate, holes } = openGate()
  for (const sec of [10, 15, 21, 20, 22]) gate.pass(tick('btc', sec))
  gate.pass(tick('eth', 40))
  expect(holes).toEqual([{ coin: 'btc', kind: 'spot', afterMs: 15_000, beforeMs: 21_000 }])
})

test('a gap begins with the stream that is furthest behind, and its jump is no hole', () => {
  const { gate, passed, holes } = openGate()
  expect(gate.closeGap(5_000)).toBeUndefined()
  gate.pass(tick('btc', 10))
  gate.pass(tick('btc', 12, 'twap60'))
  gate.pass(tick('eth', 13))
  expect(gate.closeGap(14_000, 'twap60')).toBe(12_000)
  expect(gate.closeGap(60_000)).toBe(10_000)
  for (const sec of [10, 58, 64]) gate.pass(tick('btc', sec))
  expect(holes).toEqual([])
  expect(passed.slice(3)).toEqual(['btc spot 58', 'btc spot 64'])

  gate.pass(tick('eth', 66))
  expect(holes).toEqual([{ coin: 'eth', kind: 'spot', afterMs: 60_000, beforeMs: 66_000 }])
  expect(gate.closeGap(70_000)).toBe(64_000)
})

test('a stream that was silent long before is not part of a gap, and has a hole of its own', () => {
  const { gate, holes } = openGate()
  gate.pass(tick('eth', 10))
  for (const sec of [96, 98, 100]) gate.pass(tick('btc', sec))
  expect(gate.closeGap(103_000)).toBe(100_000)
  gate.pass(tick('btc', 104))
  expect(holes).toEqual([])
  gate.pass(tick('eth', 104))
  expect(holes).toEqual([{ coin: 'eth', kind: 'spot', afterMs: 10_000, beforeMs: 104_000 }])
})

test('a stream that the reader has stored has a hole before its first tick, one that is new has none', () => {
  const stored: StoredStreams = (coin, kind) =>
    coin === 'btc' && kind === 'spot' ? until(10) : undefined
  const { gate, passed, holes } = openGate(5_000, stored)
  for (const each of [tick('btc', 16), tick('btc', 40, 'twap60'), tick('eth', 40)]) gate.pass(each)
  gate.pass(tick('btc', 10))
  gate.pass(tick('btc', 9))
  expect(holes).toEqual([{ coin: 'btc', kind: 'spot', afterMs: 10_000, beforeMs: 16_000 }])
  expect(passed.slice(3)).toEqual(['btc spot 10', 'btc spot 9'])
})

test('a stream that begins with what the reader has goes on from the last stored tick', () => {
  const { gate, passed, holes } = openGate(5_000, () => until(10))
  for (const sec of [3, 9, 15, 21]) gate.pass(tick('btc', sec))
  expect(passed).toHaveLength(4)
  expect(holes).toEqual([{ coin: 'btc', kind: 'spot', afterMs: 15_000, beforeMs: 21_000 }])
})

test('for any order of seconds nothing passes twice, and holes cover what is missing', () => {
  fc.assert(
    fc.property(anySecs, fc.option(anySec, { nil: undefined }), (secs, storedSec) => {
      const stored = storedSec === undefined ? undefined : () => until(storedSec)
      const { gate, passed, holes } = openGate(1_000, stored)
      for (const sec of secs) gate.pass(tick('btc', sec))
      expect(passed).toHaveLength(new Set(secs).size)
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
