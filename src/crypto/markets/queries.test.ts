import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { updateCatalogueState, updateGone } from '../../catalogue/queries.js'
import { upsertEvents } from '../../catalogue/store.js'
import type { GammaEvent, GammaSeriesHead } from '../../upstreams/gamma/parse.js'
import { selectOpenEvents, selectSeries, selectWindows } from './queries.js'
import { type CryptoWorld, openCryptoWorld } from './test-world.js'

const MINUTE_MS = 60_000

let world: CryptoWorld
/** Open, without a window: a price on a day. */
let topic: GammaEvent
beforeAll(async () => {
  world = await openCryptoWorld()
  const [event] = await world.deps.gamma.listEvents({ seriesSlug: 'solana-neg-risk-weekly' })
  if (event === undefined) throw new Error('there is such an event')
  topic = { ...event, title: 'What a price on some day?', slug: 'what-a-price-on-some-day' }
})
afterEach(() => world.forget())
afterAll(() => world.close())

const store = (...events: GammaEvent[]) => upsertEvents(world.t.ctx.sql, events, nowMs())
const nowMs = () => world.t.clock.now()
const selectIds = async (limit = 500) => {
  const rows = await selectOpenEvents(world.t.ctx.sql, nowMs(), limit)
  return rows.map(({ id }) => String(id))
}

describe('selectOpenEvents', () => {
  test.each([
    ['What price will Bitcoin hit?', true],
    ['BTC above ___?', true],
    ['Ethereum all time high', true],
    ['How many ETH?', true],
    ['Solana vs. Monero', true],
    ['$SOL', true],
    ['Will BNB fall?', true],
    ['XRP ETF', true],
    ['Dogecoin to a dollar', true],
    ['doge', true],
    ['Hyperliquid airdrop', true],
    ['(HYPE)', true],
    ['Zcash above ___?', false],
    ['Bitcoins', false],
    ['Methane, something, solar, hyped, dogecoins', false],
  ])('%s: about one of the coins is %s', async (title, expected) => {
    await store({ ...topic, title })
    expect(await selectIds()).toEqual(expected ? [topic.id] : [])
  })

  test.each([
    ['btc-above-100k', true],
    ['what-price-will-dogecoin-hit', true],
    ['zec-updown-5m-1791000000', false],
  ])('%s: found by its slug as well', async (slug, expected) => {
    await store({ ...topic, slug })
    expect(await selectIds()).toEqual(expected ? [topic.id] : [])
  })

  test.each<[string, Partial<GammaEvent>]>([
    ['is closed', { closed: true }],
    ['is archived', { archived: true }],
    ['is not active', { active: false }],
    ['has other tags', { tags: [] }],
  ])('leaves out what %s', async (_why, changes) => {
    await store({ ...topic, title: 'Bitcoin', ...changes })
    expect(await selectIds()).toEqual([])
  })

  test('leaves out what Gamma does not show any more', async () => {
    await store({ ...topic, title: 'Bitcoin' })
    await updateGone(world.t.ctx.sql, [Number(topic.id)], nowMs())
    expect(await selectIds()).toEqual([])
  })

  test('keeps an event that is past its end and not decided yet, if it has no window', async () => {
    await store({ ...topic, title: 'Bitcoin', endDateMs: nowMs() - MINUTE_MS })
    expect(await selectIds()).toEqual([topic.id])
  })

  test.each([
    ['has not opened', 1, 6, false],
    ['opens now', 0, 5, true],
    ['is running', -1, 4, true],
    ['ends now', -5, 0, false],
    ['is over', -6, -1, false],
  ])('a window that %s', async (_what, opensInMin, endsInMin, expected) => {
    const eventStartTimeMs = nowMs() + opensInMin * MINUTE_MS
    await store({
      ...topic,
      title: 'Bitcoin Up or Down',
      endDateMs: nowMs() + endsInMin * MINUTE_MS,
      markets: topic.markets.map((market) => ({ ...market, eventStartTimeMs })),
    })
    expect(await selectIds()).toEqual(expected ? [topic.id] : [])
  })

  test('the most traded come first, unknown volumes last, up to the limit', async () => {
    const volumes = [5, undefined, 70, 5, 0]
    const events = volumes.map((volume24hr, at) => ({
      ...topic,
      id: String(1 + at),
      title: 'Bitcoin',
      volume24hr,
      markets: [],
    }))
    await store(...events)
    expect(await selectIds()).toEqual(['3', '1', '4', '5', '2'])
    expect(await selectIds(2)).toEqual(['3', '1'])
  })
})

describe('selectWindows', () => {
  test('leaves out what Gamma does not show any more', async () => {
    await store({ ...topic, id: '1' }, { ...topic, id: '2' })
    await updateGone(world.t.ctx.sql, [1], nowMs())
    const rows = await selectWindows(world.t.ctx.sql, [topic.slug ?? ''])
    expect(rows.map(({ id }) => id)).toEqual([2])
  })
})

describe('selectSeries', () => {
  const storeSeries = (changes: Partial<GammaSeriesHead>, event: Partial<GammaEvent> = {}) =>
    store({ ...topic, ...event, series: topic.series.map((head) => ({ ...head, ...changes })) })

  test.each([
    ['btc-up-or-down-5m', true],
    ['bitcoin-hit-price-monthly', true],
    ['hyperliquid-hit-price-monthly', true],
    ['zec-up-or-down-5m', false],
    ['btcs-up-or-down-5m', false],
    ['weekly-btc-price', false],
  ])('%s: of one of the coins is %s', async (slug, expected) => {
    await storeSeries({ slug })
    const rows = await selectSeries(world.t.ctx.sql, 500)
    expect(rows.map((row) => row.slug)).toEqual(expected ? [slug] : [])
  })

  test('leaves out closed ones, and keeps one without open events', async () => {
    await updateCatalogueState(world.t.ctx.sql, { phase: 'done' })
    await storeSeries({ slug: 'btc-daily' }, { closed: true })
    const find = () => selectSeries(world.t.ctx.sql, 500)
    expect(await find()).toMatchObject([{ slug: 'btc-daily', openEvents: 0 }])
    await storeSeries({ slug: 'btc-daily', closed: true })
    expect(await find()).toEqual([])
  })
})
