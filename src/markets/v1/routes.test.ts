import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { MarketEvent } from '../../../sim/universe/market.js'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { MARKET_SHAPES } from '../../../test/strict-client/market-shapes.js'
import { problemsOf, type Shape } from '../../../test/strict-client/shape.js'

type Row = Record<string, unknown> & {
  token_id: string
  condition_id: string
  slug: string
  last_price: number
  last_trade_at: number
  volume_24h: number
  closed: boolean
  category: string | null
}

type Json = Record<string, unknown>

let world: ApiWorld
/** Of an open market of the catalogue that was traded. */
let row: Row
beforeAll(async () => {
  world = await openApiWorld()
  const { markets } = (await world.get('/v1/markets', { count: 1_000 })).json()
  row = markets.find((each: Row) => each.slug !== null && !each.closed)
})
afterAll(() => world.close())
// Some answers are repeated for half a minute.
beforeEach(() => world.clock.advance(30_000))
afterEach(() => world.simulator.faults.set({ upstream: '*', mode: 'off' }))

/** The answer, which a strict client accepts. */
async function ask(path: keyof typeof MARKET_SHAPES, query: object = {}, names: Record<string, string> = {}) {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
  const reply = await world.get(url, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  const shape: Shape = MARKET_SHAPES[path]
  expect(problemsOf(reply.json(), shape)).toEqual([])
  return reply.json()
}

const stats = async (query: object = {}) =>
  (await world.get('/v3/markets/stats', { limit: 300, ...query })).json()

const isDescending = (numbers: number[]) => expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))

describe('GET /v1/markets', () => {
  test('200: the markets of most volume, as the statistics have them', async () => {
    const { data, totals } = await stats()
    const { markets, count, total } = await ask('/v1/markets', { count: 300 })
    expect([count, total]).toEqual([data.length, totals.markets])
    expect(
      markets.map((each: Row) => [
        each.condition_id,
        each.volume_24h,
        each.trade_count_24h,
        each.last_trade_at,
      ]),
    ).toEqual(
      data.map((each: Json) => [
        each.condition_id,
        each.volume_usd,
        each.trades,
        Number(each.last_trade_ts) * 1000,
      ]),
    )
    for (const { prices, condition_id: condition } of data as { prices: Json[]; condition_id: string }[]) {
      const found = markets.find((each: Row) => each.condition_id === condition)
      expect(found.token_ids).toEqual(prices.map(({ token_id: id }) => id))
      expect(found.prices).toEqual(prices.map(({ price }) => price))
      expect([found.token_id, found.last_price]).toEqual([found.token_ids[0], found.prices[0]])
    }
  })

  test('200: a count out of range is moved into it', async () => {
    expect((await ask('/v1/markets', { count: 0 })).count).toBe(1)
    expect((await ask('/v1/markets', { count: 5_000 })).count).toBeGreaterThan(20)
  })
})

describe('GET /v1/markets/list', () => {
  test('200: pages by cursor have every market once, in the order of volume', async () => {
    const whole = (await ask('/v1/markets', { count: 1_000 })).markets
    const rows: Row[] = []
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page = await ask('/v1/markets/list', { count: 7, cursor })
      expect([page.cursor, page.total]).toEqual([cursor, whole.length])
      rows.push(...page.markets)
      cursor = page.next_cursor
    }
    expect(rows).toEqual(whole)
  })

  test.each([
    ['price', ({ last_price: price }: Row) => price],
    ['updated', ({ last_trade_at: at }: Row) => at],
  ] as const)('200: by %s, the largest first', async (sort, keyOf) => {
    const { markets } = await ask('/v1/markets/list', { count: 500, sort })
    isDescending(markets.map(keyOf))
    expect(new Set(markets.map(keyOf)).size).toBeGreaterThan(10)
  })

  test('200: filters by category, volume and whether it is open', async () => {
    const { markets: all, total } = await ask('/v1/markets/list', { count: 500 })
    const category = row.category ?? ''
    for (const [query, isWanted] of [
      [{ category }, (each: Row) => each.category === category],
      [{ category: category.toUpperCase() }, (each: Row) => each.category === category],
      [{ min_volume: 100.5 }, (each: Row) => each.volume_24h >= 100.5],
      [{ active_only: 'True' }, (each: Row) => !each.closed && each.slug !== null],
    ] as const) {
      const wanted = all.filter(isWanted)
      expect(wanted.length).toBeGreaterThan(0)
      expect(wanted.length).toBeLessThan(total)
      const page = await ask('/v1/markets/list', { count: 500, ...query })
      expect(page.markets).toEqual(wanted)
      expect(page.total).toBe(wanted.length)
    }
    expect((await ask('/v1/markets/list', { category: 'no such thing' })).markets).toEqual([])
  })

  test('200: as /v2/markets/{category}', async () => {
    const category = row.category ?? ''
    const page = await ask('/v2/markets/{category}', { count: 3 }, { category })
    expect(page).toEqual(await ask('/v1/markets/list', { count: 3, category }))
  })

  test.each([
    ['sort', 'liquidity'],
    ['cursor', -1],
    ['cursor', 10_001],
    ['min_volume', 'much'],
    ['active_only', 'maybe'],
  ])('400: %s=%s', async (name, value) => {
    const reply = await world.get('/v1/markets/list', { [name]: value })
    expect([reply.statusCode, reply.json().error]).toEqual([400, expect.stringContaining(name)])
  })

  test('503: until the statistics are there', async () => {
    const { sql } = world.ctx
    const [snapshot] = await sql`delete from stats_snapshots where period = '1d' returning *`
    for (const path of ['/v1/markets', '/v1/markets/list', '/v1/movers', '/v1/trending']) {
      const reply = await world.get(path, { count: 9 })
      expect([path, reply.statusCode, reply.headers['retry-after']]).toEqual([path, 503, '10'])
    }
    await sql`insert into stats_snapshots ${sql(snapshot ?? {})}`
  })
})

describe('one market', () => {
  test('200: by slug and condition the row of the list, by token with the price of that outcome', async () => {
    const { slug, condition_id: id } = row
    const [tokens, prices, outcomes] = [row.token_ids, row.prices, row.outcomes] as [
      string[],
      number[],
      string[],
    ]
    const [, token_id = ''] = tokens
    expect(await ask('/v1/markets/slug/{slug}', {}, { slug })).toEqual(row)
    expect(await ask('/v1/markets/condition/{id}', {}, { id: id.toUpperCase().replace('X', 'x') })).toEqual(
      row,
    )
    const second = { ...row, token_id, last_price: prices[1], outcome: outcomes[1] }
    expect(await ask('/v1/markets/{token_id}', {}, { token_id })).toEqual(second)
  })

  test('200: what the chain alone has, without names', async () => {
    const { markets } = await ask('/v1/markets', { count: 1_000 })
    const unlisted = markets.find((each: Row) => each.slug === null)
    expect(unlisted).toMatchObject({
      question: null,
      outcomes: [],
      token_ids: [expect.any(String), expect.any(String)],
    })
    const { condition_id: id, token_id } = unlisted
    expect(await ask('/v1/markets/condition/{id}', {}, { id })).toEqual(unlisted)
    expect(await ask('/v1/markets/{token_id}', {}, { token_id })).toEqual(unlisted)
  })

  test.each([
    ['/v1/markets/123456', 404],
    ['/v1/markets/slug/no-such-market', 404],
    [`/v1/markets/condition/0x${'9'.repeat(64)}`, 404],
    ['/v1/stats/123456', 404],
    ['/v1/candles/123456', 404],
    ['/v1/event/no-such-event', 404],
    ['/v1/markets/abc', 400],
    ['/v1/markets/condition/0x12', 400],
    ['/v1/candles/abc', 400],
    ['/v1/search', 400],
    ['/v1/events/search', 400],
  ])('%s: %i', async (path, status) => {
    expect((await world.get(path)).statusCode).toBe(status)
  })
})

describe('GET /v1/search', () => {
  test('200: finds what /v3/markets/search finds, open ones alone unless the request wants all', async () => {
    for (const q of ['bitcoin', row.slug, 'itcoi', 'bitcion']) {
      const { data } = (await world.get('/v3/markets/search', { q, limit: 100 })).json()
      const all = await ask('/v1/search', { q, limit: 100, include_inactive: 'True' })
      expect(all.query).toBe(q)
      expect(all.results.map(({ slug }: Row) => slug)).toEqual(data.map(({ slug }: Row) => slug))
      const open = await ask('/v1/search', { q, limit: 100 })
      expect(open.results.length).toBeGreaterThan(0)
      expect(open.results.some(({ closed }: Row) => closed)).toBe(false)
      const openOfAll = all.results.filter(({ closed }: Row) => !closed)
      const found = open.results.map(({ slug }: Row) => slug)
      expect(found.slice(0, openOfAll.length)).toEqual(openOfAll.map(({ slug }: Row) => slug))
    }
    expect((await ask('/v1/search', { q: row.slug })).results[0]).toEqual(row)
  })
})

describe('GET /v1/candles/{token_id} and /v1/stats/{token_id}', () => {
  test('200: the candles that /v3 has, in the last buckets', async () => {
    const { token_id } = row
    for (const resolution of ['1m', '15m', '1h', '1d']) {
      const path = `/v3/markets/${token_id}/candles`
      const { candles } = (await world.get(path, { resolution, limit: 60 })).json()
      const shown = await ask('/v1/candles/{token_id}', { resolution, limit: 60 }, { token_id })
      expect(shown.count).toBe(candles.length)
      expect(shown.candles).toEqual(
        candles.map(({ time, open, high, low, close, volume }: Json) => ({
          timestamp: time,
          open,
          high,
          low,
          close,
          volume,
        })),
      )
    }
  })

  test('200: a card with the prices of a day', async () => {
    const { token_id } = row
    const card = await ask('/v1/stats/{token_id}', {}, { token_id })
    const { candles } = await ask('/v1/candles/{token_id}', { limit: 24 }, { token_id })
    expect(card).toMatchObject({
      price: row.last_price,
      volume_24h: row.volume_24h,
      last_trade_at: row.last_trade_at,
      ohlcv_24h: {
        open: candles[0].open,
        close: candles.at(-1).close,
        high: Math.max(...candles.map(({ high }: { high: number }) => high)),
        low: Math.min(...candles.map(({ low }: { low: number }) => low)),
      },
      metadata: { question: row.question, slug: row.slug, outcomes: row.outcomes, tags: expect.any(Array) },
    })
  })
})

describe('GET /v1/movers and /v1/trending', () => {
  type Mover = { id: string; slug: string; oneDayPriceChange: number }

  test('200: open markets by how far their price moved', async () => {
    const { markets, count } = await ask('/v1/movers')
    expect([count > 5, count]).toEqual([true, markets.length])
    isDescending(markets.map((each: Mover) => Math.abs(each.oneDayPriceChange)))
    expect(await ask('/v2/movers')).toEqual({ markets, count })
    for (const { slug } of markets as Mover[]) {
      expect((await ask('/v1/markets/slug/{slug}', {}, { slug })).closed).toBe(false)
      expect(slug).not.toMatch(/-updown-/)
    }
  })

  test('200: since the last price before the day, where there is one', async () => {
    const { sql } = world.ctx
    const [mover] = (await ask('/v1/movers')).markets as Mover[]
    const [token] = await sql<{ id: number }[]>`
      select t.id from markets m join tokens t on t.token = m.tokens[1] where m.id = ${Number(mover?.id)}`
    await sql`
      insert into hour_candles
      select token, hour - 30, trades, open, high, low, 20000, first_seq, last_seq, volume, shares, buy_volume, fees
        from hour_candles where token = ${token?.id ?? 0} order by hour desc limit 1`
    world.clock.advance(30_000)
    const { markets } = (await ask('/v1/movers')) as { markets: Mover[] }
    const moved = markets.find(({ id }) => id === mover?.id)
    expect(moved?.oneDayPriceChange).toBeCloseTo((await lastPriceOf(mover?.slug ?? '')) - 0.02, 6)
    await sql`delete from hour_candles where token = ${token?.id ?? 0} and close = 20000`
  })

  /** Of the first outcome, by the last trade of either. */
  async function lastPriceOf(slug: string): Promise<number> {
    const { series } = (await world.get(`/v3/markets/slug/${slug}/candles`)).json()
    type Candle = { close: number; last_block: number; last_log_index: number }
    const [first, second] = series.map(({ candles }: { candles: Candle[] }) => candles.at(-1))
    const placeOf = (candle?: Candle) =>
      candle === undefined ? 0 : candle.last_block * 2 ** 20 + candle.last_log_index
    return placeOf(first) > placeOf(second) ? first.close : 1 - second.close
  }

  test('200: five lists, none of them empty', async () => {
    const trending = await ask('/v1/trending')
    for (const list of Object.values<Json[]>(trending)) expect(list.length).toBeGreaterThan(0)
    expect(trending.movers).toEqual((await ask('/v1/movers')).markets)
    isDescending(trending.carousel.map(({ volume24hr }: Json) => Number(volume24hr)))
    isDescending(trending.featured.map(({ volume }: Json) => Number(volume)))
    isDescending(trending.hotTopics.map(({ volume }: Json) => Number(volume)))
    expect([...trending.carousel, ...trending.featured].some(({ closed }) => closed)).toBe(false)
    expect(await ask('/v2/trending')).toEqual(trending)
  })
})

describe('GET /v1/event/{slug} and /v1/events/search', () => {
  /** An open event of the catalogue with several markets. */
  const anEvent = (): MarketEvent => {
    const found = world.universe.catalogue
      .events()
      .find(
        ({ id, markets, window, endMs }) =>
          Number(id) % 4 !== 0 && markets.length > 2 && window === undefined && endMs > world.clock.now(),
      )
    return found ?? expect.fail()
  }

  test("200: an event with its markets, and the platform's text, which is requested once", async () => {
    const event = anEvent()
    const shown = await ask('/v1/event/{slug}', {}, { slug: event.slug })
    expect(shown).toMatchObject({
      id: Number(event.id),
      title: event.title,
      closed: false,
      annotations: 0,
      description: expect.stringMatching(/\w/),
    })
    expect(shown.markets).toMatchObject(
      event.markets.map((market) => ({
        question: market.question,
        conditionId: market.conditionId,
        outcomes: ['Yes', 'No'],
        clobTokenIds: market.tokens.map(({ decimal }) => decimal),
      })),
    )
    const [first] = shown.markets
    const market = await ask('/v1/markets/condition/{id}', {}, { id: first.conditionId })
    expect(first.outcomePrices.map(Number)).toEqual(market.prices)
    const { data } = (await world.get('/v3/events/stats', { event_slug: event.slug })).json()
    expect(shown.volume24hr).toBe(data[0]?.volume_usd ?? 0)

    world.simulator.faults.set({ upstream: 'gamma', mode: '500' })
    expect((await ask('/v1/event/{slug}', {}, { slug: event.slug })).description).toBe(shown.description)
  })

  test('200: without the text while the platform does not answer', async () => {
    world.simulator.faults.set({ upstream: 'gamma', mode: '500' })
    const { data } = (await world.get('/v3/events', { closed: false, limit: 1 })).json()
    const shown = await ask('/v1/event/{slug}', {}, { slug: data[0].event_slug })
    expect([shown.title, shown.description]).toEqual([data[0].event_title, ''])
  })

  test('200: finds events by words, the one of the slug first', async () => {
    const event = anEvent()
    const { events, query, count } = await ask('/v1/events/search', { q: event.slug })
    expect([query, count]).toEqual([event.slug, events.length])
    expect(events[0]).toMatchObject({ id: event.id, slug: event.slug, active: true })
    expect(events[0].markets).toHaveLength(event.markets.length)
    expect((await ask('/v1/events/search', { q: 'bitcoin', limit: 3 })).count).toBe(3)
    expect((await ask('/v1/events/search', { q: 'bitcoin', limit: 999 })).count).toBe(20)
    expect((await ask('/v1/events/search', { q: '?' })).events).toEqual([])
  })
})

test('a free key may ask all of them; 401 without a key', async () => {
  const { key } = await world.createCaller('free')
  for (const path of Object.keys(MARKET_SHAPES).filter((each) => each.startsWith('/v'))) {
    const url = path
      .replace('{token_id}', row.token_id)
      .replace('{slug}', 'x')
      .replace('{id}', row.condition_id)
    const requestUrl = `${url.replace('{category}', 'x')}?q=bitcoin`
    const reply = await world.app.inject({ url: requestUrl, headers: { 'x-api-key': key } })
    expect([200, 404], path).toContain(reply.statusCode)
    expect((await world.app.inject(requestUrl)).statusCode, path).toBe(401)
  }
})
