import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../../test/simulated-app.js'
import { listenSockets, SocketClient } from '../../../test/socket-client.js'
import { until } from '../../../test/until.js'
import { parseScoreFrame } from '../../upstreams/sports-ws/parse.js'
import { findGame } from '../games/find-game.js'
import { HoldingProxy } from '../test-holding-proxy.js'
import { tokensOf } from './game-tokens.js'
import { readGameHistory } from './read-histories.js'

let t: SimulatedApp
let proxies: { gamma: HoldingProxy; clob: HoldingProxy }
/** Slugs of games whose markets are all open. */
let slugs: string[]
beforeAll(async () => {
  proxies = { gamma: await HoldingProxy.open(), clob: await HoldingProxy.open() }
  t = await openSimulatedApp({
    hasGames: true,
    timing: new JumpingTiming(),
    reroute: (urls) => ({
      ...urls,
      gamma: proxies.gamma.forwardTo(urls.gamma),
      clob: proxies.clob.forwardTo(urls.clob),
    }),
  })
  const nowMs = t.universe.nowMs
  slugs = t.universe.games().flatMap(({ slug, startMs }) => (startMs > nowMs ? slug : []))
})
afterAll(async () => {
  await t.close()
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()))
})
// Copies and answers of the test before are old.
beforeEach(() => t.clock.advance(60_000))
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

const state = (query = '', slug = slugs[0]) => t.get(`/v2/sports/games/${slug}/state?${query}`)
const prices = (query = '', slug = slugs[0]) => t.get(`/v2/sports/games/${slug}/prices?${query}`)
const history = (query = '', slug = slugs[0]) => t.get(`/v2/sports/games/${slug}/history?${query}`)

type Price = { token_id: string; best_bid: string | null; best_ask: string | null }

/** A game that no test has asked for. */
const takeSlug = (): string => slugs.pop() ?? ''

describe('GET /v2/sports/games/{slug}/prices', () => {
  test('200: what the exchange answers, in the order of the markets', async () => {
    const body = (await prices()).json()
    expect(body).toMatchObject({ slug: slugs[0], source: 'polymarket_clob', truncated: false })
    expect(body).toMatchObject({ fallback: false, stale: false })
    expect(body.count).toBe(body.tokens.length)
    expect(body.total_tokens).toBe(body.count)
    expect(body.tokens[0].market_type).toBe('moneyline')
    const ids: string[] = body.tokens.map(({ token_id }: Price) => token_id)
    expect(body.subscribe.token_ids).toEqual(ids)
    const { clob } = t.ctx.upstreams
    const [exchange, midpoints] = [await clob.getPrices(ids), await clob.getMidpoints(ids)]
    for (const { token_id, best_bid, best_ask, midpoint } of body.tokens) {
      const { buy, sell } = exchange.get(token_id) ?? {}
      expect([Number(best_bid ?? 0), Number(best_ask ?? 1)]).toEqual([Number(buy), Number(sell)])
      expect(midpoint).toBe(midpoints.get(token_id))
    }
  })

  test('200: a limit cuts the tokens; one that is too high is the highest', async () => {
    const all = (await prices('limit_tokens=1000000')).json()
    const some = (await prices('limit_tokens=3')).json()
    expect(some).toMatchObject({ count: 3, truncated: true, total_tokens: all.total_tokens })
    expect(some.tokens).toEqual(all.tokens.slice(0, 3))
    expect(some.subscribe.token_ids).toHaveLength(3)
  })

  test('200: books that are followed answer for the exchange', async () => {
    const ids: string[] = (await prices()).json().subscribe.token_ids
    t.ctx.books.follow(ids, 1)
    await until(() => ids.every((id) => t.ctx.books.get(id)?.state === 'live'))
    t.clock.advance(60_000)
    const before = (await prices()).json()
    proxies.clob.hold()
    t.clock.advance(5_000)
    const { tokens, source } = (await prices()).json()
    expect(source).toBe('polymarket_clob')
    expect(tokens).toEqual(before.tokens)
    expect(proxies.clob.seen).toEqual([])
    await proxies.clob.release()
    t.ctx.books.release(ids, 1)
  })

  test('200: the prices that Gamma shows stand in for an exchange that is down', async () => {
    const slug = takeSlug()
    const usual = (await prices('', slug)).json()
    t.faults.set({ upstream: 'clob', mode: '500' })
    t.clock.advance(6_000)
    const body = (await prices('', slug)).json()
    expect(body).toMatchObject({ source: 'polymarket_gamma', fallback: true, stale: false })
    for (const [index, { best_bid, best_ask }] of body.tokens.entries()) {
      expect(Number(best_bid)).toBeCloseTo(Number(usual.tokens[index].best_bid), 1)
      expect(Number(best_ask)).toBeCloseTo(Number(usual.tokens[index].best_ask), 1)
    }
    // Without Gamma the last copy is shown.
    t.faults.set({ upstream: 'gamma', mode: '500' })
    t.clock.advance(60_000)
    expect((await prices('', slug)).json()).toMatchObject({ stale: true, fallback: true })
  })

  test('502: a game that was never read, while Gamma is down', async () => {
    t.faults.set({ upstream: 'gamma', mode: '500' })
    const reply = await prices('', takeSlug())
    expect(reply.statusCode).toBe(502)
    expect(reply.json()).toEqual({ error: 'temporary_data_provider_error', detail: 'gamma' })
  })
})

describe('GET /v2/sports/games/{slug}/state', () => {
  test('200: before the start', async () => {
    const body = (await state()).json()
    expect(body).toMatchObject({
      slug: slugs[0],
      status: 'scheduled',
      source: {
        metadata: 'polymarket_gamma',
        prices: 'polymarket_clob',
        history: null,
        score: 'polymarket_gamma',
      },
      score: { source: 'gamma:event', score: null, period: 'NS', live: null, freshness: 'unknown' },
      history: null,
    })
    const tokens = (await prices()).json().tokens
    const shown = body.markets.flatMap(({ prices }: { prices: Price[] }) => prices)
    expect(shown.map(({ best_bid }: Price) => best_bid)).toEqual(
      tokens.map(({ best_bid }: Price) => best_bid),
    )
  })

  test('200: a limit leaves markets without prices; True is true', async () => {
    const body = (await state('price_limit_tokens=3&include_history=True&history_limit_tokens=2')).json()
    const counts = body.markets.map(({ prices }: { prices: Price[] }) => prices.length)
    expect(counts.slice(0, 3)).toEqual([2, 1, 0])
    expect(body).toMatchObject({ truncated: true, total_tokens: 2 * body.markets.length })
    expect(body.source.history).toBe('polymarket_clob')
    expect(body.history).toEqual((await history('limit_tokens=2')).json().tokens)
  })

  test('200: without histories, while the exchange is down', async () => {
    t.faults.set({ upstream: 'clob', mode: '500' })
    const body = (await state('include_history=true', takeSlug())).json()
    expect(body).toMatchObject({ fallback: true, history: null, source: { history: null } })
  })

  test('200: a score of the socket is newer than that of the event', async () => {
    const slug = takeSlug()
    const message = { slug, status: 'InProgress', score: '3-1', period: 'Q1', live: true }
    const frame = parseScoreFrame(JSON.stringify({ ...message, gameId: 1, ended: false }))
    for (const score of frame?.kind === 'scores' ? frame.scores : []) t.ctx.scores.accept(score)
    const body = (await state('', slug)).json()
    expect(body.status).toBe('live')
    expect(body.source.score).toBe('polymarket_sports')
    const score = { source: 'sports:ws', score: '3-1', period: 'Q1', live: true, freshness: 'live' }
    expect(body.score).toMatchObject(score)
  })

  test('its message follows the books on our own socket', async () => {
    await listenSockets(t.app)
    const { port } = t.app.server.address() as { port: number }
    const reply = await fetch(`http://127.0.0.1:${port}/v2/sports/games/${slugs[0]}/state`, {
      headers: { 'x-api-key': t.key },
    })
    const { subscribe } = (await reply.json()) as { subscribe: { ws: string; token_ids: string[] } }
    const client = await SocketClient.open(`${subscribe.ws}?key=${t.key}`)
    client.send(subscribe)
    await client.next(({ type }) => type === 'snapshots_done')
    const text = JSON.stringify(client.messages)
    expect(subscribe.token_ids.filter((id) => !text.includes(id))).toEqual([])
    client.socket.close()
    await client.closed()
  })

  test('500 requests for a game that is not known make two rounds of calls', async () => {
    const slug = takeSlug()
    proxies.gamma.hold()
    proxies.clob.hold()
    const requests = Array.from({ length: 500 }, () => state('include_history=true', slug))
    await proxies.gamma.forwardHeld(2)
    await proxies.clob.forwardHeld(4)
    const replies = await Promise.all(requests)
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(replies[0]?.json().total_tokens).toBeGreaterThan(2)
    expect(proxies.gamma.seen).toHaveLength(2)
    expect(proxies.clob.seen.toSorted()).toEqual([
      'POST /batch-prices-history',
      'POST /midpoints',
      'POST /prices',
      'POST /spreads',
    ])
    await Promise.all([proxies.gamma.release(), proxies.clob.release()])
  })
})

describe('GET /v2/sports/games/{slug}/history', () => {
  test('200: everything, for twenty tokens at most', async () => {
    const body = (await history('limit_tokens=100')).json()
    expect(body).toMatchObject({ source: 'polymarket_clob', truncated: body.total_tokens > 20 })
    expect(body.count).toBe(Math.min(20, body.total_tokens))
    for (const { history } of body.tokens) {
      const times = history.map(({ t }: { t: number }) => t)
      expect(times.length).toBeGreaterThan(0)
      expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
    }
  })

  test('200: a span, a day, and a time without prices', async () => {
    const sec = Math.floor(t.universe.nowMs / 1000)
    const [{ history: points }] = (await history(`start_ts=${sec - 600}&end_ts=${sec}`)).json().tokens
    expect(points.length).toBeGreaterThan(9)
    expect(points[0].t).toBeGreaterThanOrEqual(sec - 600)
    const day = new Date(t.universe.nowMs).toISOString().slice(0, 10)
    expect((await history(`start_ts=${day}`)).json().tokens[0].history.length).toBeGreaterThan(0)
    expect((await history('end_ts=1')).json().tokens[0].history).toEqual([])
  })

  test('a market that has moved to the front has its history, too', async () => {
    const { key } = await t.createCaller('starter')
    const caller = await t.ctx.admission.identify(key, { ip: '127.0.0.1' })
    const tools = { platform: t.ctx, deps: t.ctx, caller }
    const slug = slugs.find((each) => /^(nba|nfl|epl)-/.test(each)) ?? ''
    const { value: game } = await findGame(tools, { slug })
    expect(tokensOf(game).length).toBeGreaterThan(20)
    const moved = { ...game, markets: game.markets.toReversed() }
    for (const each of [game, moved]) {
      const { tokens } = await readGameHistory(tools, each, { limit_tokens: 20, interval: '1w' })
      expect(tokens.filter(({ history }) => history.length === 0)).toEqual([])
    }
  })

  test('200 with a copy and 502 without one, while the exchange is down', async () => {
    const body = (await history('interval=1d')).json()
    t.faults.set({ upstream: 'clob', mode: '500' })
    t.clock.advance(90_000)
    expect((await history('interval=1d')).json()).toEqual({ ...body, stale: true })
    const reply = await history('interval=1d&fidelity=7')
    expect(reply.statusCode).toBe(502)
    expect(reply.json()).toEqual({ error: 'temporary_data_provider_error', detail: 'clob' })
  })
})

test.each([
  ['prices', 'limit_tokens=0', /limit_tokens/],
  ['prices', 'limit_tokens=many', /limit_tokens/],
  ['history', 'limit_tokens=-1', /limit_tokens/],
  ['history', 'interval=2d', /^Invalid interval. Allowed: max, 1d, 1w, 6h, 1h, 1m, all$/],
  ['history', 'start_ts=1793000000000', /^Invalid start_ts: give Unix seconds, not milliseconds/],
  ['history', 'start_ts=yesterday', /start_ts/],
  ['history', 'start_ts=20&end_ts=10', /start_ts/],
  ['history', 'interval=1d&end_ts=10', /interval/],
  ['history', 'fidelity=0', /fidelity/],
  ['state', 'include_history=maybe', /include_history/],
  ['state', 'price_limit_tokens=1.5', /price_limit_tokens/],
  ['state', 'history_limit_tokens=0', /history_limit_tokens/],
  ['state', 'include_history=1&start_ts=2026-02-30', /start_ts/],
  ['state', 'start_ts=1793000000000', /^Invalid start_ts: give Unix seconds, not milliseconds/],
])('400: %s?%s', async (path, query, error) => {
  const reply = await t.get(`/v2/sports/games/${slugs[0]}/${path}?${query}`)
  expect(reply.statusCode).toBe(400)
  expect(reply.json().error).toMatch(error)
})
