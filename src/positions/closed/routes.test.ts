import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { mostFrequent } from '../../../test/lists/subject.js'
import { hexToBytes } from '../../lib/hex.js'

/** A row of the answer. */
type Closed = {
  proxy_wallet: string
  asset: string
  condition_id: string
  avg_price: number
  total_bought: number
  realized_pnl: number
  cur_price: number
  timestamp: number
  title: string
  slug: string
  icon: string
  event_slug: string
  outcome: string
  outcome_index: number
  opposite_outcome: string
  opposite_asset: string
  end_date: string
}

/** The same position as `/v3` lists it. */
type Listed = {
  token_id: string
  size: number
  avg_price: number | null
  realized_pnl: number
  current_price: number
  total_bought: number
  last_activity_at: string
  resolved: boolean
  won: boolean | null
  market: string | null
  slug: string | null
  condition_id: string
  opposite_asset: string | null
}

let world: ApiWorld
let wallet: string
let listed: Listed[]
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  wallet = mostFrequent(world, ({ maker }) => maker)
  await closeAsOthers(world, wallet)
  listed = await readListed(wallet)
}, 180_000)
afterAll(() => world.close())

/** Gives the wallet a closed position in every token that another one has bought. */
async function closeAsOthers({ ctx }: ApiWorld, address: string): Promise<void> {
  await ctx.sql`
    insert into positions
    select distinct on (p.token) w.id, p.token, first_sec, last_sec, filled_sec, is_combo, 0, 0, 0,
           p.token % 900 - p.bought_cost / 2, bought, bought_cost, fees
      from positions p, wallets w
     where p.is_combo = 0 and p.bought > 0 and w.address = ${hexToBytes(address)}
     order by p.token, p.wallet
        on conflict do nothing`
}

const path = (address: string) => `/v2/wallets/${address}/closed-positions`

async function ask(query: object = {}, address = wallet) {
  const reply = await world.get(path(address), { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json() as { count: number; positions: Closed[] } & Record<string, unknown>
}

/** Every page. */
async function readAll(query: object = {}, address = wallet, limit = 50): Promise<Closed[]> {
  const rows: Closed[] = []
  for (let page = 0; page * limit === rows.length; page++) {
    rows.push(...(await ask({ ...query, limit, offset: rows.length }, address)).positions)
  }
  return rows
}

async function readListed(address: string): Promise<Listed[]> {
  const rows: Listed[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 300, cursor }
    const page = (await world.get(`/v3/wallets/${address}/positions`, query)).json()
    rows.push(...page.positions)
    cursor = page.next_cursor
  }
  return rows
}

const DUST = 0.01
const isClosed = ({ size, total_bought: bought }: Listed) => bought > 0 && size < DUST

describe('GET /v2/wallets/{address}/closed-positions', () => {
  test('200: what was bought and is gone, with the numbers of the other lists', async () => {
    const expected = new Map(listed.filter(isClosed).map((row) => [row.token_id, row]))
    const rows = await readAll()
    expect(rows.length).toBeGreaterThan(50)
    expect(new Set(rows.map(({ asset }) => asset))).toEqual(new Set(expected.keys()))
    for (const row of rows) {
      const same = expected.get(row.asset) ?? expect.fail()
      expect(row).toMatchObject({
        proxy_wallet: wallet,
        condition_id: same.condition_id,
        avg_price: same.avg_price,
        total_bought: same.total_bought,
        realized_pnl: same.realized_pnl,
        cur_price: same.current_price,
        timestamp: Number(same.last_activity_at),
        title: same.market ?? '',
        slug: same.slug ?? '',
        opposite_asset: same.opposite_asset ?? '',
      })
    }
  })

  test('200: winners are worth 1 and losers 0', async () => {
    const won = new Map(listed.filter(({ resolved }) => resolved).map((row) => [row.token_id, row]))
    const prices = (await readAll()).flatMap(({ asset, cur_price: price }) => {
      const result = won.get(asset)?.won
      return typeof result === 'boolean' ? [[result, price]] : []
    })
    expect(new Set(prices.map(([result, price]) => `${result} ${price}`))).toEqual(
      new Set(['true 1', 'false 0']),
    )
  })

  test('200: texts of the market, and how the platform writes what is unknown', async () => {
    const rows = await readAll()
    const known = rows.find(({ title }) => title !== '') ?? expect.fail()
    expect(known).toMatchObject({
      slug: expect.stringMatching(/./),
      icon: expect.stringMatching(/^https:/),
      event_slug: expect.stringMatching(/./),
      outcome: expect.stringMatching(/./),
      opposite_outcome: expect.stringMatching(/./),
      end_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    expect(known.outcome).not.toBe(known.opposite_outcome)
    const unknown = rows.find(({ title }) => title === '') ?? expect.fail()
    const empty = { slug: '', icon: '', event_slug: '', outcome: '', end_date: '' }
    expect(unknown).toMatchObject({ ...empty, opposite_outcome: '' })
  })

  const KEYS: Record<string, (row: Closed) => number | string> = {
    REALIZEDPNL: (row) => row.realized_pnl,
    AVGPRICE: (row) => row.avg_price,
    PRICE: (row) => row.cur_price,
    TITLE: (row) => row.title,
    TIMESTAMP: (row) => row.timestamp,
  }

  test.each(Object.keys(KEYS).flatMap((sortBy) => [[sortBy, 'ASC'] as const, [sortBy, 'DESC'] as const]))(
    '200: %s %s, in pages that fit together',
    async (sortBy, sortDirection) => {
      const rows = await readAll({ sortBy, sortDirection })
      const keys = rows.map(KEYS[sortBy] ?? expect.fail())
      const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)
      const sign = sortDirection === 'ASC' ? 1 : -1
      expect(keys).toEqual(keys.toSorted((a, b) => sign * compare(a, b)))
      const spelt = { sortBy: sortBy.toLowerCase(), sortDirection: sortDirection.toLowerCase() }
      expect(await readAll(spelt, wallet, 7)).toEqual(rows)
    },
  )

  test('200: by default the ten that closed last', async () => {
    const rows = await readAll({ sortBy: 'TIMESTAMP', sortDirection: 'DESC' })
    expect(await ask()).toEqual({ wallet, count: 10, offset: 0, limit: 10, positions: rows.slice(0, 10) })
  })

  test('200: one market, by its slug as it is written', async () => {
    const rows = await readAll()
    const { slug } = rows.find((row) => row.slug !== '') ?? expect.fail()
    const inMarket = rows.filter((row) => row.slug === slug)
    expect((await ask({ market: slug })).positions).toEqual(inMarket)
    expect(await ask({ market: slug.toUpperCase() })).toMatchObject({ count: 0, positions: [] })
    expect(await ask({ market: 'no-such-market' })).toMatchObject({ count: 0, positions: [] })
  })

  test('200: a market that ends after the last 32-bit second', async () => {
    const { slug } = (await readAll()).find((row) => row.slug !== '') ?? expect.fail()
    const { sql } = world.ctx
    const [market] = await sql`select end_at from markets where slug = ${slug}`
    onTestFinished(async () => {
      await sql`update markets set end_at = ${market?.endAt ?? null} where slug = ${slug}`
    })
    await sql`update markets set end_at = '2100-01-02T03:04:05.6Z' where slug = ${slug}`
    const [position] = (await ask({ market: slug })).positions
    expect(position?.end_date).toBe('2100-01-02T03:04:05Z')
  })

  test('200: part of a title, literally and in any letter case', async () => {
    const rows = await readAll()
    const { title } = rows.find((row) => row.title.includes('?')) ?? expect.fail()
    const part = title.slice(2, 40)
    const expected = rows.filter((row) => row.title.toLowerCase().includes(part.toLowerCase()))
    expect(await readAll({ title: part.toUpperCase() })).toEqual(expected)
    for (const pattern of ['%', '_', '.*', "'", '\\']) {
      const literal = rows.filter((row) => row.title.includes(pattern))
      expect((await readAll({ title: pattern })).length, pattern).toBe(literal.length)
    }
  })

  test('200: shares that a sale leaves over do not keep a position open', async () => {
    const { sql } = world.ctx
    const [first] = await readAll()
    const token = `0x${BigInt(first?.asset ?? 0)
      .toString(16)
      .padStart(64, '0')}`
    const leave = (balance: number) => sql`
      update positions p set balance = ${balance}
        from wallets w, tokens t
       where w.id = p.wallet and t.id = p.token
         and '0x' || encode(w.address, 'hex') = ${wallet} and '0x' || encode(t.token, 'hex') = ${token}`
    onTestFinished(async () => void (await leave(0)))
    await leave(9_999)
    expect((await ask()).positions[0]).toEqual(first)
    await leave(10_000)
    expect((await readAll()).map(({ asset }) => asset)).not.toContain(first?.asset)
  })

  test('200: a wallet without any, also one that the chain never named', async () => {
    expect(await ask({ offset: 100_000 })).toMatchObject({ count: 0, offset: 100_000 })
    const stranger = `0x${'9'.repeat(40)}`
    expect(await ask({}, stranger)).toEqual({
      wallet: stranger,
      count: 0,
      offset: 0,
      limit: 10,
      positions: [],
    })
    expect(await ask({}, wallet.toUpperCase().replace('0X', '0x'))).toMatchObject({ wallet })
  })

  test.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 51 }],
    ['limit', { limit: '1.5' }],
    ['offset', { offset: -1 }],
    ['offset', { offset: 100_001 }],
    ['sortBy', { sortBy: 'VOLUME' }],
    ['sortBy', { sortBy: '' }],
    ['sortDirection', { sortDirection: 'UP' }],
    ['market', { market: '' }],
    ['title', { title: '' }],
    ['title', { title: 'x'.repeat(101) }],
  ])('400: names %s of %j', async (name, query) => {
    const reply = await world.get(path(wallet), query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })

  test.each(['0x12', `0x${'g'.repeat(40)}`, `0x${'1'.repeat(41)}`, 'vitalik'])(
    '404: %s is no address',
    async (address) => {
      const reply = await world.get(path(address))
      expect([reply.statusCode, reply.json()]).toEqual([404, { error: 'Not found.' }])
    },
  )

  test('401: without a key', async () => {
    const reply = await world.app.inject(path(wallet))
    expect([reply.statusCode, reply.json()]).toEqual([401, { error: expect.any(String) }])
  })
})
