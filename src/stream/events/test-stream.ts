import { createTestDatabase, storeOf, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import type { PlanId } from '../../accounts/plans.js'
import { Bus, type BusOptions } from '../../bus/bus.js'
import { type EventDraft, type EventKeys, NO_KEYS } from '../../bus/event.js'
import { loadConfig } from '../../config/config.js'
import type { Clock } from '../../core/clock.js'
import { EventLog } from '../../events/event-log.js'
import { createLog } from '../../lib/log.js'
import { createPlatform } from '../../platform.js'
import { createDomains } from '../../service.js'
import type { Sql } from '../../store/connection.js'
import { BookFeed } from '../books/book-feed.js'
import { StreamHub } from '../hub.js'
import { RecordingConnection } from '../test-connection.js'
import { EventProtocol } from './event-protocol.js'

type TestStreamOptions = Partial<BusOptions> & {
  bus?: Bus
  clock?: Clock
  /** Of another stream, which closes it. */
  database?: TestDatabase
}

/** The event stream of one process, without sockets. */
export async function openTestStream(options: TestStreamOptions = {}) {
  const { bus: ownBus, clock, database: shared, ...limits } = options
  const database = shared ?? (await createTestDatabase())
  const manualClock = new ManualClock()
  const time = clock ?? manualClock
  const logged: string[] = []
  const log = createLog('warn', { write: (line) => logged.push(line) })
  const bus = ownBus ?? new Bus({ clock: time, log, ...limits })
  const { sql, control } = database
  const store = storeOf(sql, control)
  const { config } = loadConfig({})
  const platform = createPlatform({ config, log, store, clock: time })
  const { stream } = createDomains(platform, { target: database.target })
  const ctx = { ...stream, bus, eventLog: new EventLog({ store, bus, clock: time }) }
  const { priceBus } = ctx
  const hub = new StreamHub(ctx)
  const feed = new BookFeed(ctx)
  const connect = (
    plan: PlanId = 'enterprise',
    accountId = 1,
    deps: Partial<typeof ctx> = {},
    isBySubscription = false,
  ) => {
    const connection = new RecordingConnection(plan, accountId)
    const protocol = new EventProtocol({ ...ctx, ...deps }, connection, hub, feed, { isBySubscription })
    const say = async (message: object | string) => {
      const text = typeof message === 'string' ? message : JSON.stringify(message)
      await protocol.onMessage(text)
      return connection.take()
    }
    const subscribe = (type: string | undefined, filters: object = {}) =>
      say({ action: 'subscribe', type, filters })
    return { connection, protocol, say, subscribe }
  }
  const close = async () => {
    hub.close()
    if (shared === undefined) await database.drop()
  }
  return {
    database,
    sql: database.sql,
    clock: manualClock,
    bus,
    priceBus,
    ctx,
    hub,
    logged,
    connect,
    close,
  }
}

export type TestStream = Awaited<ReturnType<typeof openTestStream>>
export type TestClient = ReturnType<TestStream['connect']>

export const draftOf = (
  type: string,
  data: Record<string, unknown> = {},
  keys: Partial<EventKeys> = {},
  timestampMs = 1_794_000_000_000,
): EventDraft => ({
  type,
  timestampMs,
  data: { event_type: type, ...data },
  keys: { ...NO_KEYS, ...keys },
})

export const priceOf = (feed: string, priceSource = 'spot', timestampMs = 0): EventDraft => ({
  type: 'price_feed',
  timestampMs,
  data: { feed, price: 1, bid: 1, ask: 1, timestamp: timestampMs / 1000 },
  keys: { ...NO_KEYS, feed, priceSource },
  head: { type: 'price_feed', feed, timestamp: timestampMs / 1000 },
})

type TestMarket = { slug: string; eventSlug: string; condition: string; tokens: readonly string[] }

/** Writes markets as the sync of the catalogue would. Ids are hex text. */
export async function insertMarkets({ sql }: { sql: Sql }, markets: readonly TestMarket[]) {
  const flags = { active: true, archived: false, closed: false, neg_risk: false }
  const common = { ...flags, first_seen: new Date(0) }
  const books = { accepting_orders: true, enable_order_book: true, outcomes: ['Yes', 'No'] }
  const slugs = [...new Set(markets.map(({ eventSlug }) => eventSlug))]
  const toBytes = (hex: string) => `\\x${hex.slice(2)}`
  const events = slugs.map((slug, id) => ({ id, slug, ...common }))
  const rows = markets.map(({ slug, eventSlug, condition, tokens }, id) => ({
    id,
    slug,
    event: slugs.indexOf(eventSlug),
    ...common,
    ...books,
    condition: toBytes(condition),
    tokens: tokens.map(toBytes),
  }))
  const insert = (table: 'events' | 'markets', objects: readonly object[]) => sql`
    insert into ${sql(table)}
    select * from json_populate_recordset(
      null::${sql(table)}, ${JSON.stringify(objects)}::text::json)`
  await insert('events', events)
  await insert('markets', rows)
}
