import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { counts } from '../counts.js'
import { expectSameBooks } from './book-checkpoint.js'
import { Recorder } from './recorder.js'
import { makeTrouble, openStreamWorld, type StreamWorld } from './stream-world.js'
import { openStrictClients, type StrictClients } from './strict-clients.js'
import { expectTruth } from './truth.js'

/** One stretch of trouble. After each the universe stands still and everything is compared. */
const STRETCH_MS = counts({ short: 8_000, long: 60_000 })
const STRETCHES = counts({ short: 1, long: 10 })
/** Frames that were lost without a sign show only when further ones come. */
const SETTLING_MS = counts({ short: 4_000, long: 25_000 })

const BOOK_FAULTS = [
  { upstream: 'clob_ws', mode: 'drop', seconds: 0.5 },
  { upstream: 'clob_ws', mode: 'duplicate', rate: 0.5, seconds: 2 },
  { upstream: 'clob_ws', mode: 'slow', rate: 0.3, delayMs: 300, seconds: 2 },
  { upstream: 'clob_ws', mode: 'garbage', rate: 0.2, seconds: 1 },
  { upstream: 'rtds', mode: 'drop', seconds: 0.5 },
  ...counts({
    short: [],
    long: [
      { upstream: 'clob_ws', mode: 'silent', seconds: 1.5 },
      { upstream: 'clob_ws', mode: 'half-open', seconds: 1 },
      { upstream: 'clob_ws', mode: 'truncated', rate: 0.2, seconds: 1 },
      { upstream: 'live_v2', mode: 'drop', seconds: 1 },
    ],
  }),
]

let world: StreamWorld
let strict: StrictClients
let recorder: Recorder
let sinceMs: number
const notices: string[] = []

describe('everything at once, with faults and reorganisations', () => {
  beforeAll(async () => {
    world = await openStreamWorld({ seed: 41 })
    const [url = ''] = await world.createAddresses()
    recorder = new Recorder({ notices })
    await recorder.connect(url)
    sinceMs = Date.now()
    strict = await openStrictClients(world, notices)
  }, 90_000)
  afterAll(() => world.close())

  test(
    `after trouble (stretches: ${STRETCHES}) confirmed messages equal the chain, books those of the host`,
    async () => {
      const { proven, plain } = strict.books
      for (let stretch = 1; stretch <= STRETCHES; stretch++) {
        const trouble = makeTrouble(world, { seed: stretch, forMs: STRETCH_MS, more: BOOK_FAULTS })
        await delay(STRETCH_MS / 2)
        const cut = strict.all[stretch % strict.all.length]
        cut?.cut()
        proven.resync([...proven.books.keys()].slice(0, 2))
        await trouble
        await world.order({ upstream: '*', mode: 'off' })
        await delay(SETTLING_MS)
        const { hash, number: headBlock } = await world.freeze()
        await recorder.untilBlock(hash)
        const nodeUrl = world.simulator.upstreams.polygon_http
        const seen = await expectTruth(recorder.messages, { nodeUrl, headBlock, sinceMs })
        expect(seen.fills).toBeGreaterThan(10 * stretch)
        for (const client of [proven, plain]) await expectSameBooks(client, world.universe)
        world.thaw()
      }
      expect(recorder.messages.filter(({ type }) => type === 'reorg').length).toBeGreaterThan(0)
      await recorder.close()
    },
    STRETCHES * (STRETCH_MS + SETTLING_MS + 40_000),
  )

  test('strict clients raise no notice', async () => {
    await strict.close()
    expect(notices).toEqual([])
  })

  test('they hand on everything that they were sent and asked for', () => {
    const { everything, oneMarket, shortForm, coinPrices } = strict.events
    for (const client of [everything, coinPrices]) expect(client.dropped).toEqual([])
    // A token filter of ours finds a settlement by all of its orders, theirs by the taker's token. And
    // replayed events may be older than what the service knows of their markets.
    const others = [oneMarket, shortForm]
      .flatMap(({ dropped }) => dropped)
      .filter(({ event }) => event.type !== 'settlement' && event.timestamp >= sinceMs)
    expect(others).toEqual([])
    const types = new Set(everything.subscriptions.flatMap(({ events }) => events.map(typeOf)))
    expect([...types]).toEqual(
      expect.arrayContaining(['settlement', 'trade', 'status_update', 'block', 'fill']),
    )
    expect(coinPrices.subscriptions[0]?.events.length).toBeGreaterThan(10)
    expect(shortForm.subscriptions.map(({ events }) => events.length > 0)).toEqual([true, true])
  })
})

const typeOf = ({ type }: { type: string }) => type
