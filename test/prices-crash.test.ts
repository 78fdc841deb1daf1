import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Stream, streamId } from '../src/prices/streams.js'
import { counts } from './counts.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { forkChild } from './processes.js'
import {
  insertPast,
  openSimulatedPrices,
  SIMULATED_STREAMS,
  type SimulatedPrices,
} from './simulated-prices.js'
import { until } from './until.js'

/** So fast seconds pass here. */
const SPEED = 10
const TICK_MS = 5
/** So long the processes live after they are connected. */
const LIVES_MS = counts({ short: [2_300, 200], long: [2_300, 200, 2_500, 700] })
/** No tick waits longer in a process. */
const LOST_MS_MAX = 2_000
/** Fewer seconds in a row may be missing without being a gap. */
const STEP_SEC_MAX = 5

type Served = { sec: number; atMs: number }

/** From now on the time of the universe passes by itself; returns what was served, and when. */
function letLive({ universe }: SimulatedPrices) {
  const origin = { startMs: universe.nowMs, startedMs: Date.now(), speed: SPEED }
  const served: Served[] = []
  const stop = universe.on('second', (ms) => served.push({ sec: ms / 1_000, atMs: performance.now() }))
  const ticking = setInterval(() => {
    universe.advance(Math.floor(origin.startMs + (Date.now() - origin.startedMs) * SPEED))
  }, TICK_MS)
  onTestFinished(() => {
    stop()
    clearInterval(ticking)
  })
  return { origin, served }
}

/** A process that is up and waits for its turn. */
function makeReady(argument: object, sim: SimulatedPrices) {
  const { child, isOver, kill } = forkChild('prices-child.js', argument)
  return {
    /** Resolves when it is connected. */
    start: async () => {
      child.send('start')
      await until(() => sim.isFollowed('rtds') || isOver())
      if (isOver()) throw new Error('the process ended unasked')
    },
    kill: async () => {
      await kill()
      await until(() => !sim.isFollowed('rtds'))
    },
  }
}

async function readSecs({ sql }: TestDatabase, stream: Stream, fromSec: number) {
  const rows = await sql<{ sec: number }[]>`
    select sec from live_ticks
     where stream = ${streamId(stream)} and sec >= ${fromSec}
     order by sec`
  return rows.map(({ sec }) => sec)
}

/** Seconds of a stream that are neither there nor in a gap that is on record, as far as they must be. */
async function findLost(database: TestDatabase, stream: Stream, secs: readonly number[]) {
  const gaps = await database.sql<{ fromSec: number; toSec: number }[]>`
    select from_sec, to_sec from tick_gaps where stream = ${streamId(stream)} or stream is null`
  return secs.flatMap((sec, index) => {
    const next = secs[index + 1] ?? sec
    const isRecorded = gaps.some(({ fromSec, toSec }) => fromSec <= sec && toSec >= next)
    return next - sec <= STEP_SEC_MAX || isRecorded ? [] : [{ after: sec, before: next }]
  })
}

test(`${LIVES_MS.length} times killed: nothing twice, ${LOST_MS_MAX} ms lost at most, and fetched again where it can be`, async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const sim = await openSimulatedPrices()
  await insertPast(database.sql, sim)
  const firstSec = sim.now() / 1_000 + 1
  const { origin, served } = letLive(sim)
  const environment = sim.environment(['rtds', 'chainlink'])
  const { target } = database
  let next = makeReady({ target, environment, ...origin }, sim)

  for (const lifeMs of LIVES_MS) {
    const collector = next
    await collector.start()
    const bornMs = performance.now()
    next = makeReady({ target, environment, ...origin }, sim)
    await sleep(lifeMs)
    const diedMs = performance.now()
    await collector.kill()
    const safe = served.filter(({ atMs }) => atMs > bornMs && atMs < diedMs - LOST_MS_MAX)
    expect(safe.length > 0).toBe(lifeMs > LOST_MS_MAX)
    for (const stream of SIMULATED_STREAMS.rtds) {
      const secs = await readSecs(database, stream, firstSec)
      // The platform sends a second when it is over.
      expect(secs).toEqual(expect.arrayContaining(safe.map(({ sec }) => sec - 1)))
      expect(secs).toHaveLength(new Set(secs).size)
    }
  }

  await next.start()
  const lastSec = Math.floor(sim.now() / 1_000)
  const all = Array.from({ length: lastSec - firstSec + 1 }, (_, index) => firstSec + index)
  for (const stream of SIMULATED_STREAMS.chainlink) {
    await vi.waitFor(
      async () => {
        const secs = await readSecs(database, stream, firstSec)
        expect(secs.filter((sec) => sec <= lastSec)).toEqual(all)
      },
      { timeout: 60_000, interval: 50 },
    )
  }
  await next.kill()
  for (const stream of SIMULATED_STREAMS.rtds) {
    const secs = await readSecs(database, stream, firstSec)
    expect(await findLost(database, stream, secs)).toEqual([])
  }
})
