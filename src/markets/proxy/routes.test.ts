import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { MarketEvent } from '../../../sim/universe/market.js'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { MARKET_SHAPES } from '../../../test/strict-client/market-shapes.js'
import { problemsOf } from '../../../test/strict-client/shape.js'

let world: ApiWorld
let windows: MarketEvent[]
beforeAll(async () => {
  world = await openApiWorld()
  windows = world.universe.catalogue.events().filter(({ window }) => window !== undefined)
})
afterAll(() => world.close())
beforeEach(() => world.clock.advance(10_000))
afterEach(() => world.simulator.faults.set({ upstream: '*', mode: 'off' }))

// The world's catalogue lacks every fourth event.
const find = (isStored: boolean): MarketEvent =>
  windows.findLast(({ id }) => (Number(id) % 4 !== 0) === isStored) ?? expect.fail()

/** Without a key. */
const get = (slug: string) => world.app.inject(`/proxy/gamma/events?slug=${slug}`)

async function ask(slug: string) {
  const reply = await get(slug)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(problemsOf(reply.json(), MARKET_SHAPES['/proxy/gamma/events'])).toEqual([])
  return reply.json()
}

const own = async (slug: string) =>
  (await (await fetch(`${world.ctx.config.gammaUrl}/events/slug/${slug}`)).json()) as {
    markets: Record<string, unknown>[]
  }

describe('GET /proxy/gamma/events', () => {
  test.each([
    ['of the catalogue', true],
    ['that the catalogue lacks, from the platform', false],
  ])('200: a window %s, in the form of the platform', async (_what, isStored) => {
    const event = find(isStored)
    if (isStored) world.simulator.faults.set({ upstream: 'gamma', mode: '500' })
    const [shown, ...others] = await ask(event.slug)
    world.simulator.faults.set({ upstream: 'gamma', mode: 'off' })
    const [market] = (await own(event.slug)).markets
    expect(others).toEqual([])
    expect(shown).toMatchObject({
      id: event.id,
      slug: event.slug,
      title: event.title,
      endDate: new Date(event.endMs).toISOString().replace('.000', ''),
    })
    const { outcomes, clobTokenIds, outcomePrices, ...rest } = shown.markets[0]
    for (const [name, text] of Object.entries({ outcomes, clobTokenIds })) {
      expect(JSON.parse(text), name).toEqual(JSON.parse(String(market?.[name])))
    }
    expect(JSON.parse(outcomePrices)).toEqual([expect.any(String), expect.any(String)])
    expect(rest).toMatchObject({
      conditionId: market?.conditionId,
      feesEnabled: market?.feesEnabled,
      takerBaseFee: market?.takerBaseFee,
      version: 'v1',
    })
  })

  test('200: a window of HYPE by either name of the coin', async () => {
    const named = windows.filter(({ slug }) => slug.startsWith('hyperliquid-up-or-down-'))
    for (const isStored of [true, false]) {
      const event = named.find(({ id }) => (Number(id) % 4 !== 0) === isStored) ?? expect.fail()
      const slug = event.slug.replace('hyperliquid', 'hype')
      expect(await ask(slug)).toMatchObject([{ id: event.id, slug: event.slug }])
    }
  })

  test('200: nothing for a slug that neither the catalogue nor the platform has', async () => {
    expect(await ask('btc-updown-5m-1')).toEqual([])
  })

  test('200: the last copy while the platform does not answer; 502 without one', async () => {
    const lacking = windows.filter(({ id }) => Number(id) % 4 === 0)
    const [known, unknown] = lacking.map(({ slug }) => slug)
    const before = await ask(known ?? '')
    world.simulator.faults.set({ upstream: 'gamma', mode: '500' })
    world.clock.advance(60_000)
    expect(await ask(known ?? '')).toEqual(before)
    expect((await get(unknown ?? '')).statusCode).toBe(502)
  })

  test.each(['', 'a b', '..%2Fmarkets', 'x'.repeat(201), 'a&closed=true&slug=b', '-a'])(
    '400: slug=%s',
    async (slug) => {
      const reply = await get(slug)
      expect([reply.statusCode, reply.json().error]).toEqual([400, expect.stringContaining('slug')])
    },
  )

  test('404: no other path of the platform is proxied', async () => {
    for (const path of ['/proxy/gamma/markets', '/proxy/gamma/events/1', '/proxy/polymarket/api/crypto']) {
      expect((await world.app.inject(path)).statusCode).toBe(404)
    }
  })
})
