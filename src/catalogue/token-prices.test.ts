import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { upsertEvents } from './store.js'
import { type CatalogueWorld, never, openCatalogueWorld } from './test-world.js'
import {
  refreshMidpoints,
  selectTokenPrices,
  type TokenPriceSource,
  toMillionths,
  upsertMids,
} from './token-prices.js'

let world: CatalogueWorld
beforeAll(async () => {
  world = await openCatalogueWorld()
})
afterEach(async () => {
  await world.forget()
  await world.sql`truncate tokens, conditions, resolutions, last_prices, supplies, token_mids`
})
afterAll(() => world.close())

const openEvent = () => {
  const event = world.universe.catalogue.eventBySlug('presidential-election-winner-2028')
  if (event === undefined) throw new Error('there is no such event')
  return event
}
const hex = (word: string) => Buffer.from(word, 'hex')

/** The two tokens of a market with the ids 1 and 2, as the id registry gives them; the condition has id 1. */
async function nameTokens({ isPlaced = true, isHeld = true } = {}) {
  const market = openEvent().markets[0]
  if (market === undefined) throw new Error('there is no market')
  const { sql } = world
  await sql`insert into conditions values (1, ${hex(market.conditionId.slice(2))}, 1)`
  for (const { word, outcome } of market.tokens) {
    const id = outcome + 1
    await sql`
      insert into tokens (id, condition, outcome, since, token)
      values (${id}, ${isPlaced ? 1 : null}, ${isPlaced ? outcome : null}, 1, ${hex(word)})`
    await sql`insert into supplies values (${id}, ${isHeld ? 10 : 0}, 0)`
  }
  return market
}

async function listMarket() {
  const filter = { slug: [openEvent().slug] }
  const { items } = await world.deps.gamma.getEventPage(filter, undefined)
  await world.sql.begin((tx) => upsertEvents(tx, items, 0))
}

const resolve = (payouts: number[], seq = 50) =>
  world.sql`insert into resolutions values (${seq}, 1, ${payouts}::numeric[], '\\x00')`
const fill = (usd: number, shares: number) =>
  world.sql`insert into last_prices values (1, 40, ${usd}, ${shares})`
const quote = (word: string, mid: number | null) =>
  upsertMids(world.sql, [{ token: `0x${word}`, mid }], world.clock.now())

describe('selectTokenPrices', () => {
  type Case = {
    payouts?: number[]
    mid?: number | null
    isPlaced?: boolean
    fills?: [usd: number, shares: number]
  }
  test.each<[string, Case, [bigint, bigint, TokenPriceSource | undefined]]>([
    ['nothing', {}, [0n, 1n, undefined]],
    ['a fill', { fills: [310_000, 1_000_000] }, [310_000n, 1_000_000n, 'last_fill']],
    ['a midpoint over a fill', { mid: 415_000, fills: [3, 10] }, [415_000n, 1_000_000n, 'clob_mid']],
    ['a fill where there is no book', { mid: null, fills: [3, 10] }, [3n, 10n, 'last_fill']],
    ['a result over all else', { payouts: [0, 1], mid: 9, fills: [3, 10] }, [0n, 1n, 'settlement']],
    ['a result that was split', { payouts: [1, 2] }, [1n, 3n, 'settlement']],
    ['a draw', { payouts: [1, 1], fills: [9, 10] }, [1n, 2n, 'settlement']],
    [
      'a result by the tokens of the catalogue, over a fill',
      { payouts: [1, 0], isPlaced: false, fills: [3, 10] },
      [1n, 1n, 'v1_condition'],
    ],
    [
      'a midpoint over the result by the tokens of the catalogue',
      { payouts: [1, 0], isPlaced: false, mid: 990_000 },
      [990_000n, 1_000_000n, 'clob_mid'],
    ],
    ['a midpoint of zero', { mid: 0, fills: [3, 10] }, [0n, 1_000_000n, 'clob_mid']],
  ])('%s', async (_what, { payouts, mid, isPlaced = true, fills }, [numerator, denominator, source]) => {
    await listMarket()
    const market = await nameTokens({ isPlaced })
    if (payouts !== undefined) await resolve(payouts)
    if (mid !== undefined) await quote(market.tokens[0].word, mid)
    if (fills !== undefined) await fill(...fills)
    const prices = await selectTokenPrices(world.sql, [1, 2, 77])
    expect(prices.get(1)).toMatchObject({ numerator, denominator, source })
    expect([...prices.keys()].toSorted()).toEqual([1, 2])
  })

  test('names the fact or the moment that a price comes from', async () => {
    const { tokens } = await nameTokens()
    await fill(3, 10)
    await quote(tokens[1].word, 500_000)
    const prices = await selectTokenPrices(world.sql, [1, 2])
    expect(prices.get(1)).toMatchObject({ seq: 40n, readAtMs: undefined })
    expect(prices.get(2)).toMatchObject({ seq: undefined, readAtMs: world.clock.now() })
  })

  test('a second result of a condition makes no second price', async () => {
    await nameTokens()
    await resolve([0, 1], 50)
    await resolve([1, 0], 60)
    const prices = await selectTokenPrices(world.sql, [1, 2])
    expect(prices.get(1)).toMatchObject({ numerator: 1n, denominator: 1n, seq: 60n })
    expect(prices.size).toBe(2)
  })
})

describe('refreshMidpoints', () => {
  const midsOf = async () => {
    const rows = await world.sql<{ mid: number | null }[]>`
      select book.mid from token_mids book join tokens t on t.token = book.token order by t.id`
    return rows.map(({ mid }) => mid)
  }

  test('reads the midpoints of held tokens of open markets, again after four minutes', async () => {
    await listMarket()
    const { tokens } = await nameTokens()
    await refreshMidpoints(world.deps, never)
    const expected = await world.deps.clob.getMidpoints(tokens.map(({ decimal }) => decimal))
    const mids = tokens.map(({ decimal }) => toMillionths(expected.get(decimal)))
    expect(await midsOf()).toEqual(mids)
    expect(mids[0]).toBeGreaterThan(0)

    await world.sql`update token_mids set mid = 1`
    world.clock.advance(3 * 60_000)
    await refreshMidpoints(world.deps, never)
    expect(await midsOf()).toEqual([1, 1])
    world.clock.advance(2 * 60_000)
    await refreshMidpoints(world.deps, never)
    expect(await midsOf()).toEqual(mids)
  })

  test('keeps the last ones while the order book does not answer', async () => {
    await listMarket()
    await nameTokens()
    await refreshMidpoints(world.deps, never)
    const mids = await midsOf()
    world.clock.advance(10 * 60_000)
    world.faults.set({ upstream: 'clob', mode: '500' })
    await expect(refreshMidpoints(world.deps, never)).rejects.toThrow('clob')
    expect(await midsOf()).toEqual(mids)
  })

  test.each([
    ['no wallet holds', { isHeld: false }, false],
    ['have a result', {}, true],
  ])('leaves alone tokens that %s', async (_what, options, isResolved) => {
    await listMarket()
    await nameTokens(options)
    if (isResolved) await resolve([1, 0])
    await refreshMidpoints(world.deps, never)
    expect(await midsOf()).toEqual([])
  })
})

test('a decimal becomes millionths, exactly up to the sixth digit', () => {
  const millionths = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(millionths, fc.stringMatching(/^\d{0,5}$/), (value, further) => {
      const text = (value / 1e6).toFixed(6)
      expect(toMillionths(value === 1_000_000 ? text : text + further)).toBe(value)
    }),
  )
  expect(toMillionths('0.5')).toBe(500_000)
  expect(toMillionths('1.000001')).toBeNull()
  expect(toMillionths(undefined)).toBeNull()
})
