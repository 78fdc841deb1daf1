import assert from 'node:assert'
import { Registry } from 'prom-client'
import { DEFAULT_PLANS } from '../src/accounts/plans.js'
import { LiveBooks } from '../src/books/live-books.js'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { loadConfig } from '../src/config/config.js'
import { systemClock } from '../src/core/clock.js'
import { createLog } from '../src/lib/log.js'
import { BookFeed } from '../src/stream/books/book-feed.js'
import { BookFollower } from '../src/stream/books/book-groups.js'
import type { SharedFrame } from '../src/stream/fast/shared-frame.js'
import { createUpstreamMetrics } from '../src/upstreams/transport/metrics.js'
import { Upstreams } from '../src/upstreams/upstreams.js'
import type { Bench } from './lib/bench.js'
import { BookExchange } from './lib/book-exchange.js'

const UPDATES_PER_SEC_MIN = 5_000
const MARKETS = 1_000
const FRAMES = 10_000
/** What a quarter of a second brings at that speed: more would be merged into fewer messages. */
const WINDOW_UPDATES = UPDATES_PER_SEC_MIN / 4
const INTEGRITY_TOKENS = 500
const LOAD_MS_MAX = 30_000

export const books: Bench = {
  name: 'books',
  promise: 'updates of order books, from the socket to compressed batches, against the limit',
  ratioMin: 1,
  unit: 'updates per second of one core',
  async prepare() {
    const exchange = await BookExchange.open(MARKETS)
    const { live, upstreams, feed } = openFeed(exchange)
    let updates = 0
    live.subscribe((changes) => {
      const before = Math.floor(updates / WINDOW_UPDATES)
      for (const { kind } of changes) if (kind === 'level') updates += 1
      if (Math.floor(updates / WINDOW_UPDATES) > before) feed.flush()
    })
    await live.untilLoaded(exchange.tokenIds, LOAD_MS_MAX)
    assert(live.status.stale === 0, 'all books are loaded')
    return {
      ours: async () => {
        const [from, started] = [updates, process.cpuUsage()]
        await exchange.send(FRAMES)
        while (updates - from < FRAMES * 2) await new Promise(setImmediate)
        const { user, system } = process.cpuUsage(started)
        assert(live.status.stale === 0, 'all books are live')
        return (updates - from) / ((user + system) / 1_000_000)
      },
      yardstick: async () => UPDATES_PER_SEC_MIN,
      close: async () => {
        feed.close()
        live.close()
        await upstreams.close()
        exchange.close()
      },
    }
  },
}

/** One client follows all books by name, one some of them with checksums; both are compressed. */
function openFeed(exchange: BookExchange) {
  const { config } = loadConfig({ AUSPEX_CLOB_WS_URL: exchange.url })
  const registry = new Registry()
  const log = createLog('warn', process.stderr)
  const metrics = createUpstreamMetrics(registry)
  const upstreams = new Upstreams(config, { metrics, clock: systemClock, log })
  const selectOpenTokens = async () => []
  const live = new LiveBooks({ upstreams, selectOpenTokens, countOpenTokens: async () => 0, log, registry })
  const context = { books: live, catalogue: new Catalogue(systemClock), clock: systemClock, log }
  const feed = new BookFeed(context, { windowMs: 2 ** 30 })
  feed.join(createFollower(), exchange.tokenIds, false)
  feed.join(createFollower(), exchange.tokenIds.slice(0, INTEGRITY_TOKENS), true)
  return { live, upstreams, feed }
}

/** A client that takes everything at once. */
function createFollower(): BookFollower {
  const connection = {
    id: 'bench',
    caller: {
      keyId: 1,
      accountId: 1,
      plan: DEFAULT_PLANS.enterprise,
      scope: 'full' as const,
      expiresAtMs: Number.POSITIVE_INFINITY,
    },
    send: () => undefined,
    push: (frame: SharedFrame) => void frame.deflated,
    drained: async () => true,
    close: () => undefined,
    takeFirehose: async () => true,
    releaseFirehose: () => undefined,
  }
  return new BookFollower(connection, (error) => {
    throw error
  })
}
