import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClobHost } from '../../../sim/clob/host.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { systemClock } from '../../core/clock.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { ClobClient, type ClobHistorySpan } from './client.js'

const START_MS = Date.UTC(2026, 10, 12)
const DAY_SEC = 86_400
const universe = new Universe({ seed: 12, startMs: START_MS })

let host: Host
let clob: ClobClient
let openTokens: string[]
let closedToken: string
const urls: string[] = []

beforeAll(async () => {
  universe.advance(START_MS + 90 * 60_000)
  const events = universe.catalogue.events()
  const tokens = events.flatMap(({ markets }) => markets.flatMap((market) => market.tokens))
  const open = tokens.filter((token) => universe.books.book(token) !== undefined)
  openTokens = [...new Set(open.map(({ decimal }) => decimal))]
  const windows = events.filter(({ window }) => window?.interval === '5m')
  const over = windows.find(({ endMs }) => endMs > START_MS && endMs < universe.nowMs - 600_000)
  closedToken = over?.markets[0]?.tokens[0].decimal ?? ''

  const { http } = createClobHost(universe)
  host = await openHost('clob', new Faults(), {
    http: (request) => {
      urls.push(request.url)
      return http?.(request) ?? { status: 404, body: '' }
    },
  })
  const metrics = createUpstreamMetrics(new Registry())
  clob = new ClobClient({ url: host.url, metrics, clock: systemClock })
})
afterAll(async () => {
  await clob.close()
  await host.close()
})

const first = () => openTokens[0] ?? ''

describe('books', () => {
  test('one, best level first on both sides', async () => {
    const book = (await clob.getBooks([first()])).get(first())
    const { bids = [], asks = [] } = book ?? {}
    const prices = (levels: { price: string }[]) => levels.map(({ price }) => Number(price))
    expect(prices(bids)).toEqual(prices(bids).toSorted((a, b) => b - a))
    expect(prices(asks)).toEqual(prices(asks).toSorted((a, b) => a - b))
    expect(Number(bids[0]?.price)).toBeLessThan(Number(asks[0]?.price))
    expect(book).toMatchObject({ tokenId: first(), hash: expect.stringMatching(/^[0-9a-f]{40}$/) })
  })

  test('many, in calls of five hundred; those without a book are absent', async () => {
    urls.length = 0
    const books = await clob.getBooks([...openTokens, closedToken])
    expect(openTokens.length).toBeGreaterThan(500)
    expect([...books.keys()].toSorted()).toEqual(openTokens.toSorted())
    expect(urls).toHaveLength(Math.ceil((openTokens.length + 1) / 500))
  })
})

test('prices, midpoints and spreads fit together', async () => {
  const tokens = openTokens.slice(0, 300)
  const [prices, midpoints, spreads] = await Promise.all([
    clob.getPrices([...tokens, closedToken]),
    clob.getMidpoints(tokens),
    clob.getSpreads(tokens),
  ])
  expect(prices.has(closedToken)).toBe(false)
  for (const token of tokens) {
    const { buy, sell } = prices.get(token) ?? {}
    expect(Number(midpoints.get(token))).toBeCloseTo((Number(buy) + Number(sell)) / 2, 6)
    expect(Number(spreads.get(token))).toBeCloseTo(Number(sell) - Number(buy), 6)
  }
})

describe('price history', () => {
  const historyOf = async (token: string, span: ClobHistorySpan) =>
    (await clob.getBatchPriceHistory([token], span)).get(token) ?? []

  test('of an interval, oldest first', async () => {
    const points = await historyOf(closedToken, { interval: 'max', fidelityMinutes: 1 })
    expect(points.length).toBeGreaterThan(1)
    const times = points.map(({ timeSec }) => timeSec)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test('of a span that is too wide for one call: the same as of its parts', async () => {
    const endSec = Math.floor(universe.nowMs / 1_000)
    const span = { startSec: endSec - 40 * DAY_SEC, endSec, fidelityMinutes: 1 }
    urls.length = 0
    const wide = await historyOf(closedToken, span)
    expect(urls.length).toBeGreaterThan(1)
    const lastDay = { ...span, startSec: endSec - DAY_SEC }
    expect(wide.slice(-10)).toEqual((await historyOf(closedToken, lastDay)).slice(-10))
    expect(new Set(wide.map(({ timeSec }) => timeSec)).size).toBe(wide.length)
  })

  test('of what is no token: refused, without asking for ever smaller parts', async () => {
    const endSec = Math.floor(universe.nowMs / 1_000)
    urls.length = 0
    const span = { startSec: endSec - 1_000 * DAY_SEC, endSec }
    await expect(historyOf('abc', span)).rejects.toMatchObject({ status: 400 })
    expect(urls.length).toBeLessThan(15)
  })

  test('of many tokens, in calls of twenty', async () => {
    urls.length = 0
    const tokens = openTokens.slice(0, 45)
    const histories = await clob.getBatchPriceHistory(tokens, { interval: '1d' })
    expect([...histories.keys()].toSorted()).toEqual(tokens.toSorted())
    expect(urls).toHaveLength(3)
  })

  test('of many tokens over a span that is too wide: the same as of each', async () => {
    const endSec = Math.floor(universe.nowMs / 1_000)
    const span = { startSec: endSec - 40 * DAY_SEC, endSec, fidelityMinutes: 1 }
    const tokens = [closedToken, first()]
    const histories = await clob.getBatchPriceHistory(tokens, span)
    for (const token of tokens) {
      expect(histories.get(token)).toEqual(await historyOf(token, span))
    }
  })
})

test('the time of the server', async () => {
  expect(await clob.getServerTime()).toBe(Math.floor(universe.nowMs / 1_000))
})

describe('rewards', () => {
  test('a page, the next one by its cursor, and one market with its tokens', async () => {
    const page = await clob.getRewardMarkets({ sponsored: false })
    expect(page).toMatchObject({ data: expect.any(Array), next_cursor: expect.any(String) })
    expect(urls.at(-1)).toBe('/rewards/markets/current?sponsored=false')
    const nextCursor = 'NQ=='
    await clob.getRewardMarkets({ sponsored: true, nextCursor })
    expect(urls.at(-1)).toBe('/rewards/markets/current?sponsored=true&next_cursor=NQ%3D%3D')
    const [{ condition_id: id = '' } = {}] = page.data as { condition_id?: string }[]
    const one = await clob.getRewardMarket(id, { sponsored: true })
    expect(one).toMatchObject({ data: [{ condition_id: id, tokens: [{ outcome: 'Yes' }, {}] }] })
  })

  test('undefined for a market that is none', async () => {
    const none = await clob.getRewardMarket(`0x${'1'.repeat(64)}`, { sponsored: false })
    expect(none).toBeUndefined()
  })
})

describe('rebates', () => {
  const date = new Date(START_MS).toISOString().slice(0, 10)

  test('of the key that signs for a maker', async () => {
    const { matches } = universe.settledActs
    const makers = matches.flatMap(({ tx }) => tx.act.makers.map(({ order }) => order.wallet))
    const answers = []
    for (const { owner } of new Set(makers)) answers.push(...(await clob.getRebates(date, owner)))
    expect(answers.length).toBeGreaterThan(0)
    for (const { date: day, rebatedFeesUsdc } of answers) {
      expect(day).toBe(date)
      expect(Number(rebatedFeesUsdc)).toBeGreaterThan(0)
    }
  })

  test('the address of a wallet is refused, with what the order book says to it', async () => {
    const { address } = universe.wallets.find(({ kind }) => kind === 'safe') ?? { address: '' }
    await expect(clob.getRebates(date, address)).rejects.toMatchObject({
      status: 400,
      retryable: false,
      said: 'maker address is not a signer address',
    })
  })
})
