import { ClobClient, PriceHistoryInterval, Side } from '@polymarket/clob-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import type { Market } from '../universe/market.js'
import { Universe } from '../universe/universe.js'
import { createClobHost } from './host.js'

const START_MS = Date.UTC(2026, 10, 12)
const NOW_MS = START_MS + 40 * 60_000
const POLYGON = 137

let host: Host
let client: ClobClient
let market: Market
let up: string
let down: string
const universe = new Universe({ seed: 11, startMs: START_MS })

beforeAll(async () => {
  universe.advance(NOW_MS)
  const found = universe.catalogue.marketBySlug(`eth-updown-5m-${NOW_MS / 1000}`)
  if (found === undefined) throw new Error('not in this universe')
  market = found
  up = market.tokens[0].decimal
  down = market.tokens[1].decimal
  host = await openHost('clob', new Faults(), createClobHost(universe))
  client = new ClobClient(host.url, POLYGON)
})
afterAll(() => host.close())

test('markets of all four lists, and one by its condition', async () => {
  const pages = await Promise.all([
    client.getMarkets(),
    client.getSimplifiedMarkets(),
    client.getSamplingMarkets(),
    client.getSamplingSimplifiedMarkets(),
  ])
  for (const { data, count, limit } of pages) {
    expect(data).toHaveLength(count)
    expect(count).toBeLessThanOrEqual(limit)
    expect(data[0]?.condition_id).toMatch(/^0x[0-9a-f]{64}$/)
  }
  const first = pages[0]
  const second = await client.getMarkets(first.next_cursor)
  expect(second.data[0]?.condition_id).not.toBe(first.data[0]?.condition_id)
  const one = await client.getMarket(market.conditionId)
  expect(one).toMatchObject({
    market_slug: market.slug,
    tokens: [{ token_id: up }, { token_id: down }],
  })
})

test('books, with the hash that the client computes itself', async () => {
  const book = await client.getOrderBook(up)
  expect(book.asset_id).toBe(up)
  const { hash } = book
  expect(await client.getOrderBookHash(book)).toBe(hash)
  const books = await client.getOrderBooks([
    { token_id: up, side: Side.BUY },
    { token_id: down, side: Side.BUY },
  ])
  expect(books.map(({ asset_id }) => asset_id)).toEqual([up, down])
})

test('midpoints, prices, spreads and last trades', async () => {
  const both = [
    { token_id: up, side: Side.BUY },
    { token_id: down, side: Side.SELL },
  ]
  const { mid } = await client.getMidpoint(up)
  expect((await client.getMidpoints(both))[up]).toBe(mid)
  const { price } = await client.getPrice(up, Side.BUY)
  expect((await client.getPrices(both))[up].BUY).toBe(price)
  const { spread } = await client.getSpread(up)
  expect((await client.getSpreads(both))[up]).toBe(spread)
  const last = await client.getLastTradePrice(up)
  const [first] = await client.getLastTradesPrices(both)
  expect(first).toEqual({ token_id: up, ...last })
  expect(await client.calculateMarketPrice(up, Side.BUY, 10)).toBeGreaterThan(Number(mid))
})

test('price history by interval and by span', async () => {
  const query = { market: up, interval: PriceHistoryInterval.ONE_HOUR, fidelity: 5 }
  // The client's type says an array; the host has always wrapped it.
  const { history } = (await client.getPricesHistory(query)) as unknown as {
    history: { t: number; p: number }[]
  }
  expect(history.at(-1)).toEqual({ t: NOW_MS / 1000, p: expect.any(Number) })
  const span = await client.getPricesHistory({
    market: up,
    startTs: NOW_MS / 1000 - 600,
    endTs: NOW_MS / 1000,
  })
  expect(span).toMatchObject({ history: expect.any(Array) })
})

test('tick size, neg risk, fee rate, time, trades of a market', async () => {
  expect(['0.01', '0.001']).toContain(await client.getTickSize(up))
  expect(await client.getNegRisk(up)).toBe(false)
  expect(await client.getFeeRateBps(up)).toBe(1000)
  expect(await client.getServerTime()).toBe(NOW_MS / 1000)
  expect(await client.getOk()).toBe('OK')
  expect(await client.getMarketTradesEvents(market.conditionId)).toEqual(expect.any(Array))
})

test('markets that pay rewards', async () => {
  const all = await client.getCurrentRewards()
  const id = all[0]?.condition_id ?? ''
  const [one] = await client.getRawRewardsForMarket(id)
  expect(one).toMatchObject({
    condition_id: id,
    question: expect.any(String),
    rewards_config: [{ rate_per_day: expect.any(Number), start_date: expect.any(String) }],
    tokens: [{ token_id: expect.any(String), price: expect.any(Number) }, { outcome: 'No' }],
  })
})

test('errors keep their text', async () => {
  await expect(client.getTickSize('123')).rejects.toThrow('market not found')
  expect(await client.getOrderBook('123')).toMatchObject({
    error: 'No orderbook exists for the requested token id',
    status: 404,
  })
})
