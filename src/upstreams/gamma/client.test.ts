import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGammaHost } from '../../../sim/gamma/host.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { systemClock } from '../../core/clock.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { GammaClient } from './client.js'
import type { SalvagedPage } from './salvage.js'

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 11, startMs: START_MS })
const { catalogue } = universe

let host: Host
let gamma: GammaClient
const requests: { path: string; query: URLSearchParams }[] = []
beforeAll(async () => {
  universe.advance(START_MS + 90 * 60_000)
  const { http } = createGammaHost(universe)
  host = await openHost('gamma', new Faults(), {
    http: (request) => {
      requests.push(request)
      return http?.(request) ?? { status: 404, body: '' }
    },
  })
  const metrics = createUpstreamMetrics(new Registry())
  gamma = new GammaClient({ url: host.url, metrics, clock: systemClock })
})
afterAll(async () => {
  // Of these two lists only those by cursor are served by today's host for long.
  expect(requests.map(({ path }) => path)).not.toContain('/events')
  expect(requests.map(({ path }) => path)).not.toContain('/markets')
  await gamma.close()
  await host.close()
})

const collect = async <T>(pages: AsyncIterable<SalvagedPage<T>>): Promise<T[]> => {
  const all: T[] = []
  for await (const { items, faults } of pages) {
    expect(faults).toEqual([])
    all.push(...items)
  }
  return all
}
const windows = () => catalogue.events().filter(({ window }) => window !== undefined)

describe('lists', () => {
  test('the first events and markets of a filter', async () => {
    const filter = { tagSlug: 'crypto', closed: false, order: 'volume24hr', ascending: false }
    const events = await gamma.listEvents({ ...filter, limit: 30 })
    const volumes = events.map(({ volume24hr }) => volume24hr ?? 0)
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
    expect(events).toHaveLength(30)
    expect(await gamma.listMarkets({ closed: true, limit: 3 })).toHaveLength(3)
  })

  test('every event of a filter, page after page, none twice', async () => {
    const events = await collect(gamma.eachEventPage({ closed: false }))
    expect(events.length).toBeGreaterThan(200)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    expect(events.every(({ closed, markets }) => closed === false && markets.length > 0)).toBe(true)
  })

  test('every open market, page after page, none twice', async () => {
    const markets = await collect(gamma.eachMarketPage({ closed: false }))
    expect(markets.length).toBeGreaterThan(100)
    expect(new Set(markets.map(({ id }) => id)).size).toBe(markets.length)
    for (const { tokens, events } of markets) {
      expect(tokens.map(({ outcome }) => outcome)).toHaveLength(2)
      expect(events).toHaveLength(1)
    }
  })

  test('a reader who stops early asks for no further page', async () => {
    for await (const { items } of gamma.eachEventPage({})) {
      expect(items.length).toBeGreaterThan(0)
      break
    }
  })

  test('sports and teams', async () => {
    expect(await gamma.listSports()).toEqual(expect.any(Array))
    expect((await gamma.listTeams({ league: ['nba'] })).items).toEqual(expect.any(Array))
  })
})

describe('lookups', () => {
  test('many events by slug, open and closed, in calls of a hundred', async () => {
    const slugs = windows()
      .slice(0, 250)
      .map(({ slug }) => slug)
    const found = await gamma.getEventsBySlugs([...slugs, 'no-such-event'])
    expect([...found.keys()].toSorted()).toEqual(slugs.toSorted())
    expect(new Set([...found.values()].map(({ closed }) => closed))).toEqual(new Set([true, false]))
  })

  test('many markets by token and by condition, open and closed', async () => {
    const markets = windows()
      .slice(0, 70)
      .flatMap((event) => event.markets)
    const tokenIds = markets.flatMap(({ tokens }) => tokens.map(({ decimal }) => decimal))
    const byToken = await gamma.getMarketsByTokens([...tokenIds, '123'])
    expect([...byToken.keys()].toSorted()).toEqual(tokenIds.toSorted())
    const { length } = requests
    const byCondition = await gamma.getMarketsByConditions(markets.map((m) => m.conditionId))
    for (const { query } of requests.slice(length))
      expect(query.getAll('condition_ids').length).toBeLessThanOrEqual(20)
    expect(byCondition.size).toBe(markets.length)
    for (const { conditionId, tokens } of markets) {
      expect(byCondition.get(conditionId)?.tokens.map(({ tokenId }) => tokenId)).toEqual(
        tokens.map(({ decimal }) => decimal),
      )
    }
  })

  test('search', async () => {
    const search = { q: 'bitcoin', limitPerType: 5, eventsTag: ['crypto'], keepClosedMarkets: 24 }
    const [event] = await gamma.searchEvents(search)
    expect(event?.title).toMatch(/bitcoin/i)
  })

  test('profiles, and undefined for an address without one', async () => {
    const wallet = universe.wallets.find(({ name }) => name !== '')
    const profile = await gamma.getProfile(wallet?.address ?? '')
    expect(profile).toMatchObject({ name: wallet?.name })
    expect(await gamma.getProfile(`0x${'1'.repeat(40)}`)).toBeUndefined()
  })
})

describe('a profile by its name', () => {
  test('in any letter case, not by a part of it', async () => {
    const { nowMs, wallets } = universe
    const known = wallets.filter(({ name, createdMs }) => name !== '' && createdMs <= nowMs)
    for (const { name, address } of known.slice(0, 20)) {
      const found = await gamma.findProfileByName(name.toUpperCase())
      expect(found).toMatchObject({ name, proxyWallet: address })
    }
    const part = known[0]?.name.slice(0, 4) ?? ''
    expect(await gamma.findProfileByName(part)).toBeUndefined()
  })

  test('undefined when the search finds other things alone', async () => {
    expect(await gamma.findProfileByName('bitcoin')).toBeUndefined()
  })
})

test('a refusal of Gamma is an error with its message', async () => {
  await expect(gamma.getProfile('nobody')).rejects.toMatchObject({
    status: 400,
    retryable: false,
    message: expect.stringContaining('answered 400: invalid address'),
  })
})
