import { isDeepStrictEqual } from 'node:util'
import { Registry } from 'prom-client'
import type { TestContext } from 'vitest'
import { presentBook } from '../../../sim/clob/order-book.js'
import type { Book } from '../../../sim/universe/books.js'
import type { Market, Token } from '../../../sim/universe/market.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestDatabase, storeOf } from '../../../test/database.js'
import { until } from '../../../test/until.js'
import { DatabaseReads } from '../../accounts/database-reads.js'
import type { PlanId } from '../../accounts/plans.js'
import { WorkShares } from '../../accounts/work-shares.js'
import { openLiveBooks, type TestBooksOptions } from '../../books/test-exchange.js'
import { Catalogue } from '../../catalogue/catalogue.js'
import { toKnownMarket } from '../../catalogue/market-info.js'
import { systemClock } from '../../core/clock.js'
import { FloodLog } from '../../lib/flood-log.js'
import { createLog } from '../../lib/log.js'
import type { SharedFrame } from '../fast/shared-frame.js'
import { RecordingConnection } from '../test-connection.js'
import { BookFeed } from './book-feed.js'
import { BookProtocol } from './book-protocol.js'
import { BookReader } from './test-book-reader.js'
import { insertBookMarkets, insertTokens } from './test-catalogue-rows.js'

/** A second of the universe takes this long. */
const SECOND_MS = 10
const WINDOW_MS = 20
const START_MS = Date.UTC(2026, 10, 15, 12)
/** Markets trade for this long at least. */
const LIFE_MS = 4 * 3_600_000
/** So that they trade a few times a minute. */
const INTENSITY = 10

export type BookWorld = Awaited<ReturnType<typeof openBookWorld>>

type ConnectOptions = {
  integrity?: boolean
  nextSubscriptionId?: () => string
  accountId?: number
  plan?: PlanId
}

type Finishing = Pick<TestContext, 'onTestFinished'>
type FeedOptions = ConstructorParameters<typeof BookFeed>[1]

/** An exchange that lives on quickly, and a catalogue of some of its markets. */
export async function openBookWorld() {
  const universe = new Universe({ seed: 7, startMs: START_MS, intensity: INTENSITY })
  universe.advance(START_MS)
  const markets = universe.catalogue
    .events()
    .filter(({ endMs }) => endMs > START_MS + LIFE_MS)
    .flatMap((event) => event.markets)
    .filter(({ tokens: [token] }) => universe.books.book(token) !== undefined)
  const tokens = markets.flatMap((market) => market.tokens)
  const database = await createTestDatabase()
  await insertBookMarkets(
    database.sql,
    markets.map((market) => ({
      id: Number(market.id),
      eventId: Number(market.event.id),
      eventSlug: market.event.slug,
      slug: market.slug,
      conditionId: market.conditionId,
      tokens: market.tokens.map(({ word }) => `0x${word}`),
    })),
  )
  await database.sql`update catalogue_state set phase = 'done'`
  const catalogue = new Catalogue(systemClock)
  for (const market of markets) catalogue.put(toKnownMarket(rowOf(market)))
  const log = createLog('silent', process.stderr)
  let driver: NodeJS.Timeout
  const liveOn = () => {
    universe.advance(universe.nowMs + 1_000)
    driver = setTimeout(liveOn, SECOND_MS)
  }
  liveOn()

  /** Production books, their feed, and connections to it. */
  const open = async (context: Finishing, options: { feed?: FeedOptions; books?: TestBooksOptions } = {}) => {
    const opened = await openLiveBooks({ universe }, context, options.books)
    const registry = new Registry()
    const shares = new WorkShares({ registry })
    const reads = new DatabaseReads({ store: storeOf(database.sql), shares, registry })
    const shared = { shares, reads, books: opened.books, catalogue, log }
    const ctx = { ...shared, clock: systemClock, floodLog: new FloodLog(log) }
    const feed = new BookFeed(ctx, { windowMs: WINDOW_MS, ...options.feed })
    context.onTestFinished(() => feed.close())
    return {
      ...opened,
      feed,
      shares,
      connect: (options: ConnectOptions = {}) => {
        const { integrity = false, nextSubscriptionId, accountId = 1, plan = 'enterprise' } = options
        const connection = new FrameConnection(plan, accountId)
        const protocol = new BookProtocol(ctx, connection, feed, { integrity, nextSubscriptionId })
        const send = (message: object) => protocol.onMessage(JSON.stringify(message))
        /** Waits for a message of this type after the first ones, this many. */
        const untilType = (type: string, from = 0) =>
          until(() => connection.messages.slice(from).some((message) => message.type === type))
        return { connection, protocol, send, untilType, reader: new BookReader(connection) }
      },
    }
  }
  /** The catalogue has these tokens, which are not on the exchange. */
  const addTokens = (tokenIds: readonly string[]) => insertTokens(database.sql, tokenIds)
  const waitSeconds = (seconds: number) => {
    const untilMs = universe.nowMs + seconds * 1_000
    return until(() => universe.nowMs >= untilMs)
  }
  /** The exchange stands still until the client trusts its books and they are those of the exchange. */
  const untilTrue = async ({ reader }: { reader: BookReader }, wanted: readonly Token[]) => {
    clearTimeout(driver)
    const isTrue = (token: Token) =>
      isDeepStrictEqual(reader.levels(token.decimal), levelsOf(universe.books.book(token))) &&
      !reader.stale.has(token.decimal)
    await until(() => wanted.every(isTrue)).finally(liveOn)
  }
  const close = async () => {
    clearTimeout(driver)
    await database.drop()
  }
  return { universe, markets, tokens, addTokens, waitSeconds, untilTrue, sql: database.sql, open, close }
}

/** Keeps the frames too, which connections share. */
export class FrameConnection extends RecordingConnection {
  readonly frames: SharedFrame[] = []

  override push(frame: SharedFrame): void {
    this.frames.push(frame)
    super.push(frame)
  }
}

export const idsOf = (tokens: readonly Token[]): string[] => tokens.map(({ decimal }) => decimal)

function levelsOf(book: Book | undefined) {
  if (book === undefined) return { bids: [], asks: [] }
  const { bids, asks } = presentBook(book)
  return { bids: bids.toReversed(), asks: asks.toReversed() }
}

const rowOf = (market: Market) => ({
  condition: market.conditionId.slice(2),
  question: market.question,
  slug: market.slug,
  image: null,
  eventTitle: market.event.title,
  eventSlug: market.event.slug,
  closed: false,
  negRisk: false,
  tickSize: null,
  takerBaseFee: null,
  outcomes: market.outcomes,
  tokens: market.tokens.map(({ word }) => word),
})
