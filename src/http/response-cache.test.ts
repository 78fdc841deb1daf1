import { setImmediate as nextLoopIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { Compressor } from './compression.js'
import { type Computed, ResponseCache } from './response-cache.js'

const createCache = (clock: ManualClock) =>
  new ResponseCache({ clock, registry: new Registry(), compressor: new Compressor() }, 100_000)

const NO_GRID = Number.POSITIVE_INFINITY

test('the cache never holds more than it may', async () => {
  const cache = createCache(new ManualClock())
  for (let index = 0; index < 200; index++) {
    const answer = await cache.get(`key ${index}`, NO_GRID, async () => ({
      ttlMs: 60_000,
      text: 'x'.repeat(5_000),
      head: undefined,
    }))
    await cache.encode(`key ${index}`, answer, 'gzip')
    expect(cache.bytes).toBeLessThanOrEqual(100_000)
  }
  expect(cache.bytes).toBeGreaterThan(50_000)
  const whole = await cache.get('too large', NO_GRID, async () => ({
    ttlMs: 60_000,
    text: 'x'.repeat(200_000),
    head: undefined,
  }))
  expect(whole.bodies.identity).toHaveLength(200_000)
  expect(cache.bytes).toBeLessThanOrEqual(100_000)
})

test('an answer of the time to come is made again: the clock was set back', async () => {
  const clock = new ManualClock()
  const cache = createCache(clock)
  let count = 0
  const ask = async () => {
    const { bodies } = await cache.get('key', NO_GRID, async () => ({
      ttlMs: 60_000,
      text: `${++count}`,
      head: undefined,
    }))
    return bodies.identity.toString()
  }
  expect(await ask()).toBe('1')
  clock.advance(-3_600_000)
  expect(await ask()).toBe('2')
  clock.advance(59_999)
  expect(await ask()).toBe('2')
})

type Computation = { beganAtMs: number; endsAtMs: number; ttlMs: number; end: () => void }

/** Moves time on; computations end when theirs has come. */
async function pass(clock: ManualClock, toMs: number, computations: Computation[]): Promise<void> {
  const due = computations.filter(({ endsAtMs }) => clock.now() <= endsAtMs && endsAtMs <= toMs)
  for (const { endsAtMs, end } of due.toSorted((a, b) => a.endsAtMs - b.endsAtMs)) {
    clock.set(endsAtMs)
    end()
    await nextLoopIteration()
  }
  clock.set(toMs)
}

test('an answer is served until its time or its stretch of the grid is over, and never after', async () => {
  const asks = fc.record({ gapMs: fc.nat(150), lastsMs: fc.nat(300), ttlMs: fc.nat(400) })
  const grids = fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constant(NO_GRID))
  await fc.assert(
    fc.asyncProperty(fc.nat(), grids, fc.array(asks), async (startMs, gridMs, requests) => {
      const clock = new ManualClock(startMs)
      const cache = createCache(clock)
      const computations: Computation[] = []
      const replies: { atMs: number; isRecomputed: boolean; text: Promise<string> }[] = []
      const mayServe = ({ beganAtMs, endsAtMs, ttlMs }: Computation, atMs: number) =>
        Math.floor(beganAtMs / gridMs) === Math.floor(atMs / gridMs) && atMs < endsAtMs + ttlMs

      for (const { gapMs, lastsMs, ttlMs } of requests) {
        const atMs = clock.now() + gapMs
        await pass(clock, atMs, computations)
        const count = computations.length
        const isNeeded = !computations.some((computation) => mayServe(computation, atMs))
        const compute = (beganAtMs: number) =>
          new Promise<Computed>((resolve) => {
            const end = () => resolve({ ttlMs, text: `${count}`, head: undefined })
            computations.push({ beganAtMs, endsAtMs: atMs + lastsMs, ttlMs, end })
          })
        const found = Promise.resolve(cache.get('key', gridMs, compute))
        const isRecomputed = computations.length > count
        expect(isRecomputed).toBe(isNeeded)
        replies.push({
          atMs,
          isRecomputed: isRecomputed,
          text: found.then((it) => it.bodies.identity.toString()),
        })
      }
      await pass(clock, clock.now() + 300, computations)

      for (const { atMs, isRecomputed, text } of replies) {
        const maker = computations[Number(await text)]
        const mayGive = (it: Computation) => (isRecomputed ? it.beganAtMs === atMs : mayServe(it, atMs))
        expect(maker !== undefined && mayGive(maker)).toBe(true)
      }
    }),
  )
})
