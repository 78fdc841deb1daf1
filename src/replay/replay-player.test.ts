import fc from 'fast-check'
import { expect, test } from 'vitest'
import { until } from '../../test/until.js'
import type { Timing } from '../lib/timing.js'
import { ReplayPlayer } from './replay-player.js'

/** Time that passes when the test says so. */
class ManualTiming implements Timing {
  #nowMs = 1_000
  readonly #sleepers = new Set<() => void>()

  now(): number {
    return this.#nowMs
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const endsAt = this.#nowMs + ms
    let wake = () => {}
    const slept = new Promise<void>((resolve, reject) => {
      wake = () => {
        if (this.#nowMs >= endsAt) resolve()
      }
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    this.#sleepers.add(wake)
    await slept.finally(() => this.#sleepers.delete(wake))
  }

  get sleeping(): number {
    return this.#sleepers.size
  }

  /** Lets the time pass, and what was waiting for it happen. */
  async pass(ms: number): Promise<void> {
    this.#nowMs += ms
    for (const wake of [...this.#sleepers]) wake()
    await settle()
  }
}

/** What is waiting for promises alone has happened. */
const settle = () => new Promise((resolve) => setTimeout(resolve))

type TestPlayerOptions = {
  times: readonly number[]
  speed?: number
  isPaused?: boolean
  untilReady?: (items: number) => Promise<boolean>
}

/** Plays these times of the range from 0 to 10,000, in pages of three. */
function openPlayer({
  times,
  speed = 1,
  isPaused = false,
  untilReady = async () => true,
}: TestPlayerOptions) {
  const timing = new ManualTiming()
  const played: number[] = []
  const ends: unknown[] = []
  const player = new ReplayPlayer<number>({
    range: { fromMs: 0, toMs: 10_000, speed, isPaused },
    timing,
    async *open(fromMs) {
      const rest = times.filter((time) => time >= fromMs)
      for (let from = 0; from < rest.length; from += 3) yield rest.slice(from, from + 3)
    },
    timeOf: (time) => time,
    play: (time) => played.push(time),
    untilReady,
    onEnd: () => ends.push('end'),
    onFailed: (error) => ends.push(error),
  })
  return { player, timing, played, ends }
}

test('an item is played when its time has come, and the replay ends with its range', async () => {
  const { player, timing, played, ends } = openPlayer({ times: [0, 1_000, 1_000, 6_000], speed: 2 })
  player.start()
  await settle()
  expect(played).toEqual([0])
  await timing.pass(499)
  expect(played).toEqual([0])
  await timing.pass(1)
  expect(played).toEqual([0, 1_000, 1_000])
  expect(player.nowMs).toBe(1_000)
  await timing.pass(2_500)
  expect(played).toHaveLength(4)
  expect(ends).toEqual([])
  await timing.pass(2_000)
  expect(ends).toEqual(['end'])
  expect(player.state).toBe('ended')
})

test('time stands still while the replay is paused, however often', async () => {
  const { player, timing, played } = openPlayer({ times: [1_000, 2_000], isPaused: true })
  player.start()
  await timing.pass(5_000)
  expect([player.state, player.nowMs, played]).toEqual(['paused', 0, []])
  player.resume()
  await timing.pass(900)
  player.pause()
  await timing.pass(5_000)
  expect([player.nowMs, played]).toEqual([900, []])
  player.resume()
  await timing.pass(100)
  expect(played).toEqual([1_000])
  await timing.pass(1_000)
  expect(played).toEqual([1_000, 2_000])
})

test('a seek goes back and forth, and keeps the state', async () => {
  const { player, timing, played } = openPlayer({ times: [1_000, 2_000, 3_000] })
  player.start()
  await timing.pass(1_500)
  player.seek(2_500)
  await settle()
  await timing.pass(500)
  expect(played).toEqual([1_000, 3_000])
  player.pause()
  player.seek(500)
  await settle()
  expect([player.state, player.nowMs]).toEqual(['paused', 500])
  player.resume()
  await timing.pass(1_500)
  expect(played).toEqual([1_000, 3_000, 1_000, 2_000])
})

test('a client that does not read holds the replay, and nothing is left out', async () => {
  const readings: ((isOpen: boolean) => void)[] = []
  const times = Array.from({ length: 100 }, (_, index) => index)
  const untilReady = () => new Promise<boolean>((resolve) => readings.push(resolve))
  const { player, played, ends } = openPlayer({ times, speed: Number.POSITIVE_INFINITY, untilReady })
  player.start()
  await settle()
  expect(played.length).toBeLessThan(times.length)
  while (ends.length === 0) {
    const held = played.length
    await settle()
    expect(played).toHaveLength(held)
    readings.shift()?.(true)
    await settle()
  }
  expect(played).toEqual(times)
})

test('nothing is played after the client has gone, or after close', async () => {
  const times = Array.from({ length: 100 }, (_, index) => index)
  const speed = Number.POSITIVE_INFINITY
  const gone = openPlayer({ times, speed, untilReady: async () => false })
  gone.player.start()
  await settle()
  expect([gone.player.state, gone.ends]).toEqual(['ended', []])
  const closed = openPlayer({ times: [1_000] })
  closed.player.start()
  await until(() => closed.timing.sleeping === 1)
  closed.player.close()
  await closed.timing.pass(2_000)
  expect([closed.played, closed.ends]).toEqual([[], []])
})

test('a record that cannot be read ends the replay with the error', async () => {
  const { timing, ends } = openPlayer({ times: [] })
  const failure = new Error('the database is away')
  const player = new ReplayPlayer<number>({
    range: { fromMs: 0, toMs: 10, speed: 1, isPaused: false },
    timing,
    // biome-ignore lint/correctness/useYield: it fails before it has anything
    open: async function* () {
      throw failure
    },
    timeOf: (time) => time,
    play: () => undefined,
    untilReady: async () => true,
    onEnd: () => ends.push('end'),
    onFailed: (error) => ends.push(error),
  })
  player.start()
  await settle()
  expect(ends).toEqual([failure])
})

test('at every speed, whatever pauses and seeks come between, no item is played before its time', async () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({ kind: fc.constant('seek' as const), ms: fc.integer({ min: 0, max: 9_999 }) }),
    fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), ms: fc.constant(0) }),
  )
  const times = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 12 })
  const property = fc.asyncProperty(
    times,
    fc.constantFrom(1, 3, 100),
    fc.array(act, { maxLength: 12 }),
    async (unsorted, speed, acts) => {
      const sorted = unsorted.toSorted((a, b) => a - b)
      const { player, timing, played, ends } = openPlayer({ times: sorted, speed })
      player.start()
      for (const { kind, ms } of acts) {
        const before = played.length
        if (kind === 'pass') await timing.pass(ms)
        else if (kind === 'seek') player.seek(ms)
        else player[kind]()
        await settle()
        const isOver = ends.length > 0
        for (const time of played.slice(before)) expect(isOver || time <= player.nowMs).toBe(true)
        if (kind === 'seek' && !isOver) {
          const since = played.slice(before)
          expect(since.every((time) => time === ms)).toBe(true)
        }
      }
    },
  )
  await fc.assert(property, { numRuns: 40 })
})
