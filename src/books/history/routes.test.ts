import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { parseCsv } from '../../../test/read-rows.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import { parseTokenId } from '../../core/ids.js'
import { insertBookMarkets } from '../../stream/books/test-catalogue-rows.js'
import { openRecording, type TestRecording } from '../recording/test-recording.js'
import { createExchange, type Exchange } from '../test-exchange.js'

const SLUG = 'recorded-market'

let exchange: Exchange
let recording: TestRecording
let t: TestApp
let key: string
let tokenIds: string[]
let conditionId: string
/** Books of both outcomes as the exchange had them, by the moment. */
const truth = new Map<number, ExchangeBook[]>()
/** The recorder was stopped between these moments. */
let gap: { fromMs: number; toMs: number }
let startMs: number
let endMs: number
const finished: (() => unknown)[] = []
/** A context that lasts as long as the tests. */
const context: Pick<TestContext, 'onTestFinished'> = {
  onTestFinished: (close) => void finished.push(close as () => unknown),
}

type ExchangeBook = { bids: Level[]; asks: Level[] }
type Level = { price: string; size: string }

beforeAll(async () => {
  exchange = createExchange({ intensity: 20 })
  const database = await createTestDatabase()
  const [market] = exchange.universe.catalogue
    .events()
    .flatMap(({ markets }) => markets)
    .filter(({ tokens: [token] }) => exchange.tokens.includes(token))
  if (market === undefined) throw new Error('no market has books')
  tokenIds = market.tokens.map(({ decimal }) => decimal)
  conditionId = market.conditionId
  await insertBookMarkets(database.sql, [
    {
      id: 1,
      eventId: 1,
      eventSlug: 'event',
      slug: SLUG,
      conditionId,
      tokens: tokenIds.map((id) => parseTokenId(id) ?? ''),
    },
  ])
  recording = await openRecording(context, { exchange, tokens: [...market.tokens], sql: database.sql })
  startMs = exchange.universe.nowMs
  await passSeconds(20)
  await recording.untilWritten()
  await recording.stop()
  const stoppedMs = exchange.universe.nowMs
  await passSeconds(10)
  recording.start()
  await until(() => recording.recorder.tokens === recording.tokens.length)
  gap = { fromMs: stoppedMs, toMs: exchange.universe.nowMs }
  await passSeconds(20)
  endMs = exchange.universe.nowMs
  exchange.universe.advance(endMs + 1)
  await recording.untilWritten()
  await recording.stop()
  t = await createTestApp({ database })
  t.clock.set(endMs)
  key = (await t.createCaller('enterprise')).key
})
afterAll(async () => {
  for (const close of finished.reverse()) await close()
  await t?.close()
})

async function passSeconds(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await recording.pass(1)
    truth.set(exchange.universe.nowMs, recording.tokens.map(bookOfExchange))
  }
}

function bookOfExchange(token: Exchange['tokens'][number]): ExchangeBook {
  const { bids = [], asks = [] } = exchange.universe.books.book(token) ?? {}
  const toLevels = (levels: typeof bids) =>
    levels.map(({ priceE4, sizeE2 }) => ({ price: String(priceE4 / 10_000), size: String(sizeE2 / 100) }))
  return { bids: toLevels(bids), asks: toLevels(asks) }
}

const get = (path: string) => t.app.inject({ url: path, headers: { 'x-api-key': key } })

const isInGap = (ms: number) => ms >= gap.fromMs && ms < gap.toMs

const PATHS = () =>
  [
    [`/v3/markets/${tokenIds[0]}`, 1],
    [`/v3/markets/condition/${conditionId}`, 2],
    [`/v3/markets/slug/${SLUG}`, 2],
  ] as const

describe('GET /v3/markets/{token_id}/book', () => {
  test('200: the book of the exchange at every recorded moment, and 404 with the spans around a gap', async () => {
    for (const [atMs, [expected]] of truth) {
      const reply = await get(`/v3/markets/${tokenIds[0]}/book?at=${atMs}&levels=0`)
      if (isInGap(atMs)) {
        expect(reply.statusCode).toBe(404)
        expect(reply.json()).toMatchObject({
          error: 'book not recorded',
          recorded_before: { token_id: tokenIds[0], from: expect.any(Number) },
          recorded_after: { token_id: tokenIds[0], from: expect.any(Number) },
        })
      } else {
        expect(reply.statusCode, reply.body).toBe(200)
        expect(reply.json()).toMatchObject({ token_id: tokenIds[0], outcome: 'Yes', at: atMs, ...expected })
      }
    }
    expect([...truth.keys()].filter((ms) => !isInGap(ms)).length).toBeGreaterThan(30)
  })

  test('200: the newest book without `at`, and both outcomes of a condition or slug', async () => {
    for (const [path, outcomes] of PATHS()) {
      const body = (await get(`${path}/book?levels=0`)).json()
      const books = outcomes === 1 ? [body] : body.books
      expect(books).toMatchObject((truth.get(endMs) ?? []).slice(0, outcomes))
    }
  })

  test('200: the best levels alone, with the middle and the spread', async () => {
    const [atMs = 0] = truth.keys()
    const [{ bids, asks } = { bids: [], asks: [] }] = truth.get(atMs) ?? []
    const body = (await get(`/v3/markets/${tokenIds[0]}/book?at=${atMs}&levels=2`)).json()
    expect(body.bids).toEqual(bids.slice(0, 2))
    expect(body).toMatchObject({ best_bid: bids[0]?.price, best_ask: asks[0]?.price })
    expect(Number(body.spread)).toBeCloseTo(Number(asks[0]?.price) - Number(bids[0]?.price), 8)
    expect(Number(body.mid)).toBeCloseTo((Number(asks[0]?.price) + Number(bids[0]?.price)) / 2, 8)
  })

  test('404: before the recording the next span is named', async () => {
    const reply = await get(`/v3/markets/${tokenIds[0]}/book?at=${startMs - 3_600_000}`)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ recorded_before: null, recorded_after: { token_id: tokenIds[0] } })
  })

  test.each([
    ['a token that is nowhere', '/v3/markets/1234567/book', 'book not recorded'],
    ['a slug that is nowhere', '/v3/markets/slug/nothing/book', 'market token not found'],
    ['a token that is too large', `/v3/markets/${'9'.repeat(78)}/book`, 'market token not found'],
  ])('404: %s', async (_why, path, error) => {
    const reply = await get(path)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ error })
  })

  test.each([
    ['at', 'at=yesterday'],
    ['at', 'at=1793000000'],
    ['levels', 'levels=-1'],
    ['levels', 'levels=1001'],
  ])('400: %s: %s', async (field, query) => {
    const reply = await get(`/v3/markets/${tokenIds[0]}/book?${query}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.body).toContain(field)
  })
})

describe('GET /v3/markets/{token_id}/book/history', () => {
  const range = () => `from=${startMs + 1}&to=${endMs}&interval=1s`

  test('200: a row for each second and outcome, as the exchange had them, and gaps say that they are gaps', async () => {
    for (const [path, outcomes] of PATHS()) {
      const { data, recorded } = (await get(`${path}/book/history?${range()}&levels=0&limit=200`)).json()
      expect(data.map(({ time }: { time: number }) => time)).toEqual(
        secondsOf().flatMap((ms) => Array(outcomes).fill(ms)),
      )
      for (const [index, { time, is_recorded, bids, asks, token_id }] of data.entries()) {
        const expected = truth.get(time)?.[index % outcomes]
        expect(token_id).toBe(tokenIds[index % outcomes])
        expect(is_recorded).toBe(!isInGap(time))
        expect({ bids, asks }).toEqual(isInGap(time) ? { bids: null, asks: null } : expected)
      }
      expect(recorded.length).toBeGreaterThanOrEqual(2 * outcomes)
    }
  })

  test('200: pages by cursor and by offset are the whole series', async () => {
    const path = `/v3/markets/slug/${SLUG}/book/history?${range()}&levels=1`
    const whole = (await get(`${path}&limit=200`)).json().data
    const byCursor: object[] = []
    for (let cursor = ''; ; ) {
      const page = (await get(`${path}&limit=7${cursor}`)).json()
      byCursor.push(...page.data)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(byCursor).toEqual(whole)
    expect((await get(`${path}&limit=9&offset=11`)).json().data).toEqual(whole.slice(11, 20))
  })

  test('200: with a longer interval each book is read by itself', async () => {
    const path = `/v3/markets/${tokenIds[0]}/book/history?from=${startMs - 3_600_000}&interval=5m&levels=0`
    const { data } = (await get(path)).json()
    const shown = data.filter(({ is_recorded }: { is_recorded: boolean }) => is_recorded)
    expect(data.length).toBeGreaterThan(shown.length)
    expect(shown.length).toBeGreaterThan(0)
    for (const { time, bids, asks } of shown) {
      expect((await get(`/v3/markets/${tokenIds[0]}/book?at=${time}&levels=0`)).json()).toMatchObject({
        bids,
        asks,
      })
    }
  })

  test('200: the same rows as CSV', async () => {
    const path = `/v3/markets/${tokenIds[0]}/book/depth?${range()}&limit=200`
    const rows = (await get(path)).json().data
    const cells = parseCsv((await get(`${path}&format=csv`)).body)
    expect(cells.length).toBe(1 + rows.length)
  })

  test.each([
    ['from', 'from=1794000000000&to=1793000000000'],
    ['interval', 'from=1794000000000&to=1795000000000&interval=1s'],
    ['interval', 'interval=2s'],
    ['within', 'within=1.1'],
    ['within', 'within=-0.1'],
  ])('400: %s: %s', async (field, query) => {
    const reply = await get(`/v3/markets/${tokenIds[0]}/book/depth?${query}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.body).toContain(field)
  })

  test('404: a range in which nothing is recorded', async () => {
    const reply = await get(`/v3/markets/${tokenIds[0]}/book/history?to=${startMs - 60_000}`)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ recorded_before: null, recorded_after: { token_id: tokenIds[0] } })
  })
})

test('GET /v3/markets/{token_id}/book/depth: what is offered within reach of the middle', async () => {
  const path = `/v3/markets/${tokenIds[0]}/book/depth?from=${startMs + 1}&interval=1s&within=0.03&limit=200`
  const { data } = (await get(path)).json()
  for (const row of data) {
    if (isInGap(row.time)) {
      expect(row).toMatchObject({ is_recorded: false, mid: null, bid_shares: null, imbalance: null })
      continue
    }
    const { bids, asks } = truth.get(row.time)?.[0] ?? { bids: [], asks: [] }
    const mid = Number(row.mid)
    const sum = (levels: Level[], worth: (level: Level) => number) =>
      levels
        .filter(({ price }) => Math.abs(Number(price) - mid) <= 0.03 + 1e-9)
        .reduce((total, level) => total + worth(level), 0)
    const shares = ({ size }: Level) => Number(size)
    const usd = ({ price, size }: Level) => Number(price) * Number(size)
    expect(Number(row.bid_shares)).toBeCloseTo(sum(bids, shares), 6)
    expect(Number(row.ask_shares)).toBeCloseTo(sum(asks, shares), 6)
    expect(Number(row.bid_usd)).toBeCloseTo(sum(bids, usd), 5)
    expect(Number(row.ask_usd)).toBeCloseTo(sum(asks, usd), 5)
    const [bid, ask] = [sum(bids, shares), sum(asks, shares)]
    if (bid + ask === 0) expect(row.imbalance).toBeNull()
    else expect(row.imbalance).toBeCloseTo((bid - ask) / (bid + ask), 5)
  }
})

const secondsOf = () =>
  Array.from({ length: (endMs - startMs) / 1_000 }, (_, second) => startMs + (second + 1) * 1_000)
