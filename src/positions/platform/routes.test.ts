import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { mostFrequent } from '../../../test/lists/subject.js'
import { mostCommon } from '../../../test/most-common.js'

/** A row of the answer. */
type Row = {
  proxyWallet: string
  asset: string
  conditionId: string
  title: string
  size: number
  avgPrice: number
  initialValue: number
  currentValue: number
  cashPnl: number
  percentPnl: number
  realizedPnl: number
  totalBought: number
  curPrice: number
  redeemable: boolean
  outcomes: string[]
  token_ids: string[]
  endDate: string
  trades?: { transactionHash: string; asset: string; proxyWallet: string; side: string }[]
}
/** The same position as `/v3` lists it. */
type Listed = {
  token_id: string
  size: number
  avg_price: number | null
  realized_pnl: number
  unrealized_pnl: number
  initial_value: number
  current_price: number
  total_bought: number
  status: string
  condition_id: string | null
  market: string | null
}

let world: ApiWorld
let wallet: string
let held: Listed[]
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  wallet = mostFrequent(world, ({ maker }) => maker)
  held = (await readListed(wallet)).filter(({ size }) => size > 0)
}, 180_000)
afterAll(() => world.close())

async function readListed(address: string): Promise<Listed[]> {
  const rows: Listed[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = (await world.get(`/v3/wallets/${address}/positions`, { limit: 300, cursor })).json()
    rows.push(...page.positions)
    cursor = page.next_cursor
  }
  return rows
}

const path = (address: string) => `/v1/wallets/${address}/positions`

async function ask(query: object = {}, address = wallet) {
  const reply = await world.get(path(address), { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json() as { count: number; positions: Row[] } & Record<string, unknown>
}

const assets = (rows: readonly Row[]) => rows.map(({ asset }) => asset).sort()
const tokens = (rows: readonly Listed[]) => rows.map(({ token_id }) => token_id).sort()

describe('GET /v1/wallets/{address}/positions', () => {
  test('200: what the wallet holds, with the numbers of the other lists', async () => {
    const { positions, ...rest } = await ask({ limit: 500, sizeThreshold: '0' })
    expect(held.length).toBeGreaterThan(10)
    expect(rest).toEqual({ wallet, count: held.length, limit: 500, offset: 0 })
    expect(assets(positions)).toEqual(tokens(held))
    const byToken = new Map(held.map((row) => [row.token_id, row]))
    for (const row of positions) {
      const same = byToken.get(row.asset) ?? expect.fail()
      expect(row).toMatchObject({
        proxyWallet: wallet,
        size: same.size,
        avgPrice: same.avg_price ?? 0,
        initialValue: same.initial_value,
        cashPnl: same.unrealized_pnl,
        realizedPnl: same.realized_pnl,
        totalBought: same.total_bought,
        curPrice: same.current_price,
        conditionId: same.condition_id ?? '',
        title: same.market ?? '',
        redeemable: same.status === 'redeemable',
      })
      expect(row.currentValue).toBeCloseTo(same.size * same.current_price, 4)
      if (row.title !== '') expect(row.token_ids).toContain(row.asset)
      expect(row.outcomes).toHaveLength(row.token_ids.length)
    }
  })

  test('200: positions of a share or more, unless the caller says otherwise', async () => {
    const atLeast = (shares: number) => tokens(held.filter(({ size }) => size >= shares))
    expect(assets((await ask({ limit: 500 })).positions)).toEqual(atLeast(1))
    expect(assets((await ask({ limit: 500, sizeThreshold: '50.5' })).positions)).toEqual(atLeast(50.5))
  })

  test('200: with or without a result, and of one condition', async () => {
    for (const redeemable of ['True', 'False']) {
      const expected = held.filter(({ status }) => (status === 'redeemable') === (redeemable === 'True'))
      const { positions } = await ask({ redeemable, sizeThreshold: '0', limit: 500 })
      expect(assets(positions)).toEqual(tokens(expected))
    }
    const condition = held.find(({ condition_id }) => condition_id !== null)?.condition_id ?? ''
    const { positions } = await ask({ condition_id: condition, sizeThreshold: '0' })
    expect(assets(positions)).toEqual(tokens(held.filter((row) => row.condition_id === condition)))
  })

  const KEYS: Record<string, (row: Row) => number | string> = {
    TOKENS: (row) => row.size,
    CURRENT: (row) => row.currentValue,
    INITIAL: (row) => row.initialValue,
    CASHPNL: (row) => row.cashPnl,
    PERCENTPNL: (row) => row.percentPnl,
    TITLE: (row) => row.title,
    RESOLVING: (row) => row.endDate || '9999',
    PRICE: (row) => row.curPrice,
    AVGPRICE: (row) => row.avgPrice,
  }

  test.each(Object.keys(KEYS).flatMap((sortBy) => [[sortBy, 'ASC'] as const, [sortBy, 'DESC'] as const]))(
    '200: %s %s, in pages that fit together',
    async (sortBy, sortDirection) => {
      const query = { sortBy, sortDirection, sizeThreshold: '0' }
      const { positions } = await ask({ ...query, limit: 500 })
      const keys = positions.map(KEYS[sortBy] ?? expect.fail())
      const sign = sortDirection === 'ASC' ? 1 : -1
      const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)
      // What is rounded may be equal where the order is not.
      for (const [index, key] of keys.slice(1).entries()) {
        const before = keys[index] ?? expect.fail()
        const isRounded = typeof key === 'number' && Math.abs(key - Number(before)) < 1e-3
        expect(isRounded || sign * compare(before, key) <= 0, `${before} before ${key}`).toBe(true)
      }
      const spelt = { ...query, sortBy: sortBy.toLowerCase() }
      const page = await ask({ ...spelt, limit: 4, offset: 3 })
      expect(page.positions).toEqual(positions.slice(3, 7))
    },
  )

  test.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 501 }],
    ['offset', { offset: -1 }],
    ['sortBy', { sortBy: 'VOLUME' }],
    ['sortDirection', { sortDirection: 'UP' }],
    ['sizeThreshold', { sizeThreshold: '-1' }],
    ['redeemable', { redeemable: 'maybe' }],
    ['condition_id', { condition_id: '0x12' }],
  ])('400: names %s of %j', async (name, query) => {
    const reply = await world.get(path(wallet), query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})

describe('GET /v1/wallets/positions', () => {
  test('200: each wallet once, and a request of the limit for each', async () => {
    const others = [...new Set(world.fills.map(({ maker }) => maker))].slice(0, 4)
    const stranger = `0x${'9'.repeat(40)}`
    const requested = [wallet, ...others.filter((other) => other !== wallet), stranger]
    const { key } = await world.createCaller('starter')
    const headers = { 'x-api-key': key }
    const left = async (url: string) => {
      const reply = await world.app.inject({ url, headers })
      return { reply, remaining: Number(reply.headers['x-ratelimit-remaining']) }
    }
    const before = await left('/v1/connections')
    const { reply } = await left(`/v1/wallets/positions?wallets=${[...requested, wallet].join(',')}`)
    const after = await left('/v1/connections')
    expect(before.remaining - after.remaining).toBe(requested.length + 1)
    const { count, wallets } = reply.json<{
      count: number
      wallets: { wallet: string; positions: Row[] }[]
    }>()
    expect(count).toBe(requested.length)
    expect(wallets.map((set) => set.wallet)).toEqual(requested)
    expect(wallets[0]?.positions).toEqual((await ask({ limit: 50 })).positions)
    expect(wallets.at(-1)?.positions).toEqual([])
  })

  test.each(['', '?wallets=', '?wallets=0x12', `?wallets=${`0x${'1'.repeat(40)},`.repeat(2)}`])(
    '400: %j names wallets',
    async (query) => {
      const headers = { 'x-api-key': world.key }
      const reply = await world.app.inject({ url: `/v1/wallets/positions${query}`, headers })
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error).toContain('wallets')
    },
  )
})

describe('GET /v1/markets/{id}/positions', () => {
  type Outcomes = { asset: string; outcomeIndex: number; count: number; positions: Row[] }[]
  type Holder = { user: string; token_id: string; amount: string }

  /** The market that most fills are of, among those that the catalogue has. */
  function busiest() {
    const marketOf = (token: string) => world.universe.catalogue.token(token)?.of
    const listed = world.fills.filter(({ token }) => {
      const of = marketOf(token)
      return of?.kind === 'market' && Number(of.event.id) % 4 !== 0
    })
    const of = marketOf(mostCommon(listed.map(({ token }) => token)))
    return of?.kind === 'market' ? of : expect.fail()
  }

  async function holdersOf(id: string, query: object = {}) {
    const reply = await world.get(`/v1/markets/${id}/positions`, { ...query })
    expect(reply.statusCode, reply.body).toBe(200)
    return reply.json() as { count: number; outcomes: Outcomes }
  }

  test('200: those who hold each outcome, those with most first', async () => {
    const { conditionId, slug, tokens: both } = busiest()
    const list = `/v3/markets/condition/${conditionId}/positions`
    const { data } = (await world.get(list, { limit: 1_000, status: 'open', sort: 'amount' })).json()
    for (const id of [conditionId, slug]) {
      const { count, outcomes } = await holdersOf(id, { limit: 500 })
      expect(outcomes.map(({ asset }) => asset)).toEqual(both.map(({ decimal }) => decimal))
      expect(count).toBe(data.length)
      for (const { asset, positions } of outcomes) {
        const expected = data.filter((row: Holder) => row.token_id === asset)
        const shown = positions.map((row) => [row.proxyWallet, row.size])
        expect(shown).toEqual(expected.map((row: Holder) => [row.user, Number(row.amount) / 1e6]))
      }
    }
    const all = await holdersOf(slug, { limit: 500 })
    const page = await holdersOf(slug, { limit: 2, offset: 1 })
    expect(page.outcomes[0]?.positions).toEqual(all.outcomes[0]?.positions.slice(1, 3))
  })

  test('200: positions of some wallets, also without shares', async () => {
    const { conditionId, slug } = busiest()
    const list = `/v3/markets/condition/${conditionId}/positions`
    const { data } = (await world.get(list, { limit: 1_000 })).json()
    const users = [...new Set(data.map(({ user }: Holder) => user))].slice(0, 20)
    const { count, outcomes } = await holdersOf(slug, { user: users.join(','), limit: 500 })
    expect(count).toBe(data.filter(({ user }: Holder) => users.includes(user)).length)
    const shown = new Set(outcomes.flatMap(({ positions }) => positions.map((row) => row.proxyWallet)))
    expect([...shown].sort()).toEqual(users.sort())
    expect(await holdersOf(slug, { user: `0x${'9'.repeat(40)}` })).toMatchObject({ count: 0 })
  })

  test('200: with the newest trades of each position', async () => {
    const { slug } = busiest()
    for (const side of [undefined, 'SELL']) {
      const { outcomes } = await holdersOf(slug, { includeTrades: 'True', limit: 50, side })
      for (const { asset, positions } of outcomes) {
        for (const { proxyWallet, trades } of positions) {
          const own = world.fills.filter((fill) => fill.maker === proxyWallet && fill.token === asset)
          const wanted = own.filter(({ isSell }) => side === undefined || isSell).reverse()
          const hashes = trades?.map(({ transactionHash }) => transactionHash)
          expect(hashes).toEqual(wanted.slice(0, 10).map(({ txHash }) => txHash))
        }
      }
    }
    const { outcomes } = await holdersOf(slug)
    expect(outcomes[0]?.positions[0]).not.toHaveProperty('trades')
  })

  test('429: the 61st request with trades in a minute', async () => {
    const { key } = await world.createCaller('growth')
    const { slug } = busiest()
    const send = (query: string) =>
      world.app.inject({ url: `/v1/markets/${slug}/positions?${query}`, headers: { 'x-api-key': key } })
    for (let index = 0; index < 60; index++)
      expect((await send('includeTrades=true&limit=1')).statusCode).toBe(200)
    const refused = await send('includeTrades=true&limit=1')
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ scope: 'holder_trades' })
    expect((await send('limit=1')).statusCode).toBe(200)
  })

  test('404: a market that neither the chain nor the catalogue has', async () => {
    const reply = await world.get('/v1/markets/no-such-market/positions')
    expect([reply.statusCode, reply.json()]).toEqual([404, { error: 'Market no-such-market not found.' }])
  })

  test.each([
    ['user', { user: 'vitalik' }],
    ['side', { side: 'UP' }],
    ['limit', { includeTrades: true, limit: 51 }],
    ['includeTrades', { includeTrades: 'some' }],
  ])('400: names %s of %j', async (name, query) => {
    const reply = await world.get(`/v1/markets/${busiest().slug}/positions`, query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})

test('401: without a key', async () => {
  for (const url of [path(wallet), `/v1/wallets/positions?wallets=${wallet}`, '/v1/markets/x/positions']) {
    expect((await world.app.inject(url)).statusCode).toBe(401)
  }
})
