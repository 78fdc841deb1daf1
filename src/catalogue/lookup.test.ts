import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isClosed } from '../../sim/markets/market-state.js'
import { until } from '../../test/until.js'
import { CatalogueSync } from './catalogue-sync.js'
import { lookUpQueued } from './lookup.js'
import { upsertEvents } from './store.js'
import { type CatalogueWorld, never, openCatalogueWorld } from './test-world.js'

const LIMITS = { marketsMax: 20, waitingMax: 10, absentMax: 5 }

let world: CatalogueWorld
beforeAll(async () => {
  world = await openCatalogueWorld(LIMITS)
})
afterEach(() => world.forget())
afterAll(() => world.close())

const marketAt = (index: number) => {
  const market = world.events().at(index)?.markets[0]
  if (market === undefined) throw new Error(`there is no market at ${index}`)
  const [first, second] = market.tokens
  return { ...market, words: [`0x${first.word}`, `0x${second.word}`] as const, first, second }
}
const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const ask = (token: string) => world.deps.catalogue.byToken(token)

describe('lookUpQueued', () => {
  test('a token that is neither in memory nor in the database is read from Gamma and stored', async () => {
    const market = marketAt(-1)
    expect(ask(market.words[1])).toBeUndefined()
    await lookUpQueued(world.deps, never)
    const info = {
      conditionId: market.conditionId,
      title: market.question,
      slug: market.slug,
      image: market.event.image,
      eventTitle: market.event.title,
      eventSlug: market.event.slug,
      negRisk: false,
      tickSize: 0.01,
      takerBaseFee: 1000,
      outcomes: market.outcomes,
      tokenIds: [market.first.decimal, market.second.decimal],
    }
    expect(ask(market.words[1])).toEqual(info)
    expect(ask(market.words[0])).toBe(ask(market.words[1]))
    expect(world.deps.catalogue.byCondition(market.conditionId)).toEqual(info)
    const rows = await world.sql`
      select m.slug, e.title, array(select tag from event_tags where event = e.id) as tags
        from markets m join events e on e.id = m.event`
    expect(rows).toEqual([{ slug: market.slug, title: market.event.title, tags: expect.any(Array) }])
    expect(rows[0]?.tags).toHaveLength(market.event.tags.length)
  })

  test('what the database has is not requested from Gamma, and says the same', async () => {
    const market = marketAt(0)
    const { items } = await world.deps.gamma.getEventPage({ slug: [market.event.slug] }, undefined)
    await world.sql.begin((tx) => upsertEvents(tx, items, 0))
    world.requests.length = 0
    expect(ask(market.words[0])).toBeUndefined()
    await lookUpQueued(world.deps, never)
    expect(ask(market.words[0])).toMatchObject({
      slug: market.slug,
      eventSlug: market.event.slug,
      tokenIds: [market.first.decimal, market.second.decimal],
    })
    expect(world.requests).toEqual([])
  })

  test('after ten minutes what is in memory is served once more while it is read again', async () => {
    const market = marketAt(-8)
    ask(market.words[0])
    await lookUpQueued(world.deps, never)
    await world.sql`update markets set question = 'Asked differently'`
    expect(ask(market.words[0])).toMatchObject({ title: market.question })
    expect(world.deps.catalogue.lookups.waiting).toBe(0)
    world.clock.advance(10 * 60_000)
    world.requests.length = 0
    expect(ask(market.words[0])).toMatchObject({ title: market.question })
    await lookUpQueued(world.deps, never)
    expect(ask(market.words[0])).toMatchObject({ title: 'Asked differently' })
    expect(world.requests).toEqual([])
  })

  test('a head that comes with a market replaces nothing of an event that is known', async () => {
    const market = marketAt(-2)
    const { items } = await world.deps.gamma.getEventPage({ slug: [market.event.slug] }, undefined)
    await world.sql.begin((tx) => upsertEvents(tx, items, 0))
    await world.sql`delete from markets`
    await world.sql`delete from market_tokens`
    world.spoil = (_request, reply) => {
      const { markets } = reply.body as { markets: { events: unknown[] }[] }
      for (const each of markets) each.events = [{ id: market.event.id, title: 'No more than this' }]
      return reply
    }
    ask(market.words[0])
    await lookUpQueued(world.deps, never)
    const [row] = await world.sql`
      select title, (select count(*)::int from event_tags) as tags from events`
    expect(row).toEqual({ title: market.event.title, tags: market.event.tags.length })
  })

  test('the condition of a structured market, which Gamma shows without its padding, is stored with it', async () => {
    const market = marketAt(-9)
    const conditionId = `0x01${'0a'.repeat(30)}`
    world.spoil = (_request, reply) => {
      const { markets } = reply.body as { markets: { conditionId: string }[] }
      for (const each of markets) each.conditionId = conditionId
      return reply
    }
    ask(market.words[0])
    await lookUpQueued(world.deps, never)
    const [row] = await world.sql`
      select encode(condition, 'hex') as condition from markets where slug = ${market.slug}`
    expect(row).toEqual({ condition: `${conditionId.slice(2)}00` })
  })

  test('what does not exist is requested again only after delays that grow', async () => {
    const isRequested = async () => {
      world.requests.length = 0
      ask(word(7))
      await lookUpQueued(world.deps, never)
      return world.requests.length > 0
    }
    expect(await isRequested()).toBe(true)
    expect(await isRequested()).toBe(false)
    world.clock.advance(5_000)
    expect(await isRequested()).toBe(true)
    world.clock.advance(5_000)
    expect(await isRequested()).toBe(false)
    world.clock.advance(25_000)
    expect(await isRequested()).toBe(true)
    expect(world.deps.catalogue.lookups.absent).toBe(1)
  })

  test('a clock that is set back keeps nothing from being looked up', async () => {
    const market = marketAt(-8)
    ask(market.words[0])
    ask(word(8))
    await lookUpQueued(world.deps, never)
    world.clock.advance(-3_600_000)
    world.requests.length = 0
    ask(market.words[0])
    ask(word(8))
    expect(world.deps.catalogue.lookups.waiting).toBe(2)
    await lookUpQueued(world.deps, never)
    world.clock.advance(3_600_000)
  })

  test('one market that cannot be read does not hide the others', async () => {
    const [bad, good] = [marketAt(-3), marketAt(-4)]
    const before = { ...world.deps.catalogue.lookups.counts }
    world.spoil = (_request, reply) => {
      const { markets } = reply.body as { markets: { slug: string; clobTokenIds: unknown }[] }
      for (const market of markets) if (market.slug === bad.slug) market.clobTokenIds = 7
      return reply
    }
    ask(bad.words[0])
    ask(good.words[0])
    await lookUpQueued(world.deps, never)
    expect(ask(good.words[0])).toMatchObject({ slug: good.slug })
    expect(ask(bad.words[0])).toBeUndefined()
    const { found, absent, unreadable } = world.deps.catalogue.lookups.counts
    expect([found - before.found, absent - before.absent]).toEqual([1, 1])
    expect(unreadable - before.unreadable).toBe(1)
  })

  test('while Gamma does not answer the keys wait, and are found when it does', async () => {
    const market = marketAt(-5)
    ask(market.words[0])
    world.faults.set({ upstream: 'gamma', mode: '500' })
    await expect(lookUpQueued(world.deps, never)).rejects.toThrow()
    const { lookups } = world.deps.catalogue
    expect(lookups.waiting).toBe(1)
    expect(lookups.counts).toMatchObject({ retried: 1, statusErrors: 1 })
    world.faults.set({ upstream: 'gamma', mode: 'off' })
    world.faults.set({ upstream: 'gamma', mode: 'garbage' })
    await expect(lookUpQueued(world.deps, never)).rejects.toThrow()
    expect(lookups.counts).toMatchObject({ retried: 2, statusErrors: 1, parseErrors: 1 })
    world.faults.set({ upstream: 'gamma', mode: 'off' })
    await lookUpQueued(world.deps, never)
    expect(ask(market.words[0])).toMatchObject({ slug: market.slug })
  })
})

test('the job looks up at once what callers need, and ends with its signal', async () => {
  const stopping = new AbortController()
  const sync = new CatalogueSync(world.deps)
  const lookUp = async () => {
    while (!stopping.signal.aborted) await sync.lookUp(stopping.signal)
  }
  const running = lookUp()
  const closedAt = world
    .events()
    .findIndex(({ markets }) => markets.every((market) => isClosed(world.universe, market)))
  for (const index of [-6, closedAt]) {
    const { words, slug } = marketAt(index)
    expect(ask(words[0])).toBeUndefined()
    await until(() => ask(words[0])?.slug === slug)
  }
  stopping.abort()
  await running
})

test('memory is bounded: markets, keys that wait, and keys that were not found', async () => {
  const { catalogue } = world.deps
  const jobs = new CatalogueSync(world.deps)
  for (let number = 100; number < 150; number++) ask(word(number))
  expect(jobs.status()).toMatchObject({ lookupsQueued: 10, lookupsDropped: 40 })
  await lookUpQueued(world.deps, never)
  expect(jobs.status()).toMatchObject({ lookupsQueued: 0, unknown: 5 })

  for (let batch = 0; batch < 5; batch++) {
    for (let index = 0; index < 10; index++) ask(marketAt(-10 - batch * 10 - index).words[0])
    await lookUpQueued(world.deps, never)
    expect(catalogue.size).toBeLessThanOrEqual(20)
  }
  expect(catalogue.size).toBe(20)
  // The one that was found last is there, the one that was found first was forgotten with its tokens.
  expect(ask(marketAt(-59).words[1])).toBeDefined()
  expect(ask(marketAt(-10).words[1])).toBeUndefined()
})
