import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import type { Market } from '../universe/market.js'
import { Universe } from '../universe/universe.js'
import { createClobHost } from './host.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 12)
const NOW_MS = START_MS + 65 * MINUTE_MS
const NO_BOOK = 'No orderbook exists for the requested token id'

type Json = Record<string, unknown>
type Level = { price: string; size: string }
type BookJson = Json & { bids: Level[]; asks: Level[] }

const faults = new Faults()
let host: Host
let running: Market
let closed: Market
let future: Market
let question: Market
const universe = new Universe({ seed: 7, startMs: START_MS })

beforeAll(async () => {
  universe.advance(NOW_MS)
  running = windowAt(NOW_MS)
  closed = windowAt(NOW_MS - 30 * MINUTE_MS)
  future = windowAt(NOW_MS + 600 * MINUTE_MS)
  question = requireFound(
    universe.catalogue.events().find(({ negRisk }) => negRisk !== undefined)?.markets[0],
  )
  const clob = createClobHost(universe, () => faults.skewMs('clob'))
  host = await openHost('clob', faults, clob)
})
afterAll(() => host.close())

const windowAt = (startMs: number): Market =>
  requireFound(universe.catalogue.marketBySlug(`btc-updown-5m-${startMs / 1000}`))

function requireFound<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('not in this universe')
  return item
}

const read = async <Body>(reply: Response) => ({
  status: reply.status,
  body: (await reply.json()) as Body,
})
const get = async <Body>(path: string) => read<Body>(await fetch(`${host.url}${path}`))
const post = async <Body>(path: string, body: unknown) =>
  read<Body>(
    await fetch(`${host.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
const up = (market: Market) => market.tokens[0].decimal
const down = (market: Market) => market.tokens[1].decimal
const book = async (token: string) => (await get<BookJson>(`/book?token_id=${token}`)).body

describe('/book', () => {
  test('has the best level last, and decimals as texts', async () => {
    const { bids, asks, ...rest } = await book(up(running))
    expect(rest).toMatchObject({
      market: running.conditionId,
      asset_id: up(running),
      timestamp: String(NOW_MS),
      min_order_size: '5',
      tick_size: expect.stringMatching(/^0\.0+1$/),
      neg_risk: false,
    })
    const prices = [...bids, ...asks.toReversed()].map(({ price }) => Number(price))
    expect(prices).toEqual(prices.toSorted((a, b) => a - b))
    for (const { price, size } of [...bids, ...asks]) {
      expect(price).toMatch(/^0\.\d*[1-9]$/)
      expect(size).toMatch(/^\d+(\.\d*[1-9])?$/)
    }
  })

  test('hashes its own text with an empty hash', async () => {
    const text = await (await fetch(`${host.url}/book?token_id=${up(running)}`)).text()
    const [, hash] = /"hash":"([0-9a-f]{40})"/.exec(text) ?? []
    const unsigned = text.replace(hash ?? 'none', '')
    expect(createHash('sha1').update(unsigned).digest('hex')).toBe(hash)
  })

  test('of the two tokens mirror each other', async () => {
    const first = await book(up(running))
    const second = await book(down(running))
    const mirrored = second.asks.map(({ price, size }) => ({
      price: String(Number((1 - Number(price)).toFixed(4))),
      size,
    }))
    expect(mirrored).toEqual(first.bids)
  })

  test('400 without a token or with a bad one, 404 where there is no book', async () => {
    const invalid = { status: 400, body: { error: 'Invalid token id' } }
    expect(await get('/book')).toEqual(invalid)
    expect(await get('/book?token_id=abc')).toEqual(invalid)
    for (const token of ['12345', up(closed), up(future)]) {
      expect(await get(`/book?token_id=${token}`)).toEqual({
        status: 404,
        body: { error: NO_BOOK },
      })
    }
  })
})

describe('quotes', () => {
  test('agree with the book', async () => {
    const token = up(running)
    const { bids, asks } = await book(token)
    const bid = bids.at(-1)?.price
    const ask = asks.at(-1)?.price
    expect((await get(`/price?token_id=${token}&side=BUY`)).body).toEqual({ price: bid })
    expect((await get(`/price?token_id=${token}&side=SELL`)).body).toEqual({ price: ask })
    const { mid } = (await get<{ mid: string }>(`/midpoint?token_id=${token}`)).body
    expect(Number(mid)).toBeCloseTo((Number(bid) + Number(ask)) / 2, 6)
    const { spread } = (await get<{ spread: string }>(`/spread?token_id=${token}`)).body
    expect(Number(spread)).toBeCloseTo(Number(ask) - Number(bid), 6)
  })

  test('come in batches by POST, without the tokens that have no book', async () => {
    const [a, b] = [up(running), down(running)]
    const asked = [{ token_id: a }, { token_id: b }, { token_id: '1' }, { token_id: up(closed) }]
    const books = (await post<Json[]>('/books', asked)).body
    expect(books.map(({ asset_id }) => asset_id)).toEqual([a, b])
    expect(Object.keys((await post<Json>('/midpoints', asked)).body).sort()).toEqual([a, b].sort())
    expect(Object.keys((await post<Json>('/spreads', asked)).body)).toHaveLength(2)
    const sides = [
      { token_id: a, side: 'BUY' },
      { token_id: a, side: 'SELL' },
    ]
    expect((await post('/prices', sides)).body).toEqual({
      [a]: { BUY: expect.stringMatching(/^0\.\d+$/), SELL: expect.stringMatching(/^0\.\d+$/) },
    })
  })

  test('come in batches by GET', async () => {
    const [a, b] = [up(running), down(running)]
    expect((await get(`/prices?token_ids=${a},${b}&sides=BUY,SELL`)).body).toEqual({
      [a]: { BUY: expect.any(String) },
      [b]: { SELL: expect.any(String) },
    })
    expect(Object.keys((await get<Json>(`/midpoints?token_ids=${a},${b}`)).body)).toHaveLength(2)
    expect((await get<Json[]>(`/last-trades-prices?token_ids=${a},${b}`)).body).toHaveLength(2)
  })

  test.each(['/books', '/midpoints', '/spreads', '/last-trades-prices'])(
    '400 for a batch that cannot be: %s',
    async (path) => {
      expect((await post(path, '{')).body).toEqual({ error: 'Invalid payload' })
      expect((await post(path, {})).body).toEqual({ error: 'Invalid payload' })
      expect((await post(path, [{ token: '1' }])).body).toEqual({ error: 'Invalid payload' })
      expect((await post(path, [{ token_id: 'x' }])).body).toEqual({ error: 'Invalid token id' })
      const many = Array.from({ length: 501 }, () => ({ token_id: '1' }))
      expect(await post(path, many)).toEqual({
        status: 400,
        body: { error: 'Payload exceeds the limit' },
      })
      expect((await post(path, many.slice(1))).status).toBe(200)
    },
  )

  test('400 for a side that is none', async () => {
    const refusal = { status: 400, body: { error: 'Invalid side' } }
    expect(await get(`/price?token_id=${up(running)}&side=HOLD`)).toEqual(refusal)
    expect(await post('/prices', [{ token_id: up(running) }])).toEqual(refusal)
  })
})

describe('last trades', () => {
  const newestTrade = () =>
    requireFound(universe.settledActs.matches.findLast(({ tx }) => tx.act.of.kind === 'market'))

  test('are seen from the token that is asked for', async () => {
    const { of, taker } = newestTrade().tx.act
    const [own, twin] = [taker.order.token, requireFound(of.tokens[1 - taker.order.token.outcome])]
    const price = Number((taker.usd / taker.shares).toFixed(4))
    const ownTrade = (await get<Json>(`/last-trade-price?token_id=${own.decimal}`)).body
    expect(ownTrade).toEqual({ price: String(price), side: taker.order.side })
    const twinTrade = (await get<Json>(`/last-trade-price?token_id=${twin.decimal}`)).body
    expect(Number(twinTrade.price)).toBeCloseTo(1 - price, 6)
    expect(twinTrade.side).not.toBe(taker.order.side)
  })

  test('of a market without trades are a half', async () => {
    expect((await get(`/last-trade-price?token_id=${up(future)}`)).body).toEqual({
      price: '0.5',
      side: '',
    })
  })

  test('are listed with their takers', async () => {
    const newest = newestTrade()
    const { of } = newest.tx.act
    for (const path of ['/live-activity/events', '/markets/live-activity']) {
      const { body } = await get<Json[]>(`${path}/${of.conditionId}`)
      expect(body[0]).toMatchObject({
        event_type: 'trade',
        transaction_hash: newest.tx.hash,
        user: { address: newest.tx.act.taker.order.wallet.address },
        market: { condition_id: of.conditionId },
      })
    }
  })
})

describe('price history', () => {
  type History = { history: { t: number; p: number }[] }
  const history = async (query: string) =>
    (await get<History>(`/prices-history?market=${up(running)}&${query}`)).body.history

  test('of an interval ends now, a minute apart unless asked otherwise', async () => {
    const points = await history('interval=1h')
    expect(points).toHaveLength(61)
    expect(points.at(-1)?.t).toBe(NOW_MS / 1000)
    for (const { p } of points) expect(p > 0 && p < 1).toBe(true)
    expect(await history('interval=1h&fidelity=10')).toHaveLength(7)
  })

  test('of the two tokens sums to one', async () => {
    const first = await history('interval=1h')
    const path = `/prices-history?market=${down(running)}&interval=1h`
    const second = (await get<History>(path)).body.history
    first.forEach(({ p }, index) => {
      expect(p + (second[index]?.p ?? 0)).toBeCloseTo(1, 6)
    })
  })

  test('of a closed market ends with its trading', async () => {
    const path = `/prices-history?market=${up(closed)}&interval=max`
    const { history: points } = (await get<History>(path)).body
    expect(points.at(-1)?.t).toBe(closed.endMs / 1000)
    expect(points[0]?.t).toBeGreaterThanOrEqual(closed.createdMs / 1000)
  })

  test('of a span stays inside it', async () => {
    const startTs = NOW_MS / 1000 - 1800
    const points = await history(`startTs=${startTs}&endTs=${startTs + 600}`)
    expect(points.map(({ t }) => t)).toEqual(Array.from({ length: 11 }, (_, minute) => startTs + minute * 60))
    expect((await history(`startTs=${startTs}`)).at(-1)?.t).toBe(NOW_MS / 1000)
  })

  test('comes for up to 20 tokens at once', async () => {
    const asked = { markets: [up(running), down(running)], interval: '6h', fidelity: 10 }
    const { body } = await post<{ history: Json }>('/batch-prices-history', asked)
    expect(Object.keys(body.history).sort()).toEqual(asked.markets.toSorted())
    const many = { ...asked, markets: Array(21).fill(up(running)) }
    expect(await post('/batch-prices-history', many)).toEqual({
      status: 400,
      body: { error: 'Payload exceeds the limit' },
    })
  })

  test.each([
    '',
    'endTs=5',
    'interval=2d',
    'interval=constructor',
    'startTs=10&endTs=5',
    'interval=1d&fidelity=0',
    'startTs=x',
  ])('400: %s', async (query) => {
    const { status } = await get(`/prices-history?market=${up(running)}&${query}`)
    expect(status).toBe(400)
  })

  test('400 for a span over 15 days of fine points, not of coarse ones', async () => {
    const endTs = NOW_MS / 1000
    const query = `market=${up(running)}&startTs=${endTs - 16 * 86_400}&endTs=${endTs}`
    expect(await get(`/prices-history?${query}`)).toEqual({
      status: 400,
      body: { error: expect.stringContaining('interval is too long') },
    })
    expect((await get(`/prices-history?${query}&fidelity=720`)).status).toBe(200)
  })

  test('of an unknown token is empty', async () => {
    const { body } = await get('/prices-history?market=123&interval=max')
    expect(body).toEqual({ history: [] })
  })
})

describe('markets', () => {
  test('pages go from MA== to LTE= through every market once', async () => {
    const seen: unknown[] = []
    let cursor = 'MA=='
    while (cursor !== 'LTE=') {
      const path = `/simplified-markets?next_cursor=${encodeURIComponent(cursor)}`
      const { body } = await get<{ data: Json[]; next_cursor: string; count: number }>(path)
      expect(body.count).toBe(body.data.length)
      seen.push(...body.data.map(({ condition_id }) => condition_id))
      cursor = body.next_cursor
    }
    const all = universe.catalogue.events().flatMap(({ markets }) => markets)
    expect(seen).toEqual(all.map(({ conditionId }) => conditionId))
    expect((await get('/markets?next_cursor=!!')).status).toBe(400)
  })

  test('show winner, prices and order book state', async () => {
    const show = async ({ conditionId }: Market) =>
      (await get<Json & { tokens: Json[] }>(`/markets/${conditionId}`)).body
    const over = await show(closed)
    expect(over).toMatchObject({ closed: true, accepting_orders: false, enable_order_book: true })
    expect(over.tokens.map(({ price, winner }) => [price, winner])).toEqual(
      expect.arrayContaining([
        [1, true],
        [0, false],
      ]),
    )
    expect(await show(running)).toMatchObject({
      closed: false,
      accepting_orders: true,
      minimum_order_size: 5,
      maker_base_fee: 1000,
      rewards: { rates: null },
      tokens: [{ token_id: up(running), outcome: 'Up' }, { outcome: 'Down' }],
    })
    expect(await show(future)).toMatchObject({ enable_order_book: false, tokens: [] })
    expect(await show(question)).toMatchObject({
      neg_risk: true,
      neg_risk_market_id: question.event.negRisk?.marketId,
    })
  })

  test('pay rewards for as long as they are sampled', async () => {
    const { data } = (await get<{ data: Json[] }>('/sampling-markets')).body
    expect(data.length).toBeGreaterThan(0)
    for (const market of data) {
      expect(market).toMatchObject({ closed: false, rewards: { rates: [expect.any(Object)] } })
    }
  })

  test('have a compact form', async () => {
    expect((await get(`/clob-markets/${running.conditionId}`)).body).toMatchObject({
      c: running.conditionId,
      t: [
        { t: up(running), o: 'Up' },
        { t: down(running), o: 'Down' },
      ],
      mos: 5,
      fd: { r: 0.07, e: 1, to: true },
      ao: true,
      r: null,
    })
    expect((await get(`/clob-markets/${question.conditionId}`)).body).toMatchObject({ nr: true })
  })

  test('are found by token', async () => {
    expect((await get(`/markets-by-token/${down(running)}`)).body).toEqual({
      condition_id: running.conditionId,
      primary_token_id: up(running),
      secondary_token_id: down(running),
    })
    expect((await get(`/tick-size?token_id=${up(closed)}`)).body).toEqual({
      minimum_tick_size: 0.01,
    })
    expect((await get(`/neg-risk?token_id=${up(question)}`)).body).toEqual({ neg_risk: true })
    expect((await get(`/fee-rate?token_id=${up(running)}`)).body).toEqual({ base_fee: 1000 })
    expect((await get('/tick-size?token_id=5')).status).toBe(404)
  })

  test('400 and 404 for conditions that are none', async () => {
    expect(await get('/markets/0x12')).toEqual({ status: 400, body: { error: 'Invalid market' } })
    expect(await get(`/markets/0x${'1'.repeat(64)}`)).toEqual({
      status: 404,
      body: { error: 'market not found' },
    })
    expect((await get('/nothing')).status).toBe(404)
  })
})

test('the time is plain text, in seconds', async () => {
  expect(await (await fetch(`${host.url}/time`)).text()).toBe(String(NOW_MS / 1000))
  expect(await (await fetch(`${host.url}/ok`)).text()).toBe('OK')
})

test('the time is wrong when the clock is', async () => {
  faults.set({ upstream: 'clob', mode: 'skew', skewMs: -90_000 })
  expect(await (await fetch(`${host.url}/time`)).text()).toBe(String(NOW_MS / 1000 - 90))
  faults.set({ upstream: 'clob', mode: 'off' })
})
