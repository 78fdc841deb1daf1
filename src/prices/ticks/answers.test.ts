import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StreamTick } from '../archive/queries.js'
import { firstTicks, idOf, makeTick, NOON_SEC } from '../archive/test-archive.js'
import { TICK_SOURCES } from '../streams.js'
import { openTickApp, openTwin, showTicks, type TickApp } from './test-tick-app.js'

const SPAN_SEC = 1_500
const SPAN_MS = SPAN_SEC * 1000
const MINUTE_MS = 60_000

let t: TickApp
let twin: FastifyInstance
/** Every run has hours of its own: for those who remember blocks time goes on. */
let startSec = NOON_SEC
beforeAll(async () => {
  t = await openTickApp()
  twin = await openTwin(t)
})
afterAll(async () => {
  await twin.close()
  await t.close()
})

const positive = () =>
  fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true, noDefaultInfinity: true })

const quotes = () =>
  fc.oneof(
    fc.record({ price: positive() }),
    fc.record({ price: positive(), bid: positive(), ask: positive() }),
  )

type Step = { ticks: StreamTick[]; packSec: number | null; isRequested: boolean }

/** What happens in seconds that count from 0: ticks in any order, packing at any time. */
const steps = (): fc.Arbitrary<Step[]> => {
  const secs = fc.oneof(fc.nat(SPAN_SEC - 1), fc.integer({ min: 297, max: 303 }))
  const tick = fc
    .tuple(secs, fc.constantFrom(...TICK_SOURCES), fc.constantFrom('BTC', 'BTC', 'ETH'), quotes())
    .map(([sec, source, symbol, quote]) => makeTick(sec, { source, symbol, ...quote }))
  const step = fc.record({
    ticks: fc.array(tick, { minLength: 10, maxLength: 60, size: 'max' }),
    packSec: fc.option(fc.nat(SPAN_SEC + 600)),
    isRequested: fc.boolean(),
  })
  return fc.array(step, { minLength: 1, maxLength: 6 })
}

const BITCOIN = [idOf(), idOf({ source: 'oracle_data_streams' })]

const all = () => ({ from: startSec * 1000, to: startSec * 1000 + SPAN_MS, limit: 100_000 })

/** Does all of it in new hours. Returns what there must be of Bitcoin. */
async function play(list: readonly Step[]) {
  startSec += 7_200
  t.clock.advance(MINUTE_MS)
  const inserted: StreamTick[] = []
  const expected = () => showTicks(firstTicks(inserted))
  for (const { ticks, packSec, isRequested } of list) {
    const moved = ticks.map((tick) => ({ ...tick, sec: startSec + tick.sec }))
    await t.insert(...moved)
    inserted.push(...moved.filter(({ stream }) => BITCOIN.includes(stream)))
    if (packSec !== null) await t.packAt(startSec + packSec)
    if (isRequested) expect((await t.read(all())).ticks).toEqual(expected())
  }
  return expected()
}

describe('whatever came late, is packed or was requested before', () => {
  test('an answer has the first tick of each second and source, in order, to the last bit', async () => {
    await fc.assert(
      fc.asyncProperty(steps(), async (list) => {
        const expected = await play(list)
        const body = await t.read(all())
        expect(body).toMatchObject({ count: expected.length, truncated: false })
        expect(body.ticks).toEqual(expected)
        expect(await t.read(all(), twin)).toEqual(body)
      }),
      { numRuns: 15 },
    )
  })

  test('ranges side by side have together what one range has', async () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: SPAN_SEC - 2 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(steps(), cuts, fc.nat(999), async (list, secs, offsetMs) => {
        const expected = await play(list)
        const { from, to } = all()
        const inner = secs.toSorted((a, b) => a - b).map((sec) => from + sec * 1000 + offsetMs)
        const starts = [from, ...inner]
        const ticks = []
        for (const [index, start] of starts.entries()) {
          const end = (starts[index + 1] ?? to + 1) - 1
          ticks.push(...(await t.read({ from: start, to: end })).ticks)
        }
        expect(ticks).toEqual(expected)
      }),
      { numRuns: 10 },
    )
  })

  test('pages of one source have together what one answer has; of all, no second is missing', async () => {
    const limits = fc.integer({ min: 1, max: 40 })
    await fc.assert(
      fc.asyncProperty(steps(), limits, async (list, limit) => {
        const expected = await play(list)
        for (const source of TICK_SOURCES) {
          const pages = await readPages({ limit, source })
          expect(pages).toEqual(expected.filter((tick) => tick.source === source))
        }
        const secs = (ticks: typeof expected) => new Set(ticks.map(({ timestamp }) => timestamp))
        expect(secs(await readPages({ limit }))).toEqual(secs(expected))
      }),
      { numRuns: 10 },
    )
  })
})

/** As the description of the route asks clients to do it. */
async function readPages(query: { limit: number; source?: string }) {
  const ticks = []
  let { from } = all()
  for (let isMore = true; isMore; ) {
    const page = await t.read({ ...all(), ...query, from })
    expect(page.truncated).toBe(page.count === query.limit)
    ticks.push(...page.ticks)
    isMore = page.truncated
    from = (page.ticks.at(-1)?.timestamp_ms ?? 0) + 1
  }
  return ticks
}
