import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'
import { largestBuilder } from '../../test/lists/builders.js'
import { refreshBoard } from './board/queries.js'

let world: ApiWorld
let code: string
beforeAll(async () => {
  world = await openApiWorld()
  code = largestBuilder(world)
})
afterAll(() => world.close())

const ask = async (path: string, query: object = {}) => {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

const refused = async (status: number, path: string, query: object = {}) => {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(status)
  return reply.json()
}

/** The fills that name a builder, by the logs. */
const fillsOf = (builder: string) => world.fills.filter((fill) => fill.builder === builder && !fill.isCombo)

const sum = <T>(items: readonly T[], pick: (item: T) => bigint): bigint =>
  items.reduce((total, item) => total + pick(item), 0n)

const decimal = (millionths: bigint): string => {
  const digits = millionths.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const named = () => world.universe.builders.filter(({ name }) => name !== undefined)

/** Everything that a list has, page by page. */
async function readAll(path: string, name: string, query: object = {}) {
  const rows: Record<string, never>[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ask(path, { ...query, limit: 100, cursor })
    rows.push(...page[name])
    cursor = page.next_cursor
  }
  return rows
}

describe('GET /v3/builders and /v3/builders/{code}', () => {
  test('200: totals are the sums over the logs, and over the list of its trades', async () => {
    const { builders } = await ask('/v3/builders')
    expect(builders.length).toBeGreaterThan(3)
    for (const row of builders.filter((each: { stats_pending: boolean }) => !each.stats_pending)) {
      const fills = fillsOf(row.builder_code)
      const bought = sum(
        fills.filter(({ isSell }) => !isSell),
        ({ shares }) => shares,
      )
      const sold = sum(
        fills.filter(({ isSell }) => isSell),
        ({ shares }) => shares,
      )
      expect(row).toMatchObject({
        fill_count: fills.length,
        volume_e6: `${bought + sold}`,
        volume: decimal(bought + sold),
        buy_volume_usdc: decimal(bought),
        sell_volume_e6: `${sold}`,
        total_fees: `${sum(fills, ({ fee }) => fee)}`,
        total_maker_volume: `${sum(fills, ({ isSell, usd, shares }) => (isSell ? shares : usd))}`,
        first_fill: `${fills[0]?.timeSec}`,
        last_fill: `${fills.at(-1)?.timeSec}`,
        source: 'local_order_filled_event_index',
      })
    }
    const trades = await readAll(`/v3/builders/${code}/trades`, 'trades')
    expect(trades.length).toBe(fillsOf(code).length)
  })

  test('200: a builder without fills has a profile and no figures', async () => {
    const { builders } = await ask('/v3/builders')
    const last = builders.at(-1)
    expect(last).toMatchObject({
      stats_pending: true,
      volume: null,
      fill_count: 0,
      source: 'polymarket_builder_metadata',
    })
    const { rank: _, source: _source, ...fields } = last
    expect(await ask(`/v3/builders/${last.builder_code}`)).toMatchObject(fields)
    expect((await ask(`/v3/builders/${last.builder_code}/trades`)).trades).toEqual([])
    expect((await ask(`/v3/builders/${last.builder_code}/leaderboard`)).data).toEqual([])
  })

  test('200: by code with and without 0x, in capitals, and by name in any letter case', async () => {
    const names = named().map(({ name }) => name)
    const alone = named().find(({ name }) => names.filter((other) => other === name).length === 1)
    const { name = '', code: alonesCode = '' } = alone ?? {}
    const texts = [alonesCode.slice(2), alonesCode.slice(2).toUpperCase(), name.toUpperCase()]
    for (const text of texts) {
      const found = await ask(`/v3/builders/${encodeURIComponent(text)}`)
      expect(found).toMatchObject({ builder_code: alonesCode, builder_name: name })
    }
  })

  test('409: a name that several builders share, with the candidates', async () => {
    const names = named().map(({ name }) => name)
    const shared = names.find((name, index) => names.indexOf(name) !== index) ?? ''
    const body = await refused(409, `/v3/builders/${encodeURIComponent(shared)}`)
    expect(body.candidates.length).toBeGreaterThan(1)
    for (const candidate of body.candidates) expect(candidate.builder_name).toBe(shared)
  })

  test.each(['0x12', 'no such builder', `0x${'1'.repeat(64)}`])('404: %s', async (text) => {
    const path = `/v3/builders/${encodeURIComponent(text)}`
    expect(await refused(404, path)).toEqual({ error: 'Not found.' })
    for (const part of ['trades', 'activity/daily', 'leaderboard']) {
      await refused(404, `${path}/${part}`)
    }
  })
})

describe('GET /v3/builders/{code}/trades', () => {
  test('200: every row names the builder, and so does the answer', async () => {
    const page = await ask(`/v3/builders/${code}/trades`, { limit: 5 })
    expect(page).toMatchObject({ builder: code, builder_code: code })
    for (const row of page.trades) expect(row).toMatchObject({ builder: code, builder_code: code })
  })

  test('200: tags narrow, by slug and by label; the category is the first tag', async () => {
    const { trades } = await ask(`/v3/builders/${code}/trades`, { limit: 300 })
    const tagsOf = async (slug: string) => {
      const rows = await world.ctx.sql<{ slug: string; label: string }[]>`
        select t.slug, t.label
          from markets m join event_tags et on et.event = m.event join tags t on t.id = et.tag
         where m.slug = ${slug} order by et.place`
      return rows
    }
    const slug = trades.find((row: { slug: string | null }) => row.slug !== null).slug
    const [first, second] = await tagsOf(slug)
    const ofTag = await ask(`/v3/builders/${code}/trades`, { tag_slug: second?.label, limit: 300 })
    expect(ofTag.trades.map((row: { slug: string }) => row.slug)).toContain(slug)
    expect(ofTag.trades.length).toBeLessThan(trades.length + 1)
    const ofCategory = await ask(`/v3/builders/${code}/trades`, { category: first?.slug })
    expect(ofCategory.trades.map((row: { slug: string }) => row.slug)).toContain(slug)
    const none = await ask(`/v3/builders/${code}/trades`, { category: 'no such tag' })
    expect(none.trades).toEqual([])
  })

  test('400: a tag with too many markets, unless a market or a time narrows it', async () => {
    const { sql } = world.ctx
    await sql`insert into tags values (999999, 'everything', 'Everything')`
    await sql`
      insert into events (id, slug, first_seen, active, closed, archived, neg_risk)
      values (999999, 'everything', now(), true, false, false, false)`
    await sql`insert into event_tags values (999999, 999999, 0)`
    await sql`
      insert into markets (id, event, first_seen, active, closed, archived, neg_risk,
                           accepting_orders, enable_order_book, outcomes, tokens)
      select 9000000 + n, 999999, now(), true, false, false, false, true, true, '{}', '{}'
        from generate_series(1, 2501) n`
    for (const name of ['category', 'tag_slug']) {
      const query = { [name]: 'everything' }
      const body = await refused(400, `/v3/builders/${code}/trades`, query)
      expect(body.error).toContain('market_slug')
      await ask(`/v3/builders/${code}/trades`, { ...query, after: 1 })
    }
    await sql`delete from markets where event = 999999`
    await sql`delete from event_tags where event = 999999`
    await sql`delete from events where id = 999999`
    await sql`delete from tags where id = 999999`
  })
})

describe('days of builders', () => {
  test('200: a day has the sums over its fills; wallets count once a day', async () => {
    const fills = fillsOf(code)
    const { data } = await ask(`/v3/builders/${code}/activity/daily`)
    expect(data).toEqual([
      {
        date: '2026-11-14',
        timestamp: Date.UTC(2026, 10, 14) / 1000,
        fill_count: fills.length,
        volume: decimal(sum(fills, ({ shares }) => shares)),
        buy_volume: decimal(
          sum(
            fills.filter(({ isSell }) => !isSell),
            ({ shares }) => shares,
          ),
        ),
        sell_volume: decimal(
          sum(
            fills.filter(({ isSell }) => isSell),
            ({ shares }) => shares,
          ),
        ),
        fees_usdc: decimal(sum(fills, ({ fee }) => fee)),
        active_wallets: new Set(fills.map(({ maker }) => maker)).size,
        new_wallets: new Set(fills.map(({ maker }) => maker)).size,
      },
    ])
  })

  test('200: all builders together are the sum of each of them', async () => {
    const { data } = await ask('/v3/builders/activity/daily')
    const { data: each } = await ask('/v3/builders/activity/daily', { group_by: 'builder' })
    expect(data.length).toBe(1)
    expect(each.length).toBeGreaterThan(2)
    const count = each.reduce((all: number, row: { fill_count: number }) => all + row.fill_count, 0)
    expect(data[0].fill_count).toBe(count)
  })

  test('200: `after` and `before` are days of both ends; 400 when they are the wrong way round', async () => {
    const dayBefore = Date.UTC(2026, 10, 13) / 1000
    const path = `/v3/builders/${code}/activity/daily`
    expect((await ask(path, { before: dayBefore })).data).toEqual([])
    expect((await ask(path, { after: dayBefore })).data.length).toBe(1)
    await refused(400, path, { after: 2, before: 1 })
  })
})

describe('GET /v3/builders/{code}/leaderboard', () => {
  const path = () => `/v3/builders/${code}/leaderboard`

  test('200: the cohort with its volumes, and the profit of whole wallets', async () => {
    const body = await ask(path(), { sort: 'realized_pnl' })
    const wallets = new Set(fillsOf(code).map(({ maker }) => maker))
    expect(body).toMatchObject({
      builder_code: code,
      period: 'all',
      sort: 'realized_pnl',
      order: 'desc',
      cohort_wallet_count: wallets.size,
      pnl_scope: 'wallet_global_polymarket_not_builder_attributed',
      volume_semantics: 'outcome_share_par_notional',
    })
    expect(body.data.map(({ wallet }: { wallet: string }) => wallet).sort()).toEqual([...wallets].sort())
    const gains = body.data.map(({ realized_pnl }: { realized_pnl: string }) => Number(realized_pnl))
    expect(gains).toEqual(gains.toSorted((a: number, b: number) => b - a))
    for (const row of body.data) {
      const own = fillsOf(code).filter(({ maker }) => maker === row.wallet)
      expect(row).toMatchObject({
        trades: own.length,
        volume: decimal(sum(own, ({ shares }) => shares)),
        trader_paid_fees_e6: `${sum(own, ({ fee }) => fee)}`,
        active_days: 1,
        last_activity_at: own.at(-1)?.timeSec,
      })
      const [totals] = await world.ctx.sql<{ realized: bigint }[]>`
        select t.realized from wallet_totals t join wallets w on w.id = t.wallet
         where w.address = ${Buffer.from(row.wallet.slice(2), 'hex')}`
      expect(Number(row.realized_pnl)).toBe(Number(totals?.realized) / 1e6)
      expect(Number(row.total_pnl)).toBeCloseTo(Number(row.realized_pnl) + Number(row.unrealized_pnl), 6)
    }
  })

  test('200: a day holds the whole history here, so that both boards agree', async () => {
    const [all, day] = await Promise.all([
      ask(path(), { sort: 'volume' }),
      ask(path(), { sort: 'volume', period: '1d' }),
    ])
    const figures = ({ wallet, volume, trades, trader_paid_fees: fees }: Record<string, unknown>) => [
      wallet,
      volume,
      trades,
      fees,
    ]
    expect(day.data.map(figures)).toEqual(all.data.map(figures))
    expect(day.pnl_scope).toBe('not_applicable_builder_attributed_activity_only')
    expect(day.data[0]).not.toHaveProperty('realized_pnl')
    const gains = await ask(path(), { sort: 'pnl', period: '7d' })
    expect(gains.data[0]).toMatchObject({ unrealized_pnl: null, total_pnl: null })
  })

  test('409: the snapshot advanced between two pages', async () => {
    const first = await ask(path(), { pagination: 'cursor', limit: 2 })
    const { sql, clock } = world.ctx
    await refreshBoard(sql, clock.now())
    const query = { pagination: 'cursor', limit: 2, cursor: first.next_cursor }
    expect((await ask(path(), query)).data[0].rank).toBe(3)
    await sql`update builder_wallets set fees = fees + 1`
    await refreshBoard(sql, clock.now())
    expect(await refused(409, path(), query)).toMatchObject({ hint: expect.any(String) })
    await sql`update builder_wallets set fees = fees - 1`
    await refreshBoard(sql, clock.now())
  })

  test.each([
    ['a rank beyond 500', { offset: 450, limit: 51 }],
    ['a cursor of a rolling board', { pagination: 'cursor', period: '7d' }],
    ['a cursor by volume', { pagination: 'cursor', sort: 'volume' }],
    ['unrealized profit of a rolling period', { period: '1d', sort: 'unrealized_pnl' }],
    ['another period', { period: '2d' }],
    ['another order of pages', { pagination: 'offset' }],
  ])('400: %s', async (_why, query) => {
    await refused(400, path(), query)
  })

  test('503 before the first board was made', async () => {
    const { sql } = world.ctx
    await sql`update builder_board_state set taken_at = null`
    const reply = await world.get(path())
    expect(reply.statusCode).toBe(503)
    expect(reply.headers).toHaveProperty('retry-after')
    await sql`update builder_board_state set taken_at = now()`
  })
})
