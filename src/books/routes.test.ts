import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { MarketEvent } from '../../sim/universe/market.js'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'
import { until } from '../../test/until.js'
import { syncWholeCatalogue } from '../catalogue/full-sync.js'
import { selectOpenTokens } from './queries.js'

let t: SimulatedApp
let event: MarketEvent
let tokenId: string
let conditionId: string
beforeAll(async () => {
  t = await openSimulatedApp({ timing: new JumpingTiming() })
  const { signal } = new AbortController()
  await syncWholeCatalogue(t.domains.catalogue, signal, () => undefined)
  const events = t.universe.catalogue
    .events()
    .filter(
      ({ window, endMs, markets }) => window === undefined && endMs > t.clock.now() && markets.length > 2,
    )
  const [found] = events
  if (found === undefined) throw new Error('no event is open')
  event = found
  tokenId = event.markets[0]?.tokens[0].decimal ?? ''
  conditionId = event.markets[0]?.conditionId ?? ''
})
afterAll(() => t.close())
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

const UNKNOWN_TOKEN = '1234567890123'

/** What the exchange answers itself. */
const own = async (path: string) =>
  (await (await fetch(`${t.ctx.config.clobUrl}${path}`)).json()) as Record<string, unknown>

describe('GET /v1/orderbook/{id}', () => {
  test("200: the exchange's own book of a token, with its market", async () => {
    const reply = await t.get(`/v1/orderbook/${tokenId}`)
    expect(reply.statusCode).toBe(200)
    const [market] = event.markets
    expect(reply.json()).toEqual({
      ...(await own(`/book?token_id=${tokenId}`)),
      metadata: {
        question: market?.question,
        slug: market?.slug,
        outcomes: ['Yes', 'No'],
        condition_id: conditionId,
        image: expect.toBeOneOf([expect.any(String), null]),
      },
      elapsed_ms: expect.any(Number),
    })
    expect(t.ctx.books.get(tokenId)?.state).toBe('live')
  })

  test('200: both tokens of a condition, whose id is in any letter case', async () => {
    const reply = await t.get(`/v1/orderbook/${conditionId.toUpperCase().replace('X', 'x')}`)
    const { outcomes, ...head } = reply.json()
    expect(head).toMatchObject({
      condition_id: conditionId,
      question: event.markets[0]?.question,
      event_title: event.title,
    })
    expect(outcomes).toMatchObject(
      await Promise.all(
        (event.markets[0]?.tokens ?? []).map(async ({ decimal }, index) => ({
          token_id: decimal,
          outcome: ['Yes', 'No'][index],
          ...(await own(`/book?token_id=${decimal}`)),
        })),
      ),
    )
  })

  test('200: the tokens of an event', async () => {
    const { outcomes, ...head } = (await t.get(`/v1/orderbook/${event.slug}`)).json()
    expect(head).toMatchObject({ slug: event.slug, event_title: event.title })
    const tokens = event.markets.flatMap((market) => market.tokens.map(({ decimal }) => decimal))
    const shown = outcomes.map((row: { token_id: string }) => row.token_id)
    expect(shown.toSorted()).toEqual(tokens.toSorted())
  })

  test('200: while the stream is broken, what the exchange answers', async () => {
    const [, token] = event.markets[1]?.tokens ?? []
    t.faults.set({ upstream: 'clob_ws', mode: 'drop' })
    await until(() => t.ctx.books.get(tokenId)?.state === 'stale')
    for (const id of [tokenId, token?.decimal]) {
      const reply = await t.get(`/v1/orderbook/${id}`)
      expect(reply.json()).toMatchObject(await own(`/book?token_id=${id}`))
    }
  })

  test.each([
    ['a condition id that is none', '0x12', /^Invalid id: a condition/],
    ['a number that is no token', '9'.repeat(78), /^Invalid id: a token/],
    ['a number of too many digits', '1'.repeat(200), /^Invalid id: a token/],
    ['text that is too long', 'a'.repeat(301), /id/],
    ['text with a zero character', 'a%00b', /null character/],
  ])('400: %s', async (_what, id, error) => {
    const reply = await t.get(`/v1/orderbook/${id}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(error)
  })

  test.each([
    ['a token that is not known', UNKNOWN_TOKEN],
    ['a condition that is not known', `0x${'1'.repeat(64)}`],
    ['an event that is not known', 'no-such-event'],
    ['text that is no slug', '%F0%9F%A6%89'],
  ])('404: %s', async (_what, id) => {
    expect((await t.get(`/v1/orderbook/${id}`)).statusCode).toBe(404)
    expect(t.ctx.books.get(UNKNOWN_TOKEN)).toBeUndefined()
  })

  test('404: a market that is over', async () => {
    const over = t.universe.catalogue.events().find(({ endMs }) => endMs < t.clock.now() - 600_000)
    const { decimal = '' } = over?.markets[0]?.tokens[0] ?? {}
    expect((await t.get(`/v1/orderbook/${decimal}`)).statusCode).toBe(404)
  })

  test('502: neither the stream nor the exchange answers', async () => {
    t.faults.set({ upstream: 'clob_ws', mode: 'drop' })
    t.faults.set({ upstream: 'clob', mode: '500' })
    const reply = await t.get(`/v1/orderbook/${event.markets[2]?.tokens[0].decimal}`)
    expect(reply.statusCode).toBe(502)
    expect(reply.json().error).toMatch(/order book/)
  })

  test('401: without a key', async () => {
    expect((await t.app.inject(`/v1/orderbook/${tokenId}`)).statusCode).toBe(401)
  })
})

test('all books are those of the markets that take orders, the most traded first', async () => {
  const open = await selectOpenTokens(t.ctx.sql, 100_000)
  const takesOrders = (id: string) => {
    const token = t.universe.catalogue.token(id)
    return token !== undefined && t.universe.books.book(token) !== undefined
  }
  expect(open.length).toBeGreaterThan(500)
  expect(open.filter((id) => !takesOrders(id))).toEqual([])
  expect(new Set(open).size).toBe(open.length)
  expect(await selectOpenTokens(t.ctx.sql, 3)).toEqual(open.slice(0, 3))
  t.ctx.books.followAll()
  await until(() => open.every((id) => t.ctx.books.allTokens.has(id)))
  await until(() => open.every((id) => t.ctx.books.get(id)?.state === 'live'))
  t.ctx.books.releaseAll()
})

describe.each([
  ['midpoint', 'mid'],
  ['spread', 'spread'],
])('GET /v1/%s/{id}', (path, field) => {
  test('200: of a token, a condition and an event', async () => {
    const { [field]: value } = await own(`/${path}?token_id=${tokenId}`)
    const market = { question: event.markets[0]?.question, slug: event.markets[0]?.slug }
    expect((await t.get(`/v1/${path}/${tokenId}`)).json()).toEqual({
      [field]: value,
      token_id: tokenId,
      ...market,
      elapsed_ms: expect.any(Number),
    })
    const ofCondition = (await t.get(`/v1/${path}/${conditionId}`)).json()
    expect(ofCondition.outcomes[0]).toEqual({
      token_id: tokenId,
      outcome: 'Yes',
      question: market.question,
      [field]: value,
    })
    const ofEvent = (await t.get(`/v1/${path}/${event.slug}`)).json()
    expect(ofEvent.outcomes).toHaveLength(event.markets.length * 2)
  })

  test('400 and 404', async () => {
    expect((await t.get(`/v1/${path}/0x12`)).statusCode).toBe(400)
    expect((await t.get(`/v1/${path}/${UNKNOWN_TOKEN}`)).statusCode).toBe(404)
  })
})
