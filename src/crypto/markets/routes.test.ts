import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { HttpReply } from '../../../sim/server/handlers.js'
import { syncOpenEvents } from '../../catalogue/changes.js'
import { updateCatalogueState } from '../../catalogue/queries.js'
import { storeEntries } from '../../catalogue/store.js'
import { never } from '../../catalogue/test-world.js'
import { WINDOW_SEC, windowSlugs, windowStartAt } from './coins.js'
import { refreshWindows } from './refresh.js'
import { type CryptoWorld, type GammaJson, openCryptoWorld } from './test-world.js'

let world: CryptoWorld
beforeAll(async () => {
  world = await openCryptoWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

const numbers = (json: string) => (JSON.parse(json) as string[]).map(Number)
const askWindows = (startSec: number) => world.askEvents(`slug=${windowSlugs(startSec).join()}`)
const json = async (path: string) => (await world.get(path)).json()

describe.each([
  ['active', 30],
  ['markets', 180],
  ['series', 300],
])('GET /v1/crypto/%s', (name, cachedSec) => {
  test('401 without a key', async () => {
    expect((await world.t.app.inject(`/v1/crypto/${name}`)).statusCode).toBe(401)
  })

  test('200 with nothing while the catalogue is empty: Gamma is not called', async () => {
    const reply = await world.get(`/v1/crypto/${name}`)
    expect(reply.statusCode).toBe(200)
    expect(Object.values(reply.json())).toContainEqual([])
    expect(world.requests).toEqual([])
  })

  test(`200: an answer is good for ${cachedSec} seconds, an empty one for a second`, async () => {
    world.t.clock.set((windowStartAt(world.t.clock.now()) + 60) * 1000)
    const empty = await world.get(`/v1/crypto/${name}`)
    expect(empty.headers['cache-control']).toBe('private, max-age=1')
    await refreshWindows(world.deps, never)
    world.t.clock.advance(1_000)
    const { headers } = await world.get(`/v1/crypto/${name}`)
    expect(headers['cache-control']).toBe(`private, max-age=${cachedSec}`)
  })

  test('200 while Gamma is down, with what is known', async () => {
    await refreshWindows(world.deps, never)
    world.faults.set({ upstream: 'gamma', mode: 'drop' })
    const reply = await world.get(`/v1/crypto/${name}`)
    expect(reply.statusCode).toBe(200)
    expect(Object.values(reply.json())).not.toContainEqual([])
  })
})

describe('GET /v1/crypto/active', () => {
  const toActive = ({ id, slug, title, ...event }: GammaJson) => ({
    id,
    slug,
    title,
    active: event.active,
    closed: event.closed,
    startDate: shorten(event.startDate),
    endDate: event.endDate,
    markets: event.markets.map((market) => ({
      question: market.question,
      conditionId: market.conditionId,
      outcomes: market.outcomes,
      outcomePrices: numbers(market.outcomePrices),
      tokenId: (JSON.parse(market.clobTokenIds) as string[])[0],
      active: market.active,
      closed: market.closed,
    })),
  })

  test('200: the seven markets as Gamma shows them, BTC first', async () => {
    await refreshWindows(world.deps, never)
    const windowStart = windowStartAt(world.t.clock.now())
    const shown = await askWindows(windowStart)
    const bySlug = new Map(shown.map((event) => [event.slug, toActive(event)]))
    const coins = ['btc', 'eth', 'sol', 'bnb', 'xrp', 'doge', 'hype']
    const slugs = coins.map((coin) => `${coin}-updown-5m-${windowStart}`)
    const reply = await json('/v1/crypto/active')
    expect(reply).toEqual({
      markets: slugs.map((slug) => bySlug.get(slug)),
      count: 7,
      windowStart,
    })
    expect(reply.markets[0]).toMatchObject({
      title: expect.stringMatching(/^Bitcoin Up or Down/),
      endDate: new Date((windowStart + WINDOW_SEC) * 1000).toISOString().replace('.000', ''),
      markets: [{ outcomes: '["Up", "Down"]', active: true, closed: false }],
    })
  })

  test('200: the next markets take their place on the boundary, not a millisecond sooner', async () => {
    await refreshWindows(world.deps, never)
    const windowStart = windowStartAt(world.t.clock.now())
    const boundaryMs = (windowStart + WINDOW_SEC) * 1000
    for (const [atMs, expected] of [
      [boundaryMs - 1, windowStart],
      [boundaryMs, windowStart + WINDOW_SEC],
    ] as const) {
      world.t.clock.set(atMs)
      const reply = await json('/v1/crypto/active')
      expect(reply).toMatchObject({ count: 7, windowStart: expected })
      const slugs = reply.markets.map(({ slug }: { slug: string }) => slug)
      expect(slugs).toEqual(windowSlugs(expected))
    }
  })

  test('200: a coin whose market is not known is left out', async () => {
    const windowStart = windowStartAt(world.t.clock.now())
    const events = await world.deps.gamma.getEventsBySlugs(windowSlugs(windowStart))
    events.delete(`doge-updown-5m-${windowStart}`)
    await storeEntries(world.deps, { events: [...events.values()] })
    const reply = await json('/v1/crypto/active')
    expect(reply).toMatchObject({ count: 6, windowStart })
    const slugs = reply.markets.map(({ slug }: { slug: string }) => slug)
    expect(slugs).toEqual(windowSlugs(windowStart).filter((slug) => !slug.startsWith('doge')))
  })

  test('200: the token is that of Up, wherever Up stands, and prices may be missing', async () => {
    const windowStart = windowStartAt(world.t.clock.now())
    const [btc, eth] = await askWindows(windowStart)
    world.spoil = changeMarket(btc?.id, { outcomes: '["Down", "Up"]', outcomePrices: null })
    await refreshWindows(world.deps, never)
    const { markets } = await json('/v1/crypto/active')
    const find = (id: string | undefined) =>
      markets.find((entry: { id: string }) => entry.id === id).markets[0]
    const tokensOf = (event: GammaJson | undefined): string[] =>
      JSON.parse(event?.markets[0]?.clobTokenIds ?? '[]')
    expect(find(btc?.id)).toMatchObject({
      outcomes: '["Down", "Up"]',
      outcomePrices: [],
      tokenId: tokensOf(btc)[1],
    })
    expect(find(eth?.id)).toMatchObject({ tokenId: tokensOf(eth)[0] })
  })

  test("200: dates keep Gamma's microseconds", async () => {
    const startDate = '2026-11-01T05:20:27.791222Z'
    world.spoil = changeEvents((event) => ({ ...event, startDate }))
    await refreshWindows(world.deps, never)
    const { markets } = await json('/v1/crypto/active')
    for (const entry of markets) expect(entry.startDate).toBe(startDate)
  })
})

describe('GET /v1/crypto/markets', () => {
  const COIN = /\b(bitcoin|btc|ethereum|eth|solana|sol|bnb|xrp|dogecoin|doge|hyperliquid|hype)\b/i

  const isShown = ({ tags, title, markets, endDate }: GammaJson) => {
    const opens = markets[0]?.eventStartTime
    const isRunning =
      opens === undefined ||
      (Date.parse(opens) <= world.t.clock.now() && Date.parse(endDate) > world.t.clock.now())
    return tags.some(({ slug }) => slug === 'crypto') && COIN.test(title) && isRunning
  }
  const toListed = ({ id, slug, title, ...event }: GammaJson) => ({
    id,
    slug,
    title,
    startDate: shorten(event.startDate),
    endDate: event.endDate,
    active: event.active,
    volume: event.volume,
    volume24hr: event.volume24hr,
    liquidity: event.liquidity,
    openInterest: event.openInterest,
    seriesSlug: event.seriesSlug,
    markets: event.markets.map((market) => ({
      id: market.id,
      question: market.question,
      conditionId: market.conditionId,
      outcomes: JSON.parse(market.outcomes),
      outcomePrices: numbers(market.outcomePrices),
      volume: Number(market.volume),
      liquidity: Number(market.liquidity),
      active: market.active,
      closed: market.closed,
      groupItemTitle: market.groupItemTitle,
    })),
  })

  test('200: what is open as Gamma shows it, the most traded first', async () => {
    const everything = await world.askEvents('closed=false')
    await syncOpenEvents(world.deps, never)
    const expected = everything
      .filter(isShown)
      .sort((a, b) => b.volume24hr - a.volume24hr || Number(a.id) - Number(b.id))
      .map(toListed)
    const { events } = await json('/v1/crypto/markets')
    expect(events).toEqual(expected)

    const slugs: string[] = events.map(({ slug }: { slug: string }) => slug)
    expect(slugs).toEqual(expect.arrayContaining(windowSlugs(windowStartAt(world.t.clock.now()))))
    expect(slugs.filter((slug) => slug.startsWith('bitcoin-above-on-'))).not.toEqual([])
    expect(events.length).toBeLessThan(everything.length / 2)
  })

  test('200: a window that ended is not listed, even before Gamma closes it', async () => {
    const windowStart = windowStartAt(world.t.clock.now())
    await refreshWindows(world.deps, never)
    const boundaryMs = (windowStart + WINDOW_SEC) * 1000
    for (const [atMs, expected] of [
      [boundaryMs - 1, windowStart],
      [boundaryMs, windowStart + WINDOW_SEC],
    ] as const) {
      world.t.clock.set(atMs)
      const { events } = await json('/v1/crypto/markets')
      const slugs: string[] = events.map(({ slug }: { slug: string }) => slug)
      expect(slugs.sort()).toEqual(windowSlugs(expected).sort())
    }
  })
})

describe('GET /v1/crypto/series', () => {
  test('200: the series by slug, with their intervals and how many events are open', async () => {
    const everything = await world.askEvents('closed=false')
    await syncOpenEvents(world.deps, never)
    await updateCatalogueState(world.t.ctx.sql, { phase: 'done' })
    const { series, count } = await json('/v1/crypto/series')

    const bySlug = new Map(everything.flatMap((event) => event.series ?? []).map(toEntry))
    const OF_A_COIN = /^(btc|bitcoin|eth|ethereum|sol|solana|xrp|doge|dogecoin|bnb|hype|hyperliquid)-/
    const expected = [...bySlug.keys()].filter((slug) => OF_A_COIN.test(slug)).sort()
    expect(series.map(({ slug }: { slug: string }) => slug)).toEqual(expected)
    expect(count).toBe(expected.length)
    for (const { recurrence, eventCount, ...rest } of series) {
      const { id, slug, title } = bySlug.get(rest.slug) ?? {}
      expect(rest).toEqual({ id, slug, title, active: true })
      expect(recurrence).toBe(rest.slug.split('-').at(-1).replace('hourly', '1h'))
      expect(eventCount).toBe(everything.filter((event) => event.seriesSlug === slug).length)
    }
    expect(expected).toEqual(expect.arrayContaining(['hype-up-or-down-4h', 'solana-up-or-down-hourly']))
  })

  test('200: events are not counted before they have all been read', async () => {
    await refreshWindows(world.deps, never)
    const { series, count } = await json('/v1/crypto/series')
    expect(count).toBe(7)
    for (const entry of series) expect(entry).toMatchObject({ recurrence: '5m', eventCount: null })
  })
})

/** Times as Gamma itself writes them: without zeros at the end of a fraction. */
const shorten = (time: string): string => time.replace(/(\.\d*?)0+Z$/, '$1Z')

const toEntry = (series: GammaJson['series'][number]) => [series.slug, series] as const

/** Changes the events of every page. */
const changeEvents =
  (change: (event: GammaJson) => GammaJson) =>
  (reply: HttpReply): HttpReply => {
    const page = reply.body as { events: GammaJson[] }
    return { ...reply, body: { ...page, events: page.events.map(change) } }
  }

/** Changes the market of one event in every page of events. */
const changeMarket = (id: string | undefined, changes: object) =>
  changeEvents((event) =>
    event.id === id
      ? { ...event, markets: event.markets.map((market) => ({ ...market, ...changes })) }
      : event,
  )
