import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest'
import { createClobSocketHost } from '../../../sim/clob/socket-host.js'
import { Faults } from '../../../sim/server/faults.js'
import { openHost } from '../../../sim/server/host.js'
import type { Level } from '../../../sim/universe/books.js'
import type { Token } from '../../../sim/universe/market.js'
import { Universe } from '../../../sim/universe/universe.js'
import { until } from '../../../test/until.js'
import { countReconnects } from '../../../test/upstream-socket.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { type ClobGap, ClobSocket } from './socket.js'
import type { ClobEvent } from './socket-parse.js'

const HOUR_MS = 3_600_000
/** A busy machine stalls for a second now and then, which is no fault of the peer. */
const TIMEOUT_MS = 1_500

// One universe for all tests, a second of which takes ten milliseconds.
const SECOND_MS = 10
const startMs = Date.UTC(2026, 10, 15, 12)
const universe = new Universe({ seed: 7, startMs, intensity: 0.1 })
let tokens: Token[]
let driver: NodeJS.Timeout
const liveOn = () => {
  universe.advance(universe.nowMs + 1_000)
  driver = setTimeout(liveOn, SECOND_MS)
}
beforeAll(() => {
  universe.advance(startMs)
  tokens = universe.catalogue
    .events()
    .filter(({ endMs }) => endMs > startMs + 4 * HOUR_MS)
    .flatMap(({ markets }) => markets.flatMap((market) => market.tokens))
    .filter((token) => universe.books.book(token) !== undefined)
    .slice(0, 6)
  liveOn()
})
afterAll(() => clearTimeout(driver))

const waitSeconds = (seconds: number) => {
  const untilMs = universe.nowMs + seconds * 1_000
  return until(() => universe.nowMs >= untilMs)
}

type Side = Map<number, number>

/** Books as a reader keeps them: built from what comes, and read again when there was a gap. */
class KeptBooks {
  readonly #books = new Map<string, Record<'BUY' | 'SELL', Side>>()

  apply(event: ClobEvent): void {
    if (event.type === 'book') {
      const toSide = (levels: { price: string; size: string }[]) =>
        new Map(levels.map(({ price, size }) => [toPrice(price), toSize(size)]))
      this.#books.set(event.tokenId, { BUY: toSide(event.bids), SELL: toSide(event.asks) })
    }
    if (event.type !== 'price_change') return
    for (const { tokenId, side, price, size } of event.changes) {
      const levels = this.#books.get(tokenId)?.[side]
      if (toSize(size) === 0) levels?.delete(toPrice(price))
      else levels?.set(toPrice(price), toSize(size))
    }
  }

  readAgain({ tokenIds }: ClobGap): void {
    for (const token of tokens) {
      const { bids = [], asks = [] } = universe.books.book(token) ?? {}
      const toSide = (levels: readonly Level[]) =>
        new Map(levels.map(({ priceE4, sizeE2 }) => [priceE4, sizeE2]))
      if (tokenIds.includes(token.decimal))
        this.#books.set(token.decimal, { BUY: toSide(bids), SELL: toSide(asks) })
    }
  }

  isTrue(token: Token): boolean {
    const kept = this.#books.get(token.decimal)
    const book = universe.books.book(token)
    if (kept === undefined || book === undefined) return kept === book
    return isSame(kept.BUY, book.bids) && isSame(kept.SELL, book.asks)
  }
}

const toPrice = (text: string) => Math.round(Number(text) * 10_000)
const toSize = (text: string) => Math.round(Number(text) * 100)
const isSame = (side: Side, levels: readonly Level[]) =>
  side.size === levels.length && levels.every(({ priceE4, sizeE2 }) => side.get(priceE4) === sizeE2)

async function open({ onTestFinished }: TestContext) {
  const faults = new Faults()
  const host = await openHost('clob_ws', faults, createClobSocketHost(universe))
  const registry = new Registry()
  const books = new KeptBooks()
  const events: ClobEvent[] = []
  const gaps: ClobGap[] = []
  const controller = new AbortController()
  onTestFinished(async () => {
    controller.abort()
    await host.close()
  })
  const socket = new ClobSocket({
    url: `${host.wsUrl}/ws/market`,
    clock: { now: () => universe.nowMs },
    metrics: createUpstreamMetrics(registry),
    log: pino({ level: 'silent' }),
    onEvents: (batch) => {
      events.push(...batch)
      for (const event of batch) books.apply(event)
    },
    onGap: (gap) => {
      gaps.push(gap)
      books.readAgain(gap)
    },
    tuning: {
      heartbeat: { everyMs: 20, text: 'PING' },
      deadAfterMs: TIMEOUT_MS,
      silentAfterMs: TIMEOUT_MS,
      timings: { handshakeMs: TIMEOUT_MS, backoff: { baseMs: 5, maxMs: 40 } },
    },
  })
  socket.subscribe(tokens.map(({ decimal }) => decimal))
  socket.start(controller.signal)
  return {
    socket,
    events,
    gaps,
    reconnects: () => countReconnects(registry),
    untilTrue: () => until(() => tokens.every((token) => books.isTrue(token))),
    breakWith: (order: Omit<Parameters<Faults['set']>[0], 'upstream'>) =>
      faults.set({ upstream: 'clob_ws', ...order }),
  }
}

describe('the market socket', () => {
  test.concurrent.for([...(['drop', 'half-open', 'silent', 'garbage', 'truncated', '429', '500'] as const)])(
    '%s: recovers, reports the gap once, and the books are true again',
    async (mode, context) => {
      const { expect } = context
      const sim = await open(context)
      await sim.untilTrue()
      sim.breakWith({ mode })
      // What breaks new connections only must meet one.
      if (mode === '429' || mode === '500') sim.breakWith({ mode: 'drop', seconds: 0.05 })
      // Silence is noticed when the timeout is over.
      await waitSeconds(mode === 'silent' ? TIMEOUT_MS / SECOND_MS + 60 : 60)
      sim.breakWith({ mode: 'off' })
      await until(() => sim.gaps.length > 0)
      await sim.untilTrue()

      expect(sim.gaps).toHaveLength(1)
      expect(sim.gaps[0]?.tokenIds).toHaveLength(tokens.length)
      expect(await sim.reconnects()).toBeLessThan(50)
      expect(sim.socket.status).toMatchObject({ state: 'open', tokens: tokens.length })
    },
  )

  test.concurrent.for(['garbage', 'truncated'] as const)(
    '%s now and then: what is bad is reported, and the books are true again',
    async (mode, context) => {
      const { expect } = context
      const sim = await open(context)
      await sim.untilTrue()
      sim.breakWith({ mode, rate: 0.2 })
      await waitSeconds(20)
      sim.breakWith({ mode: 'off' })
      await sim.untilTrue()
      expect(sim.gaps.length).toBeGreaterThan(0)
      expect(await sim.reconnects()).toBe(0)
    },
  )

  test.concurrent('many interruptions: one gap for each', async (context) => {
    const { expect } = context
    const sim = await open(context)
    for (const times of [1, 2, 3]) {
      await sim.untilTrue()
      sim.breakWith({ mode: 'drop' })
      sim.breakWith({ mode: 'off' })
      await until(() => sim.gaps.length === times)
    }
    await sim.untilTrue()
    expect(sim.gaps).toHaveLength(3)
    expect(await sim.reconnects()).toBe(3)
  })

  const HARMLESS = ['skew', 'stale', 'missed-heads', 'range-too-large', 'too-many-results'] as const

  test.concurrent.for(['duplicate', 'slow', ...HARMLESS] as const)(
    '%s: nothing is lost, nothing comes twice',
    async (mode, context) => {
      const { expect } = context
      const sim = await open(context)
      await sim.untilTrue()
      sim.breakWith({ mode, delayMs: 30 })
      await waitSeconds(5)
      sim.breakWith({ mode: 'off' })
      await sim.untilTrue()
      expect(sim.gaps).toEqual([])
      expect(await sim.reconnects()).toBe(0)
      const texts = sim.events.map((event) => JSON.stringify(event))
      expect(texts.filter((text, index) => text === texts[index - 1])).toEqual([])
    },
  )
})
