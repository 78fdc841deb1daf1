import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'
import { mostFrequent } from '../../test/lists/subject.js'

let world: ApiWorld
let wallet: string
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  wallet = mostFrequent(world, ({ maker }) => maker)
}, 180_000)
afterAll(() => world.close())

/** Of whichever list: only some of the fields are there. */
type Row = {
  token_id: string
  wallet: string
  user: string
  amount: string
  size: number
  avg_price: number | null
  realized_pnl: number
  unrealized_pnl: number
  total_bought: number
  current_price: number
  initial_value: number
  resolved: boolean
  resolved_at: string | null
  status: string
  won: boolean | null
  winning_outcome_index: number | null
  outcome_index: number | null
  slug: string | null
  condition_id: string
  opposite_asset: string
  last_activity_at: string
  last_trade_at: number
  tag_slugs: string[] | null
}

async function ask(path: string, query: object = {}) {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

/** All rows of a list. */
async function readAll(path: string, query: object = {}): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ask(path, { limit: 300, ...query, cursor })
    rows.push(...(page.positions ?? page.data))
    cursor = page.next_cursor
  }
  return rows
}

const millionths = (decimal: number) => BigInt(Math.round(decimal * 1e6))
const sum = (numbers: bigint[]) => numbers.reduce((all, each) => all + each, 0n)
const refusal = async (path: string, query: object) => {
  const reply = await world.get(path, { ...query })
  return { status: reply.statusCode, ...reply.json() }
}

describe('numbers agree', () => {
  test('positions of a wallet add up to its totals', async () => {
    const wallets = await world.ctx.sql<Record<string, bigint & string>[]>`
      select '0x' || encode(w.address, 'hex') as address, t.*
        from wallet_totals t join wallets w on w.id = t.wallet
       order by t.positions desc limit 20`
    for (const totals of wallets) {
      const rows = await readAll(`/v3/wallets/${totals.address}/positions`)
      const gains = rows.map(({ realized_pnl: realized }) => millionths(realized))
      expect({
        positions: rows.filter(({ total_bought: bought }) => bought > 0).length,
        wins: gains.filter((gain) => gain > 0n).length,
        losses: gains.filter((gain) => gain < 0n).length,
        realized: sum(gains),
        profit: sum(gains.filter((gain) => gain > 0n)),
        loss: sum(gains.filter((gain) => gain < 0n)),
        bought: sum(rows.map(({ total_bought: bought }) => millionths(bought))),
      }).toEqual({
        positions: Number(totals.positions),
        wins: Number(totals.wins),
        losses: Number(totals.losses),
        realized: totals.realized,
        profit: totals.profit,
        loss: totals.loss,
        bought: totals.bought,
      })
    }
  })

  test('holders of a token add up to its supply, contracts included', async () => {
    const tokens = await world.ctx.sql<{ token: string; supply: bigint }[]>`
      select '0x' || encode(t.token, 'hex') as token, s.minted - s.burned as supply
        from supplies s join tokens t on t.id = s.token
       where exists (select from positions p where p.token = t.id and p.is_combo = 0)
       order by s.minted desc limit 20`
    expect(tokens.length).toBe(20)
    for (const { token, supply } of tokens) {
      const rows = await readAll(`/v3/markets/${BigInt(token)}/positions`)
      expect(sum(rows.map(({ amount }) => BigInt(amount)))).toBe(supply)
    }
  })

  test('holders of a condition and of its market are those of its tokens', async () => {
    const [row] = await readAll(`/v3/wallets/${wallet}/positions`, { status: 'open' })
    const { condition_id: condition, slug, token_id: token, opposite_asset: other } = row ?? {}
    const byToken = await Promise.all(
      [token, other].map(async (token_id) => {
        const holders = await readAll(`/v3/markets/${token_id}/positions`, { sort: 'amount' })
        return holders.map(({ user, ...rest }) => Object.assign({ user, token_id }, rest))
      }),
    )
    const byCondition = await readAll(`/v3/markets/condition/${condition}/positions`)
    expect(new Set(byCondition.map((holder) => JSON.stringify(holder)))).toEqual(
      new Set(byToken.flat().map((holder) => JSON.stringify(holder))),
    )
    if (slug != null) expect(await readAll(`/v3/markets/slug/${slug}/positions`)).toEqual(byCondition)
  })

  test('the numbers of a row follow from each other', async () => {
    const rows = await readAll(`/v3/wallets/${wallet}/positions`)
    for (const row of rows) {
      const { size, avg_price: average, current_price: price, status, won } = row
      expect(row).toMatchObject({
        total_pnl: expect.closeTo(row.realized_pnl + row.unrealized_pnl, 6),
        redeemable_payout: status === 'redeemable' ? expect.closeTo(size * price, 6) : 0,
        resolved: status === 'redeemable' || status === 'redeemed',
        market_status: size === 0 ? 'closed' : won === null ? 'live' : won ? 'resolved-win' : 'resolved-loss',
      })
      // The average is shown with six decimals; the value follows from the exact one.
      expect(Math.abs(row.initial_value - size * (average ?? 0))).toBeLessThan((size + 1) / 1e6)
      expect(row.resolved_at === null).toBe(!row.resolved)
      if (won !== null) expect(row.winning_outcome_index === row.outcome_index).toBe(won)
    }
    expect(new Set(rows.map(({ status }) => status)).size).toBeGreaterThan(2)
  })
})

describe('GET /v3/wallets/{address}/positions', () => {
  const path = () => `/v3/wallets/${wallet}/positions`

  test('200: every position has one status, and the filter finds it', async () => {
    const all = await readAll(path())
    const found = []
    for (const status of ['open', 'closed', 'redeemable', 'redeemed']) {
      const rows = await readAll(path(), { status })
      expect(rows).toEqual(all.filter((row) => row.status === status))
      found.push(...rows)
    }
    expect(found.length).toBe(all.length)
  })

  test.each([
    ['realized_pnl', 'realized_pnl'],
    ['pnl', 'realized_pnl'],
    ['size', 'size'],
    ['amount', 'size'],
    ['volume', 'total_bought'],
    ['total_bought', 'total_bought'],
    ['avg_price', 'avg_price'],
    ['recent', 'last_activity_at'],
  ])('200: sort=%s has the largest %s first', async (sort, field) => {
    const values = (await readAll(path(), { sort })).map((row) => Number(row[field as keyof Row] ?? -1))
    expect(values).toEqual([...values].sort((a, b) => b - a))
    expect(new Set(values).size).toBeGreaterThan(1)
  })

  test('200: filters are all true of each row', async () => {
    const all = await readAll(path())
    const { condition_id, slug } = all.find((row) => row.slug !== null) ?? {}
    const ofCondition = all.filter((row) => row.condition_id === condition_id)
    expect(await readAll(path(), { condition_id })).toEqual(ofCondition)
    expect(await readAll(path(), { market_slug: slug, condition_id })).toEqual(ofCondition)
    expect(await readAll(path(), { min_size: '100.5' })).toEqual(all.filter((row) => row.size >= 100.5))
    const other = all.find((row) => row.slug !== null && row.slug !== slug)?.slug
    expect(await readAll(path(), { market_slug: other, condition_id })).toEqual([])
    expect(await readAll(path(), { market_slug: 'no-such-market' })).toEqual([])
  })

  test('200: pages say where the next one begins', async () => {
    expect(await ask(path(), { limit: 2, offset: 2 })).toMatchObject({ next_offset: 4 })
    expect(await ask(path(), { limit: 300 })).toMatchObject({ next_offset: null })
  })

  test('200: combos are appended when the request wants them', async () => {
    const [{ address } = { address: '' }] = await world.ctx.sql<{ address: string }[]>`
      select '0x' || encode(w.address, 'hex') as address
        from positions p join wallets w on w.id = p.wallet
       where is_combo = 1 and bought > 0
         and exists (select from positions o where o.wallet = w.id and o.is_combo = 0 and bought > 0)
       group by 1 order by count(*) desc limit 1`
    const of = `/v3/wallets/${address}`
    const without = await ask(`${of}/positions`)
    const combos = (await ask(`${of}/combos/positions`)).positions
    const both = await ask(`${of}/positions`, { include_combos: true })
    expect(combos.length).toBeGreaterThan(0)
    expect(both).toMatchObject({
      positions: [...without.positions, ...combos],
      rows_returned: without.positions.length + combos.length,
      include_combos: true,
      included_position_types: ['market', 'combo'],
      combo_position_count: combos.length,
    })
    expect(without).not.toHaveProperty('include_combos')
    const { condition_id } = without.positions[0]
    const filtered = await ask(`${of}/positions`, { include_combos: true, condition_id })
    expect(filtered).toMatchObject({ combo_position_count: 0 })
  })

  test('200: an unknown wallet has none', async () => {
    const unknown = `0x${'ab'.repeat(20)}`
    expect(await ask(`/v3/wallets/${unknown}/positions`)).toMatchObject({
      address: unknown,
      positions: [],
      has_more: false,
      next_offset: null,
    })
  })
})

describe('holders of a market', () => {
  test.each(['redeemable', 'redeemed'])('400: status=%s, with those that are allowed', async (status) => {
    for (const of of ['7', 'slug/x', `condition/0x${'0'.repeat(64)}`]) {
      expect(await refusal(`/v3/markets/${of}/positions`, { status })).toMatchObject({
        status: 400,
        error: expect.stringContaining('status'),
        allowed: ['all', 'open', 'closed'],
      })
    }
  })

  test('200: an unknown token, slug or condition has none', async () => {
    for (const of of ['7', 'slug/x', `condition/0x${'0'.repeat(64)}`]) {
      expect(await ask(`/v3/markets/${of}/positions`)).toMatchObject({ data: [], has_more: false })
    }
  })

  test.each([
    ['starter', 300],
    ['growth', 1000],
    ['enterprise', 1000],
  ] as const)('200: pages of a condition on the %s plan have up to %i rows', async (plan, limit) => {
    const { key } = await world.createCaller(plan)
    const path = `/v3/markets/condition/0x${'0'.repeat(64)}/positions`
    const reply = await world.get(path, { limit: 5000 }, { 'x-api-key': key })
    expect(reply.json()).toMatchObject({ limit })
  })
})

describe('GET /v2/wallets/{address}/positions/onchain', () => {
  const path = () => `/v2/wallets/${wallet}/positions/onchain`

  test('200: all positions, with sums; a filter sums what it leaves', async () => {
    const listed = await readAll(`/v3/wallets/${wallet}/positions`, { sort: 'recent' })
    const whole = await ask(path())
    expect(whole).toMatchObject({
      wallet,
      source: 'onchain',
      count: listed.length,
      open_count: listed.filter(({ size }) => size > 0).length,
      total_pnl: expect.closeTo(whole.total_realized_pnl + whole.total_unrealized_pnl, 6),
    })
    expect(whole.positions.map((row: Row) => row.token_id)).toEqual(listed.map((row) => row.token_id))
    expect(whole).not.toHaveProperty('filtered')

    const { tag_slugs: tags, last_trade_at: since } = whole.positions.find(
      (row: Row) => row.tag_slugs !== null && row.last_trade_at !== null,
    )
    const [tag] = tags
    const filtered = await ask(path(), { since, tag_slug: tag })
    const left = whole.positions.filter(
      (row: Row) => row.last_trade_at >= since && row.tag_slugs?.includes(tag),
    )
    expect(filtered).toMatchObject({
      filtered: true,
      applied_filters: { since, until: null, tag_slug: tag },
      count: left.length,
      positions: left,
      total_realized_pnl: expect.closeTo(
        left.reduce((all: number, row: Row) => all + row.realized_pnl, 0),
        6,
      ),
    })
    const [{ slug } = { slug: '' }] = await world.ctx.sql<{ slug: string }[]>`
      select slug from tags where label = ${tag}`
    expect((await ask(path(), { since, tag_slug: slug })).positions).toEqual(left)
    expect((await ask(path(), { tag_slug: slug.toUpperCase() })).count).toBe(0)
  })

  test('200: closed positions say when they were redeemed', async () => {
    const [redeemed] = await world.ctx.sql<{ address: string; condition: string; time: number }[]>`
      select '0x' || encode(w.address, 'hex') as address,
             '0x' || encode(c.condition, 'hex') as condition, b.time
        from redemptions r
        join wallets w on w.id = r.wallet
        join conditions c on c.id = r.condition
        join blocks b on b.number = r.seq >> 20
        join positions p on p.wallet = r.wallet and p.token = r.tokens[1] and p.bought > 0
       order by r.seq desc limit 1`
    const { positions } = await ask(`/v2/wallets/${redeemed?.address}/positions/onchain`)
    expect(positions).toContainEqual(
      expect.objectContaining({ condition_id: redeemed?.condition, closed_at: redeemed?.time }),
    )
  })

  test('200: the set of a wallet is kept for five minutes', async () => {
    const { sql } = world.ctx
    const { total_realized_pnl: before } = await ask(path())
    const change = (by: number) => sql`
      update positions set realized = realized + ${by}
       where wallet = (select id from wallets where address = decode(${wallet.slice(2)}, 'hex'))
         and bought > 0 and is_combo = 0`
    await change(1_000_000)
    expect((await ask(path())).total_realized_pnl).toBe(before)
    world.clock.set(world.clock.now() + 5 * 60_000)
    expect((await ask(path())).total_realized_pnl).toBeGreaterThan(before)
    await change(-1_000_000)
    world.clock.set(world.clock.now() + 5 * 60_000)
    expect((await ask(path())).total_realized_pnl).toBe(before)
  })

  test('404: an unknown wallet; 400: a range that ends before it begins', async () => {
    expect(await refusal(`/v2/wallets/0x${'ab'.repeat(20)}/positions/onchain`, {})).toEqual({
      status: 404,
      error: 'Not found.',
    })
    expect(await refusal(path(), { since: 9, until: 8 })).toMatchObject({ status: 400 })
    expect(await refusal(path(), { since: 1_793_000_000_123 })).toMatchObject({
      status: 400,
      hint: 'since=1793000000',
    })
  })
})

describe('GET /v2/onchain/positions', () => {
  const path = '/v2/onchain/positions'

  test('200: pages by key have every position once, in either order', async () => {
    const [{ count = 0 } = {}] = await world.ctx.sql<{ count: number }[]>`
      select count(*)::integer from positions where is_combo = 0 and (bought > 0 or balance > 0)`
    const all: string[][] = []
    for (const order of ['asc', 'desc']) {
      const keys: string[] = []
      for (let key: string | null | undefined; key !== null; ) {
        const page = await ask(path, { limit: 500, order, pagination_key: key })
        keys.push(...page.positions.map((row: Row) => `${row.wallet}-${row.token_id}`))
        expect(page.pagination.has_more).toBe(page.pagination.pagination_key !== null)
        key = page.pagination.pagination_key
      }
      expect(new Set(keys).size).toBe(count)
      all.push(keys)
    }
    expect(all[0]).toEqual(all[1]?.reverse())
  })

  test('200: filters are all true of each row', async () => {
    const [row] = await readAll(`/v3/wallets/${wallet}/positions`, { status: 'open' })
    const { token_id, condition_id } = row ?? {}
    const holders = await ask(path, { token_id, status: 'open', limit: 500 })
    const expected = await readAll(`/v3/markets/${token_id}/positions`, { status: 'open' })
    expect(new Set(holders.positions.map(({ wallet: of }: Row) => of))).toEqual(
      new Set(expected.map(({ user }) => user)),
    )
    const own = await ask(path, { wallet, condition_id })
    expect(own.positions).toContainEqual(expect.objectContaining({ wallet, token_id }))
    for (const each of own.positions) expect(each).toMatchObject({ wallet, condition_id })
  })

  test('200: the positions of a wallet are one answer, the last changed first', async () => {
    const page = await ask(path, { wallet, limit: 2 })
    const listed = await readAll(`/v3/wallets/${wallet}/positions`, { sort: 'recent' })
    expect(page).toMatchObject({
      count: listed.length,
      pagination: { has_more: false, pagination_key: null },
    })
    for (const [index, row] of page.positions.entries()) {
      expect(row).toMatchObject({
        token_id: listed[index]?.token_id,
        last_activity: Number(listed[index]?.last_activity_at),
      })
    }
  })

  test.each([
    ['an unknown slug', { market_slug: 'no-such' }, 'market_slug not found'],
    ['an unknown condition', { condition_id: `0x${'0'.repeat(64)}` }, 'condition_id not found'],
    ['a malformed key', { pagination_key: 'x-1' }, 'pagination_key'],
    ['a key of nothing', { pagination_key: `0x${'ab'.repeat(20)}-7` }, 'pagination_key'],
    ['a limit that is too high', { limit: 501 }, 'limit'],
    ['an unknown status', { status: 'redeemed' }, 'status'],
    ['a range that runs backwards', { since: 9, until: 8 }, 'since'],
  ])('400: %s', async (_case, query, text) => {
    const { status, error } = await refusal(path, query)
    expect(status).toBe(400)
    expect(error).toContain(text)
  })

  test('400: a key beside a wallet', async () => {
    const pagination_key = `${wallet}-7`
    expect(await refusal(path, { wallet, pagination_key })).toMatchObject({ status: 400 })
  })

  test('403 on the free plan', async () => {
    const { key } = await world.createCaller('free')
    expect((await world.get(path, {}, { 'x-api-key': key })).statusCode).toBe(403)
  })
})
