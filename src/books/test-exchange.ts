import { Registry } from 'prom-client'
import type { TestContext } from 'vitest'
import { createClobHost } from '../../sim/clob/host.js'
import { createClobSocketHost } from '../../sim/clob/socket-host.js'
import { Faults } from '../../sim/server/faults.js'
import { openHost } from '../../sim/server/host.js'
import type { Level } from '../../sim/universe/books.js'
import type { Token } from '../../sim/universe/market.js'
import { Universe } from '../../sim/universe/universe.js'
import { until } from '../../test/until.js'
import { loadConfig } from '../config/config.js'
import { systemClock } from '../core/clock.js'
import { createLog } from '../lib/log.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { Upstreams } from '../upstreams/upstreams.js'
import type { LiveBook } from './live-book.js'
import { LiveBooks, type LiveBooksOptions } from './live-books.js'

const HOUR_MS = 3_600_000

/** Timings that tests can wait for. */
const SOCKET_TUNING = {
  heartbeat: { everyMs: 20, text: 'PING' },
  deadAfterMs: 1_000,
  silentAfterMs: 1_000,
  timings: { handshakeMs: 1_000, backoff: { baseMs: 5, maxMs: 40 } },
}
const TIMINGS = { loadMs: 150, doubtMs: 60, retryMs: 50, retryMsMax: 200, probeMs: 100 }

type Finishing = Pick<TestContext, 'onTestFinished'>

export type TestBooksOptions = Partial<
  Pick<LiveBooksOptions, 'limits' | 'timings' | 'clock' | 'selectOpenTokens' | 'countOpenTokens'>
>

/** A universe that passes when the test says so, and tokens that trade in it for hours. */
export function createExchange({ intensity = 0.1 } = {}) {
  const startMs = Date.UTC(2026, 10, 15, 12)
  const universe = new Universe({ seed: 7, startMs, intensity })
  universe.advance(startMs)
  const tokens = universe.catalogue
    .events()
    .filter(({ endMs }) => endMs > startMs + 4 * HOUR_MS)
    .flatMap(({ markets }) => markets.flatMap((market) => market.tokens))
    .filter((token) => universe.books.book(token) !== undefined)
  return { universe, tokens, tokenIds: tokens.map(({ decimal }) => decimal) }
}

export type Exchange = ReturnType<typeof createExchange>

/** The production books on the hosts of the universe, with faults of their own. */
export async function openLiveBooks(
  { universe }: Pick<Exchange, 'universe'>,
  { onTestFinished }: Finishing,
  options: TestBooksOptions = {},
) {
  const faults = new Faults()
  const socketHost = await openHost('clob_ws', faults, createClobSocketHost(universe))
  const httpHost = await openHost('clob', faults, createClobHost(universe))
  const { books, registry, upstreams } = openBooksOf(
    { http: httpHost.url, socket: `${socketHost.wsUrl}/ws/market` },
    options,
  )
  onTestFinished(async () => {
    books.close()
    await upstreams.close()
    await Promise.all([socketHost.close(), httpHost.close()])
  })
  return {
    books,
    registry,
    /** Waits until the books are those of the universe at this moment. */
    untilTrue: (tokens: readonly Token[]) =>
      until(() => tokens.every((token) => isTrue(universe, token, books.get(token.decimal)))),
    /** The socket, unless another upstream is named. */
    breakWith: (order: Partial<Parameters<Faults['set']>[0]> & Pick<Parameters<Faults['set']>[0], 'mode'>) =>
      faults.set({ upstream: 'clob_ws', ...order }),
  }
}

/** Books that are read from these addresses. */
export function openBooksOf(urls: { http: string; socket: string }, options: TestBooksOptions = {}) {
  const { config } = loadConfig({ AUSPEX_CLOB_URL: urls.http, AUSPEX_CLOB_WS_URL: urls.socket })
  const registry = new Registry()
  const log = createLog('silent', process.stderr)
  const metrics = createUpstreamMetrics(registry)
  const upstreams = new Upstreams(config, { metrics, clock: systemClock, log })
  const books = new LiveBooks({
    upstreams: {
      clob: upstreams.clob,
      followBooks: (listener) => upstreams.followBooks({ ...listener, tuning: SOCKET_TUNING }),
    },
    selectOpenTokens: options.selectOpenTokens ?? (async () => []),
    countOpenTokens: options.countOpenTokens ?? (async () => 0),
    log,
    clock: options.clock,
    registry,
    limits: options.limits,
    timings: { ...TIMINGS, ...options.timings },
  })
  return { books, registry, upstreams }
}

/** Whether a book is live and has the levels of the universe. */
export function isTrue(universe: Universe, token: Token, kept: LiveBook | undefined): boolean {
  if (kept?.state !== 'live') return false
  const { bids = [], asks = [] } = universe.books.book(token) ?? {}
  return isSame(kept.bids, bids) && isSame(kept.asks, asks)
}

const isSame = (kept: LiveBook['bids'], levels: readonly Level[]): boolean =>
  kept.length === levels.length &&
  levels.every(({ priceE4, sizeE2 }, index) => {
    const level = kept[index]
    return level?.price === String(priceE4 / 10_000) && level.size === String(sizeE2 / 100)
  })
