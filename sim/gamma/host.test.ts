import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createGammaHost } from './host.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 12)
const NOW_MS = START_MS + 45 * MINUTE_MS

type Json = Record<string, unknown>
type EventJson = Json & { markets: Json[]; tags: Json[]; series?: Json[] }

let host: Host
const universe = new Universe({ seed: 7, startMs: START_MS })

beforeAll(async () => {
  universe.advance(NOW_MS)
  host = await openHost('gamma', new Faults(), createGammaHost(universe))
})
afterAll(() => host.close())

const get = async <Body>(path: string): Promise<{ status: number; body: Body }> => {
  const reply = await fetch(`${host.url}${path}`)
  return { status: reply.status, body: (await reply.json()) as Body }
}
const events = async (path: string) => (await get<EventJson[]>(path)).body
const markets = async (path: string) => (await get<Json[]>(path)).body
const windowSlug = (startMs: number) => `btc-updown-5m-${startMs / 1000}`

describe('access', () => {
  test('403 without a User-Agent', async () => {
    const status = await new Promise((resolve, reject) => {
      request(`${host.url}/status`, (reply) => resolve(reply.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(403)
  })

  test('/status is plain text', async () => {
    const reply = await fetch(`${host.url}/status`)
    expect(await reply.text()).toBe('OK')
  })

  test.each(['/events/1', '/events/slug/none', '/markets/1', '/tags/999999', '/series/1'])(
    '404: %s',
    async (path) => {
      const { status, body } = await get(path)
      expect(status).toBe(404)
      expect(body).toEqual({ type: 'not found error', error: expect.any(String) })
    },
  )
})

describe('a running window', () => {
  const slug = windowSlug(NOW_MS)

  test('has the types of the real thing', async () => {
    const { body: event } = await get<EventJson>(`/events/slug/${slug}`)
    expect(event).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      ticker: slug,
      slug,
      endDate: '2026-11-12T00:50:00Z',
      startTime: '2026-11-12T00:45:00Z',
      closed: false,
      seriesSlug: 'btc-up-or-down-5m',
      volume: expect.any(Number),
      liquidity: expect.any(Number),
    })
    expect(event).not.toHaveProperty('eventMetadata')
    expect(event.series).toHaveLength(1)
    expect(event.tags).toContainEqual(expect.objectContaining({ id: '21', slug: 'crypto' }))
    const [market] = event.markets
    expect(market).toMatchObject({
      outcomes: '["Up", "Down"]',
      clobTokenIds: expect.stringMatching(/^\["\d+", "\d+"\]$/),
      outcomePrices: expect.stringMatching(/^\["0\.\d+", "0\.\d+"\]$/),
      volume: expect.stringMatching(/^\d+(\.\d+)?$/),
      volumeNum: expect.any(Number),
      eventStartTime: '2026-11-12T00:45:00Z',
      enableOrderBook: true,
      acceptingOrders: true,
      umaResolutionStatus: '',
      orderMinSize: 5,
      feeSchedule: { exponent: 1, rate: 0.07, takerOnly: true, rebateRate: 0.2 },
      cryptoMarketConfig: { id: 'btc-5m-twap-60', asset: 'btc', duration: '5m' },
    })
    expect(market?.bestBid).toBeLessThan(Number(market?.bestAsk))
  })

  test('shows the price of the book', async () => {
    const [market] = await markets(`/markets?slug=${slug}`)
    const [up = 0, down = 0] = JSON.parse(String(market?.outcomePrices)).map(Number) as number[]
    expect(up).toBeCloseTo((Number(market?.bestBid) + Number(market?.bestAsk)) / 2, 6)
    expect(up + down).toBeCloseTo(1, 6)
    expect(market?.events).toEqual([expect.objectContaining({ slug })])
  })
})

test('a window far ahead is listed, but takes no orders', async () => {
  const [event] = await events(`/events?slug=${windowSlug(NOW_MS + 600 * MINUTE_MS)}`)
  expect(event).toMatchObject({ enableOrderBook: false, liquidity: 0 })
  expect(event?.markets[0]).toMatchObject({ enableOrderBook: false, acceptingOrders: false })
})

test('a window is closed a minute after its end, and shows its prices minutes later', async () => {
  const own = new Universe({ seed: 3, startMs: START_MS })
  const endMs = START_MS + 40 * MINUTE_MS
  own.advance(endMs)
  const ownHost = await openHost('gamma', new Faults(), createGammaHost(own))
  const read = async () => {
    const reply = await fetch(`${ownHost.url}/events/slug/${windowSlug(endMs - 5 * MINUTE_MS)}`)
    return (await reply.json()) as EventJson
  }
  expect(await read()).toMatchObject({ closed: false })
  own.advance(endMs + 95_000)
  const closed = await read()
  expect(closed).toMatchObject({
    closed: true,
    closedTime: expect.stringMatching(/^2026-11-12T00:41/),
  })
  expect(closed).not.toHaveProperty('eventMetadata')
  expect(closed.markets[0]).toMatchObject({
    closed: true,
    umaResolutionStatus: 'resolved',
    outcomePrices: expect.stringMatching(/^\["[01]", "[01]"\]$/),
    closedTime: expect.stringMatching(/^2026-11-12 00:41:\d\d\+00$/),
  })
  own.advance(endMs + 15 * MINUTE_MS)
  const { eventMetadata, markets } = await read()
  const { priceToBeat, finalPrice } = eventMetadata as { priceToBeat: number; finalPrice: number }
  const upWon = String(markets[0]?.outcomePrices).startsWith('["1"')
  expect(finalPrice >= priceToBeat).toBe(upWon)
  await ownHost.close()
})

describe('/events', () => {
  test('gives 20 open events by id unless asked otherwise', async () => {
    const page = await events('/events')
    expect(page).toHaveLength(20)
    expect(page.every(({ closed }) => closed === false)).toBe(true)
    const ids = page.map(({ id }) => Number(id))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  test('hides closed events, even by slug, unless they are asked for', async () => {
    const slug = windowSlug(START_MS + 10 * MINUTE_MS)
    expect(await events(`/events?slug=${slug}`)).toEqual([])
    expect(await events(`/events?slug=${slug}&closed=true`)).toHaveLength(1)
  })

  test('takes repeated keys and comma lists', async () => {
    const slugs = [0, 5, 10].map((minute) => windowSlug(NOW_MS + minute * MINUTE_MS))
    expect(await events(`/events?slug=${slugs.join('&slug=')}`)).toHaveLength(3)
    expect(await events(`/events?slug=${slugs.join()}`)).toHaveLength(3)
  })

  test('orders by volume, under either name of the field', async () => {
    const query = 'tag_slug=crypto&closed=false&ascending=false&limit=50'
    const page = await events(`/events?order=volume24hr&${query}`)
    const volumes = page.map(({ volume24hr }) => Number(volume24hr))
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
    expect(volumes[0]).toBeGreaterThan(0)
    const other = await events(`/events?order=volume_24hr&${query}`)
    expect(other.map(({ id }) => id)).toEqual(page.map(({ id }) => id))
  })

  test('markets are ordered by volume as texts, and by volumeNum as numbers', async () => {
    const read = async (order: string) =>
      (await markets(`/markets?order=${order}&ascending=false&limit=200`)).map(({ volume }) => String(volume))
    const texts = await read('volume')
    expect(texts).toEqual(texts.toSorted().reverse())
    const numbers = await read('volumeNum')
    expect(numbers).toEqual(numbers.toSorted((a, b) => Number(b) - Number(a)))
    expect(numbers).not.toEqual(texts)
  })

  test.each([
    ['version=v1', true],
    ['version=v1&version=v2', true],
    ['version=v2', false],
    ['resolution_status=active', true],
    ['resolution_status=resolved', false],
    ['onchain_event_ids=0x01', false],
  ])('/markets/keyset?%s: whether any are found', async (query, isFound) => {
    const { body } = await get<{ markets: Json[] }>(`/markets/keyset?limit=1&${query}`)
    expect(body.markets.length > 0).toBe(isFound)
  })

  test('filters by tag, series, dates and numbers', async () => {
    const end = (await events('/events?series_slug=eth-up-or-down-15m&limit=3')).map(({ endDate }) => endDate)
    expect(end).toHaveLength(3)
    const byId = await events('/events?series_id=10684&order=end_date&limit=2')
    expect(byId.map(({ seriesSlug }) => seriesSlug)).toEqual(Array(2).fill('btc-up-or-down-5m'))
    const soon = await events(
      '/events?tag_id=21&end_date_min=2026-11-12T00:55:00Z&end_date_max=2026-11-12T00:55:00Z',
    )
    expect(soon).toHaveLength(7)
    const rich = await events('/events?volume_min=500&exclude_tag_id=21')
    expect(rich.every(({ volume }) => Number(volume) >= 500)).toBe(true)
    expect(rich.flatMap(({ tags }) => tags.map(({ id }) => id))).not.toContain('21')
    expect(await events('/events?recurrence=hourly&limit=500')).not.toEqual([])
    expect(await events('/events?archived=true')).toEqual([])
    expect(await events('/events?game_id=1')).toEqual([])
    expect(await events('/events?title_search=ETHEREUM%20up&limit=1')).toHaveLength(1)
  })

  test.each([
    'recurrence=5m',
    'order=nonsense',
    'tag_id=21&exclude_tag_id=21',
    'id=abc',
    'closed=perhaps',
    'end_date_min=yesterday',
    `slug=${Array(101).fill('a').join()}`,
  ])('422: %s', async (query) => {
    const { status, body } = await get(`/events?${query}`)
    expect(status).toBe(422)
    expect(body).toEqual({ type: 'validation error', error: expect.any(String) })
  })
})

describe('keyset pages', () => {
  test('page through all open events once', async () => {
    const seen: unknown[] = []
    let cursor = ''
    do {
      const path = `/events/keyset?limit=500&tag_slug=ethereum${cursor}`
      const { body } = await get<{ events: EventJson[]; next_cursor?: string }>(path)
      seen.push(...body.events.map(({ id }) => id))
      cursor = body.next_cursor === undefined ? '' : `&after_cursor=${body.next_cursor}`
    } while (cursor !== '')
    const open = universe.catalogue
      .events()
      .filter(({ tags, endMs }) => endMs > NOW_MS && tags.some(({ slug }) => slug === 'ethereum'))
    expect(seen).toEqual(expect.arrayContaining(open.map(({ id }) => id)))
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('of markets hold at most 100, of events at most 500', async () => {
    const { body } = await get<{ markets: Json[] }>('/markets/keyset?limit=1000')
    expect(body.markets).toHaveLength(100)
    const all = await get<{ events: Json[] }>('/events/keyset?limit=1000')
    expect(all.body.events).toHaveLength(500)
  })

  test.each(['offset=0', 'after_cursor=nonsense', 'order=nonsense', 'version=v3'])(
    '422: %s',
    async (query) => {
      expect((await get(`/markets/keyset?${query}`)).status).toBe(422)
      expect((await get(`/events/keyset?${query}`)).status).toBe(422)
    },
  )

  test('422: more ids than one request may have, a status that there is not', async () => {
    const ids = (key: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${key}=0x${index}`).join('&')
    for (const query of [ids('condition_ids', 21), ids('request_ids', 101), 'resolution_status=disputed'])
      expect((await get(`/markets/keyset?${query}`)).status).toBe(422)
  })
})

describe('/markets', () => {
  test('finds by token, condition, question and id', async () => {
    const market = universe.catalogue.marketBySlug(windowSlug(NOW_MS))
    if (market === undefined) throw new Error('no such market')
    const [up, down] = market.tokens
    const queries = [
      `clob_token_ids=${up.decimal}&clob_token_ids=${down.decimal}`,
      `condition_ids=${market.conditionId}`,
      `question_ids=${market.questionId}`,
      `id=${market.id}`,
    ]
    for (const query of queries) {
      const found = await markets(`/markets?${query}`)
      expect(found.map(({ id }) => id)).toEqual([market.id])
    }
    expect(await markets(`/markets?clob_token_ids=${up.decimal},${down.decimal}`)).toEqual([])
    expect((await get<Json>(`/markets/${market.id}`)).body.slug).toBe(market.slug)
    expect((await get<Json[]>(`/markets/${market.id}/tags`)).body).toHaveLength(6)
  })

  test('adds tags only when asked', async () => {
    const [plain] = await markets('/markets?limit=1')
    const [tagged] = await markets('/markets?limit=1&include_tag=true')
    expect(plain).not.toHaveProperty('tags')
    expect(tagged?.tags).toContainEqual(expect.objectContaining({ slug: expect.any(String) }))
  })
})

describe('neg-risk events', () => {
  test('carry their id and that of each question', async () => {
    const page = await events('/events?tag_slug=politics&limit=50')
    const event = page.find(({ negRisk }) => negRisk === true)
    expect(event?.negRiskMarketID).toMatch(/^0x[0-9a-f]{62}00$/)
    expect(event?.markets.length).toBeGreaterThan(1)
    for (const market of event?.markets ?? []) {
      expect(market).toMatchObject({ negRisk: true, negRiskMarketID: event?.negRiskMarketID })
    }
  })
})

describe('series, tags, people', () => {
  test('a series by slug, with its open events or without', async () => {
    const [series] = (await get<Json[]>('/series?slug=sol-up-or-down-5m')).body
    expect(series).toMatchObject({ recurrence: '5m', competitive: expect.any(String) })
    expect(Object.keys(series?.events ?? []).length).toBeGreaterThan(200)
    const { body } = await get<Json[]>('/series?exclude_events=true&limit=500')
    expect(body.length).toBeLessThanOrEqual(50)
    expect(body[0]).not.toHaveProperty('events')
    expect((await get<Json>('/series/10684')).body.slug).toBe('btc-up-or-down-5m')
  })

  test('tags and their relations', async () => {
    expect((await get<Json>('/tags/21')).body.slug).toBe('crypto')
    expect((await get<Json>('/tags/slug/crypto')).body.activeEventsCount).toBeGreaterThan(1000)
    const relations = (await get<Json[]>('/tags/21/related-tags?omit_empty=true')).body
    expect(relations[0]).toMatchObject({ tagID: 21, relatedTagID: expect.any(Number), rank: 1 })
    const tags = (await get<Json[]>('/tags/slug/crypto/related-tags/tags')).body
    expect(tags.map(({ slug }) => slug)).toContain('bitcoin')
  })

  test('search finds events, tags and people', async () => {
    const { body } = await get<Record<string, Json[] | null>>('/public-search?q=bitcoin%20up')
    expect(body.events?.[0]?.title).toMatch(/bitcoin up/i)
    expect(body.tags).toBeNull()
    expect(body.pagination).toMatchObject({ hasMore: true })
    const wallet = universe.wallets.find(({ name, createdMs }) => name !== '' && createdMs < NOW_MS)
    const people = await get<{ profiles: Json[] }>(`/public-search?q=${wallet?.name}`)
    expect(people.body.profiles.map(({ proxyWallet }) => proxyWallet)).toContain(wallet?.address)
  })

  test.each([
    '/public-search',
    '/public-search?q=bitcoin&sort=constructor',
    '/series?order=nonsense',
    '/series?order=constructor',
    '/tags/21/related-tags?status=some',
  ])('422: %s', async (path) => {
    expect((await get(path)).status).toBe(422)
  })

  test('profiles by address, in any letter case', async () => {
    const wallet = universe.wallets.find(({ createdMs }) => createdMs < NOW_MS)
    const address = wallet?.address.toUpperCase().replace('0X', '0x')
    const { body } = await get<Json>(`/public-profile?address=${address}`)
    expect(body).toMatchObject({ proxyWallet: wallet?.address, pseudonym: wallet?.pseudonym })
    expect(await get('/public-profile?address=0x12')).toEqual({
      status: 400,
      body: { type: 'validation error', error: 'invalid address' },
    })
    expect(await get(`/public-profile?address=0x${'1'.repeat(40)}`)).toEqual({
      status: 404,
      body: { type: 'not found error', error: 'profile not found' },
    })
  })

  test('sports are empty lists', async () => {
    expect((await get('/sports')).body).toEqual([])
    expect((await get('/teams')).body).toEqual([])
    expect((await get('/sports/market-types')).body).toEqual({ marketTypes: [] })
  })
})
