import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest'
import { until } from '../../test/until.js'
import { sumMetric } from '../../test/upstream-socket.js'
import type { BookChange } from './live-book.js'
import type { LiveBooks } from './live-books.js'
import { BookMirror } from './test-book-mirror.js'
import { createExchange, type Exchange, openLiveBooks } from './test-exchange.js'

let exchange: Exchange
let driver: NodeJS.Timeout
/** A second of the universe takes ten milliseconds. */
const liveOn = () => {
  exchange.universe.advance(exchange.universe.nowMs + 1_000)
  driver = setTimeout(liveOn, 10)
}
beforeAll(() => {
  exchange = createExchange()
  liveOn()
})
afterAll(() => clearTimeout(driver))

const waitSeconds = (seconds: number) => {
  const untilMs = exchange.universe.nowMs + seconds * 1_000
  return until(() => exchange.universe.nowMs >= untilMs)
}

const ACCOUNT = 1

const idsOf = (count: number) => exchange.tokenIds.slice(0, count)
const record = (books: LiveBooks): BookChange[] => {
  const changes: BookChange[] = []
  books.subscribe((more) => changes.push(...more))
  return changes
}
const statesOf = (changes: readonly BookChange[], tokenId: string) =>
  changes.flatMap((change) => (change.kind === 'state' && change.tokenId === tokenId ? [change.state] : []))

async function openFollowing(context: TestContext, count: number, options?: object) {
  const opened = await openLiveBooks(exchange, context, options)
  const mirror = new BookMirror(opened.books)
  opened.books.follow(idsOf(count), ACCOUNT)
  const tokens = exchange.tokens.slice(0, count)
  return { ...opened, mirror, tokens, untilTrue: () => opened.untilTrue(tokens) }
}

describe('followed books', () => {
  test.concurrent('load, and are those of the exchange from then on', async (context) => {
    const { expect } = context
    const { books, mirror, tokens, untilTrue } = await openFollowing(context, 6)
    expect(books.get(tokens[0]?.decimal ?? '')?.state).toBe('loading')
    await books.untilLoaded(idsOf(6), 5_000)
    for (const tokenId of idsOf(6)) {
      expect(books.get(tokenId)).toMatchObject({
        state: 'live',
        conditionId: expect.stringMatching(/^0x/),
        hash: expect.stringMatching(/^[0-9a-f]{40}$/),
        tickSize: expect.any(String),
        negRisk: expect.any(Boolean),
      })
    }
    for (let checkpoint = 0; checkpoint < 10; checkpoint++) {
      await waitSeconds(5)
      await untilTrue()
      expect(mirror.differences()).toEqual([])
    }
    expect(mirror.levelChanges).toBeGreaterThan(20)
  })

  test.concurrent.for([...(['drop', 'half-open', 'silent', 'garbage', 'truncated', '429', '500'] as const)])(
    '%s: are stale at once, and live and true again afterwards',
    async (mode, context) => {
      const { expect } = context
      const { books, mirror, breakWith, untilTrue } = await openFollowing(context, 6)
      const changes = record(books)
      await untilTrue()
      breakWith({ mode })
      // What breaks new connections only must meet one.
      if (mode === '429' || mode === '500') breakWith({ mode: 'drop', seconds: 0.05 })
      await until(() => idsOf(6).every((tokenId) => books.get(tokenId)?.state === 'stale'))
      expect(books.status).toMatchObject({ tokens: 6, stale: 6 })
      expect(books.get(idsOf(1)[0] ?? '')?.staleReason).toEqual(expect.any(String))
      breakWith({ mode: 'off' })
      await untilTrue()
      await until(() => books.status.stale === 0)
      expect(mirror.differences()).toEqual([])
      for (const tokenId of idsOf(6)) {
        const states = statesOf(changes, tokenId)
        expect(states.slice(0, 2)).toEqual(['stale', 'live'])
        expect(states.at(-1)).toBe('live')
      }
    },
  )

  test.concurrent.for(['garbage', 'truncated'] as const)(
    '%s now and then: what cannot be read is requested again',
    async (mode, context) => {
      const { expect } = context
      const { mirror, registry, breakWith, untilTrue } = await openFollowing(context, 6)
      await untilTrue()
      breakWith({ mode, rate: 0.1 })
      await waitSeconds(30)
      breakWith({ mode: 'off' })
      await untilTrue()
      expect(mirror.differences()).toEqual([])
      const labels = { reason: 'garbage' }
      expect(await sumMetric(registry, 'auspex_books_stale_total', labels)).toBeGreaterThan(0)
    },
  )

  test.concurrent('frames are lost without a trace: all books are read again now and then', async (context) => {
    const { expect } = context
    const timings = { refreshMs: 300 }
    const { breakWith, mirror, untilTrue } = await openFollowing(context, 6, { timings })
    await untilTrue()
    breakWith({ mode: 'silent', rate: 0.5 })
    await waitSeconds(30)
    breakWith({ mode: 'off' })
    await untilTrue()
    expect(mirror.differences()).toEqual([])
  })

  test.concurrent('are spread over sockets, and each change comes once', async (context) => {
    const { expect } = context
    const limits = { socketTokensMax: 5, lingerMs: 10 }
    const { books, mirror, untilTrue } = await openFollowing(context, 11, { limits })
    await untilTrue()
    expect(books.status).toEqual({ tokens: 11, stale: 0, sockets: 3, openSockets: 3 })
    await waitSeconds(20)
    await untilTrue()
    expect(mirror.differences()).toEqual([])
    expect(mirror.repeats).toBe(0)
    books.release(idsOf(10), ACCOUNT)
    await until(() => books.status.tokens === 1)
    expect(books.status.sockets).toBe(1)
    books.release(idsOf(11), ACCOUNT)
    await until(() => books.status.sockets === 0)
  })

  test.concurrent('are kept while they have readers, and a while longer', async (context) => {
    const { expect } = context
    const opened = await openLiveBooks(exchange, context, { limits: { lingerMs: 300 } })
    const { books } = opened
    const [tokenId = ''] = idsOf(1)
    books.follow([tokenId], ACCOUNT)
    books.follow([tokenId], ACCOUNT)
    const book = books.get(tokenId)
    books.release([tokenId], ACCOUNT)
    books.release([tokenId], ACCOUNT)
    books.follow([tokenId], ACCOUNT)
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(books.get(tokenId)).toBe(book)
    books.release([tokenId], ACCOUNT)
    books.release([tokenId, 'unknown'], ACCOUNT)
    expect(books.get(tokenId)).toBe(book)
    await until(() => books.get(tokenId) === undefined)
    expect(books.status).toEqual({ tokens: 0, stale: 0, sockets: 0, openSockets: 0 })
  })

  test.concurrent('are empty, and live, when the exchange has none', async (context) => {
    const { expect } = context
    const { books } = await openLiveBooks(exchange, context)
    const changes = record(books)
    books.follow(['123', ...idsOf(1)], ACCOUNT)
    await books.untilLoaded(['123', ...idsOf(1)], 5_000)
    expect(books.get('123')).toMatchObject({ state: 'live', bids: [], asks: [] })
    expect(changes).toContainEqual({ kind: 'snapshot', book: books.get('123') })
  })

  test.concurrent('are refused above the limit, unless others are without readers', async (context) => {
    const { expect } = context
    const { books } = await openLiveBooks(exchange, context, { limits: { tokensMax: 3 } })
    const [a = '', b = '', c = '', d = ''] = idsOf(4)
    expect(books.follow([a, b, c, d], ACCOUNT)).toEqual([d])
    books.release([b], ACCOUNT)
    expect(books.follow([d], ACCOUNT)).toEqual([])
    expect([a, b, c, d].map((id) => books.get(id)?.tokenId)).toEqual([a, undefined, c, d])
  })
})

test('waiting for books ends with the time, or when nothing is followed any more', async (context) => {
  const { expect } = context
  const { books, breakWith } = await openLiveBooks(exchange, context)
  breakWith({ mode: 'drop' })
  books.follow(idsOf(2), ACCOUNT)
  await books.untilLoaded(idsOf(2), 30)
  const waiting = books.untilLoaded(idsOf(2), 60_000)
  books.close()
  await waiting
  expect(books.follow(idsOf(1), ACCOUNT)).toEqual(idsOf(1))
})

test('all open markets are followed while there is a reader, and new ones at once', async (context) => {
  const { expect } = context
  const tokenIds = idsOf(20)
  const { books } = await openLiveBooks(exchange, context, {
    limits: { lingerMs: 10 },
    selectOpenTokens: async () => tokenIds,
  })
  books.followAll()
  books.followAll()
  await until(() => tokenIds.every((tokenId) => books.get(tokenId)?.state === 'live'))
  expect([...books.allTokens]).toEqual(expect.arrayContaining(tokenIds))
  await until(() => books.allTokens.size > 20)
  const fresh = [...books.allTokens].filter((tokenId) => !tokenIds.includes(tokenId))
  expect(exchange.universe.catalogue.token(fresh[0] ?? '')).toBeDefined()
  books.releaseAll()
  expect(books.allTokens.size).toBeGreaterThan(20)
  books.releaseAll()
  expect(books.allTokens.size).toBe(0)
  await until(() => books.status.tokens === 0)
})

test('open markets are listed again soon while the catalogue is being read', async (context) => {
  const { expect } = context
  const lists = [[], idsOf(10), idsOf(20)]
  const { books } = await openLiveBooks(exchange, context, {
    limits: { listMs: 3_600_000, listSoonMs: 10 },
    selectOpenTokens: async () => (lists.length > 1 ? (lists.shift() ?? []) : idsOf(20)),
  })
  books.followAll()
  await until(() => idsOf(20).every((tokenId) => books.allTokens.has(tokenId)))
  expect(lists).toHaveLength(1)
})

describe('slots', () => {
  const openPlaces = async (context: TestContext, tokensMax: number, open: readonly string[] = []) => {
    const opened = await openLiveBooks(exchange, context, {
      limits: { tokensMax },
      selectOpenTokens: async (limit) => open.slice(0, limit),
      countOpenTokens: async () => open.length,
    })
    const lost: string[] = []
    opened.books.subscribe(
      () => undefined,
      (tokenIds) => lost.push(...tokenIds),
    )
    return { ...opened, lost }
  }

  test('an account that has them all makes room for another, up to the share of each', async (context) => {
    const { expect } = context
    const { books, lost, registry } = await openPlaces(context, 4)
    const [a = '', b = '', c = '', d = '', e = '', f = '', g = ''] = idsOf(7)
    expect(books.follow([a, b, c, d], 1)).toEqual([])
    // Wanted again: the others go first.
    books.follow([a], 1)
    expect(books.canFollow([e, f], 2)).toBe(true)
    expect(books.canFollow([e, f, g], 2)).toBe(false)
    expect(books.follow([e, f, g], 2)).toEqual([g])
    expect(lost).toEqual([b, c])
    expect([a, b, c, d, e, f].map((id) => books.get(id)?.tokenId)).toEqual([a, undefined, undefined, d, e, f])
    await books.untilLoaded([a, d, e, f], 5_000)
    expect(books.get(f)?.state).toBe('live')
    // Both have their share now.
    expect(books.follow([b], 1)).toEqual([b])
    expect(await sumMetric(registry, 'auspex_books_evicted_total', {})).toBe(2)
    expect(books.status.tokens).toBe(4)
  })

  test('all open markets have theirs, whatever accounts have taken', async (context) => {
    const { expect } = context
    const open = idsOf(20).slice(10)
    const { books, lost } = await openPlaces(context, 10, open)
    expect(books.follow(idsOf(10), 1)).toEqual([])
    books.followAll()
    await until(() => books.allTokens.size === 8)
    expect(lost).toEqual(idsOf(8))
    // Neither the markets above the limit nor those without a slot are left out without a warning.
    await until(() => books.unfollowedCount === 2)
    books.releaseAll()
    expect(books.unfollowedCount).toBe(0)
  })
})

test('all open markets leave room for books that are named', async (context) => {
  const { expect } = context
  const tokenIds = idsOf(9)
  const { books } = await openLiveBooks(exchange, context, {
    limits: { tokensMax: 10 },
    selectOpenTokens: async (limit) => tokenIds.slice(0, limit),
  })
  books.followAll()
  await until(() => books.allTokens.size === 8)
  expect(books.follow(tokenIds, ACCOUNT)).toEqual([])
})
