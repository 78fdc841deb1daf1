import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { insertTestMarkets } from '../markets/test-catalogue.js'
import type { Pool } from '../store/connection.js'

const AS_OF = 1_793_000_000
const SCOPES = { all: 0, crypto: 1, cryptoTag: 2, games: 3, capitals: 4 }

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp()
  key = (await t.createCaller('enterprise')).key
  await insertBoards(t.ctx.sql)
})
afterAll(() => t.close())

/** 10,050 wallets, of which 1,005 realized something in the last day. Wallet 1 earned most. */
async function insertBoards(sql: Pool): Promise<void> {
  await sql`
    insert into wallets
    select id, decode(lpad(to_hex(id), 40, '0'), 'hex'), 0 from generate_series(1, 10050) id`
  await sql`
    insert into tags values (1, 'crypto', 'Crypto'), (2, '5M', '5 Minutes'), (3, '5m', 'Five'),
      (4, 'games', 'Games'), (5, 'big-games', 'Games'), (6, null, 'No Slug'), (7, 'quiet', 'Quiet'),
      (8, 'up-or-down', 'Up or Down'), (9, 'UP-OR-DOWN', 'Shouted')`
  await sql`
    insert into tag_counts
    select slug, slug, markets, 1, 'epoch', 'epoch'
      from (values ('games', 1), ('big-games', 5), ('up-or-down', 2), ('UP-OR-DOWN', 3))
        counted (slug, markets)`
  await sql`
    insert into board_scopes values
      (1, 'category', 'crypto'), (2, 'tag', 'crypto'), (3, 'tag', 'games'), (4, 'tag', '5M'),
      (5, 'tag', '100%_\\x'), (6, 'tag', 'no-slug'), (7, 'tag', 'gone')`
  await insertTestMarkets(sql, [{ question: 'Up?', slug: 'up', event: 7 }])
  await sql`insert into conditions values (1, ${Buffer.alloc(32, 0xc0)}, 0)`
  await sql`
    insert into tokens (id, token, condition, outcome, since)
    values (1, ${Buffer.alloc(32, 1)}, 1, 0, 0)`
  await sql`update markets set tokens = array[${Buffer.alloc(32, 1)}::bytea]`
  await sql`
    insert into board_positions
    select id, 1, id * 1000, -id, 5, true from generate_series(1, 3) id`
  for (const [scope, wallets] of [
    [SCOPES.all, 10_050],
    [SCOPES.crypto, 3],
    [SCOPES.cryptoTag, 2],
  ] as const) {
    await sql`
      insert into all_time_boards
      select ${scope}::integer, id, 10, 2, 3, 4, 1000000 - id * 10, id, 1000000 - id * 9, 3000000 - id,
             -20000 - id, 2000000, -1000000 - id * 10, 500000 + id
        from generate_series(1, ${wallets}::integer) id`
  }
  for (const [days, scope, wallets] of [
    [1, SCOPES.all, 1_005],
    [7, SCOPES.all, 1_000],
    [7, SCOPES.cryptoTag, 4],
    [7, SCOPES.games, 4],
    [7, SCOPES.capitals, 2],
    [7, 5, 1],
    [7, SCOPES.crypto, 3],
  ] as const) {
    await sql`
      insert into rolling_boards
      select ${days}::integer, ${scope}::integer, id, 2, 1, 500000 - id, 600000, -100000 - id
        from generate_series(1, ${wallets}::integer) id`
    await sql`insert into rolling_scopes values (${days}, ${scope}, ${wallets})`
  }
  await sql`insert into rolling_scopes values (7, 7, 0), (30, 2, 2000)`
  await sql`update board_state set snapshot = 7, epoch = 1, block = 5, block_time = ${AS_OF}`
}

const get = (url: string) => t.app.inject({ url, headers: { 'x-api-key': key } })
const ask = async (url: string) => {
  const reply = await get(url)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const refused = async (url: string, status = 400) => {
  const reply = await get(url)
  expect(reply.statusCode, reply.body).toBe(status)
  return reply.json()
}
const addressOf = (id: number) => `0x${id.toString(16).padStart(40, '0')}`
const walletsOf = (rows: { wallet: string }[]) => rows.map(({ wallet }) => Number(wallet))

describe('GET /v3/leaderboard', () => {
  test('200: all time, all markets', async () => {
    const { elapsed_ms: _elapsed, ...body } = await ask('/v3/leaderboard?limit=1')
    expect(body).toEqual({
      leaderboard: [
        {
          rank: 1,
          wallet: addressOf(1),
          net_realized_pnl: 0.99999,
          realized_pnl: 0.99999,
          unrealized_pnl: 0.000001,
          total_pnl: 0.999991,
          gross_profit: 2.999999,
          gross_loss: -0.020001,
          wins: 3,
          losses: 4,
          position_count: 10,
          open_positions: 2,
          total_volume: 0.500001,
        },
      ],
      rows_returned: 1,
      has_more: true,
      offset: 0,
      limit: 1,
      next_cursor: expect.any(String),
      period: 'all',
      scope: null,
      value: null,
      sort: 'total',
      as_of: AS_OF,
    })
  })

  test.each([
    ['total', 1],
    ['total_pnl', 1],
    ['realized', 1],
    ['profit', 1],
    ['unrealized', 10_050],
    ['loss', 10_050],
    ['volume', 10_050],
    ['wins', 10_050],
    ['positions', 10_050],
  ])('200: sort=%s has wallet %i first', async (sort, first) => {
    const { leaderboard } = await ask(`/v3/leaderboard?sort=${sort}&limit=2`)
    expect(walletsOf(leaderboard)).toEqual([first, first === 1 ? 2 : first - 1])
  })

  test('200: the board of all time ends at rank 10,000', async () => {
    const last = await ask('/v3/leaderboard?offset=9900')
    expect(last).toMatchObject({ rows_returned: 100, has_more: false, next_cursor: null })
    expect(last.leaderboard[99]).toMatchObject({ rank: 10_000, wallet: addressOf(10_000) })
    const near = await ask('/v3/leaderboard?offset=9950&limit=40')
    const end = await ask(`/v3/leaderboard?cursor=${near.next_cursor}&limit=40`)
    expect(end).toMatchObject({ rows_returned: 10, has_more: false, next_cursor: null })
    expect(await refused('/v3/leaderboard?offset=9950&limit=500')).toEqual({
      error: 'leaderboard_offset_too_deep',
      max_rank: 10_000,
      max_offset: 9_900,
      limit: 100,
      offset: 9_950,
    })
    expect(await ask('/v3/leaderboard?category=crypto&offset=20000')).toMatchObject({
      rows_returned: 0,
      has_more: false,
    })
  })

  test.each(['1d', 'day'])('200: period=%s is a rolling board', async (period) => {
    const { leaderboard, ...body } = await ask(`/v3/leaderboard?period=${period}&limit=1&offset=1`)
    expect(leaderboard).toEqual([
      {
        rank: 2,
        wallet: addressOf(2),
        realized_pnl: 0.499998,
        gross_profit: 0.6,
        gross_loss: -0.100002,
        wins: 2,
        losses: 1,
        events: 3,
      },
    ])
    expect(body).toMatchObject({ period: '1d', scope: null, value: null, as_of: AS_OF })
  })

  test.each([
    ['offset=900', 100],
    ['offset=950', 50],
    ['offset=1000', 0],
    ['offset=5000', 0],
  ])('200: a rolling board ends at rank 1,000: %s', async (query, count) => {
    expect(await ask(`/v3/leaderboard?period=1d&${query}`)).toMatchObject({
      rows_returned: count,
      has_more: false,
      next_cursor: null,
    })
  })

  test('200: cursor pagination ends at rank 1,000', async () => {
    const ranks: number[] = []
    for (let url: string | undefined = '/v3/leaderboard?period=1d&limit=97'; url !== undefined; ) {
      const page: { leaderboard: { rank: number }[]; next_cursor: string | null } = await ask(url)
      ranks.push(...page.leaderboard.map(({ rank }) => rank))
      const { next_cursor: cursor } = page
      url = cursor === null ? undefined : `/v3/leaderboard?period=1d&limit=97&cursor=${cursor}`
    }
    expect(ranks).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1))
  })

  test.each([
    ['category=crypto', 'category', 'crypto', 3],
    ['category=CRYPTO', 'category', 'crypto', 3],
    ['tags=crypto', 'tag', 'crypto', 2],
    ['tag_slug=Crypto', 'tag', 'crypto', 2],
    ['tags=crypto,', 'tag', 'crypto', 2],
    ['tags=crypto&tag_slug=crypto', 'tag', 'crypto', 2],
    ['tags=5M', 'tag', '5M', 0],
    ['tags=5m', 'tag', '5m', 0],
    ['tags=games', 'tag', 'games', 0],
    ['tags=Big%20Games', 'tag', 'big-games', 0],
    ['tags=GAMES', 'tag', 'games', 0],
    ['tags=Up-Or-Down', 'tag', 'UP-OR-DOWN', 0],
    ['tags=five', 'tag', '5m', 0],
    ['tags=no%20slug', 'tag', 'no-slug', 0],
    ['tags=quiet', 'tag', 'quiet', 0],
    ['tags=unheard-of', 'tag', 'unheard-of', 0],
    ['category=unheard-of', 'category', 'unheard-of', 0],
    ['market=up', 'market', 'up', 3],
    ['market_slug=up', 'market', 'up', 3],
    ['market=up&market_slug=up', 'market', 'up', 3],
    ['event_slug=event-up', 'event', 'event-up', 3],
    [`condition_id=0x${'C0'.repeat(32)}`, 'market', `0x${'c0'.repeat(32)}`, 3],
    [`market=0x${'C0'.repeat(32)}`, 'market', `0x${'c0'.repeat(32)}`, 3],
    ['market_slug=unheard-of', 'market', 'unheard-of', 0],
  ])('200: %s is the %s %s', async (query, scope, value, count) => {
    const body = await ask(`/v3/leaderboard?${query}`)
    expect(body).toMatchObject({ scope, value, rows_returned: count, as_of: AS_OF })
  })

  test('200: the board of a market sums up its positions', async () => {
    const { leaderboard } = await ask('/v3/leaderboard?market=up&limit=1')
    expect(leaderboard[0]).toMatchObject({
      rank: 1,
      wallet: addressOf(3),
      net_realized_pnl: 0.003,
      unrealized_pnl: -0.000003,
      total_pnl: 0.002997,
      position_count: 1,
      open_positions: 1,
      wins: 1,
      losses: 0,
    })
  })

  test.each([
    ['tags=a,b', 'one tag'],
    ['tags=,', 'tags'],
    ['tags=', 'tags'],
    ['tags=a&tag_slug=b', 'one filter'],
    ['tags=a&category=a', 'one filter'],
    ['market=up&event_slug=up', 'one filter'],
    ['period=7d&market=up', 'category or tags'],
    ['period=7d&event_slug=up', 'category or tags'],
    ['period=7d&sort=total', 'sort'],
    ['period=week&sort=volume', 'sort'],
    ['period=2d', 'period'],
    ['period=7D', 'period'],
    ['period=', 'period'],
    ['period=1d&period=7d', 'period'],
    ['sort=pnl', 'sort'],
    ['limit=x', 'limit'],
    ['offset=1.5', 'offset'],
    ['condition_id=0x12', 'condition_id'],
    ['cursor=abc', 'cursor'],
  ])('400: %s', async (query, named) => {
    expect((await refused(`/v3/leaderboard?${query}`)).error).toContain(named)
  })

  test('200: a rolling board takes the sort that it has', async () => {
    await ask('/v3/leaderboard?period=7d&sort=realized&limit=1')
  })

  test('409: a cursor of boards that were brought up to date since', async () => {
    const { next_cursor: cursor } = await ask('/v3/leaderboard?period=7d&limit=2')
    await t.ctx.sql`update board_state set snapshot = snapshot + 1`
    const url = `/v3/leaderboard?period=7d&limit=2&cursor=${cursor}`
    expect(await refused(url, 409)).toEqual({ error: expect.any(String), hint: expect.any(String) })
    await t.ctx.sql`update board_state set snapshot = snapshot - 1`
    expect((await ask(url)).leaderboard[0]).toMatchObject({ rank: 3 })
  })
})

describe('GET /v3/tags/{slug}/leaderboard', () => {
  test('200: all time, as texts that add up', async () => {
    const { elapsed_ms: _elapsed, ...body } = await ask('/v3/tags/CRYPTO/leaderboard?limit=1')
    expect(body).toEqual({
      data: [
        {
          wallet: addressOf(1),
          net_pnl: '0.999990',
          gross_profit: '2.000000',
          gross_loss: '-1.000010',
          total_volume: '0.500001',
          position_count: 10,
        },
      ],
      rows_returned: 1,
      has_more: true,
      offset: 0,
      limit: 1,
      next_cursor: expect.any(String),
      period: 'all',
      scope: 'tag',
      value: 'crypto',
      sort: 'net_pnl',
      as_of: AS_OF,
    })
  })

  test.each([
    ['net_pnl', 1],
    ['profit', 2],
    ['loss', 2],
    ['volume', 2],
  ])('200: sort=%s has wallet %i first', async (sort, first) => {
    const { data } = await ask(`/v3/tags/crypto/leaderboard?sort=${sort}`)
    expect(walletsOf(data)).toEqual([first, 3 - first])
  })

  test('200: rolling rows are in `leaderboard`', async () => {
    const { leaderboard, data, ...body } = await ask('/v3/tags/games/leaderboard?period=week')
    expect(data).toBeUndefined()
    expect(leaderboard).toEqual((await ask('/v3/leaderboard?period=7d&tags=games')).leaderboard)
    expect(body).toMatchObject({ rows_returned: 4, period: '7d', scope: 'tag', value: 'games' })
  })

  test('200: a tag in which no wallet has traded', async () => {
    expect(await ask('/v3/tags/quiet/leaderboard')).toMatchObject({ data: [] })
    expect(await ask('/v3/tags/quiet/leaderboard?period=1d')).toMatchObject({ leaderboard: [] })
  })

  test('400, 404', async () => {
    expect(await refused('/v3/tags/Nothing/leaderboard', 404)).toEqual({
      error: 'tag not found',
      tag: 'Nothing',
    })
    for (const query of ['sort=total', 'period=1d&sort=profit', 'period=1h']) {
      await refused(`/v3/tags/crypto/leaderboard?${query}`)
    }
  })
})

describe('GET /v3/leaderboard/scopes', () => {
  const path = '/v3/leaderboard/scopes'

  test('200: most wallets first, then by name', async () => {
    const { elapsed_ms: _elapsed, ...body } = await ask(`${path}?period=week&scope=tags`)
    expect(body).toEqual({
      scopes: [
        { value: 'crypto', wallet_count: 4, ranked_count: 4 },
        { value: 'games', wallet_count: 4, ranked_count: 4 },
        { value: '5M', wallet_count: 2, ranked_count: 2 },
        { value: '100%_\\x', wallet_count: 1, ranked_count: 1 },
      ],
      count: 4,
      rows_returned: 4,
      total_count: 4,
      has_more: false,
      offset: 0,
      limit: 100,
      period: '7d',
      scope: 'tag',
      query: null,
      as_of: AS_OF,
    })
    expect(await ask(`${path}?period=month&scope=tag`)).toMatchObject({
      scopes: [{ value: 'crypto', wallet_count: 2000, ranked_count: 1000 }],
    })
    expect(await ask(`${path}?period=7d&scope=categories`)).toMatchObject({
      scopes: [{ value: 'crypto', wallet_count: 3 }],
      scope: 'category',
    })
    expect(await ask(`${path}?period=1d&scope=category`)).toMatchObject({ scopes: [], count: 0 })
  })

  test.each([
    ['q=m', 'm', ['games', '5M']],
    ['q=%20GAM%20', 'gam', ['games']],
    ['q=%25', '%', ['100%_\\x']],
    ['q=_', '_', ['100%_\\x']],
    ['q=%5C', '\\', ['100%_\\x']],
    ['q=0%25_', '0%_', ['100%_\\x']],
    ['q=c.*o', 'c.*o', []],
    ['q=%20', null, ['crypto', 'games', '5M', '100%_\\x']],
    ['q=', null, ['crypto', 'games', '5M', '100%_\\x']],
    [`q=%20${'%C3%A9'.repeat(80)}%20`, 'é'.repeat(80), []],
  ])('200: %s', async (search, query, values) => {
    const body = await ask(`${path}?period=7d&scope=tag&${search}`)
    expect(body).toMatchObject({ query, count: values.length, total_count: values.length })
    expect(body.scopes.map(({ value }: { value: string }) => value)).toEqual(values)
  })

  test.each([
    ['limit=0', 1, 1, true],
    ['limit=-7', 1, 1, true],
    ['limit=201', 200, 4, false],
    ['limit=2&offset=2', 2, 2, false],
    ['limit=1&offset=2', 1, 1, true],
    ['offset=10000', 100, 0, false],
  ])('200: %s', async (query, limit, count, hasMore) => {
    expect(await ask(`${path}?period=7d&scope=tag&${query}`)).toMatchObject({
      limit,
      count,
      has_more: hasMore,
      total_count: 4,
    })
  })

  test('200: there are more only where an offset reaches them', async () => {
    const { sql } = t.ctx
    await sql`
      insert into board_scopes select id, 'category', 'many ' || id from generate_series(100, 10399) id`
    await sql`insert into rolling_scopes select 1, id, 1 from generate_series(100, 10399) id`
    const hasMore = async (query: string) => (await ask(`${path}?period=1d&scope=category&${query}`)).has_more
    expect(await hasMore('offset=9800&limit=200')).toBe(true)
    expect(await hasMore('offset=9801&limit=200')).toBe(false)
    expect(await hasMore('offset=10000&limit=200')).toBe(false)
    await sql`delete from rolling_scopes where days = 1 and scope >= 100`
    await sql`delete from board_scopes where id >= 100`
  })

  test.each([
    ['scope=tag', 'invalid_period'],
    ['period=all&scope=tag', 'invalid_period'],
    ['period=2d&scope=tag', 'invalid_period'],
    ['period=1d&period=7d&scope=tag', 'invalid_period'],
    ['period=7d', 'invalid_scope'],
    ['period=7d&scope=market', 'invalid_scope'],
    [`period=7d&scope=tag&q=${'x'.repeat(81)}`, 'invalid_query'],
    ['period=7d&scope=tag&q=a%09', 'invalid_query'],
    ['period=7d&scope=tag&q=a%0Ab', 'invalid_query'],
    ['period=7d&scope=tag&q=%00', 'invalid_query'],
    ['period=7d&scope=tag&q=%C2%85', 'invalid_query'],
    ['period=7d&scope=tag&q=%FF', 'invalid_query'],
    ['period=7d&scope=tag&q=a&q=b', 'invalid_query'],
    ['period=7d&scope=tag&offset=-1', 'scope_offset_too_deep'],
    ['period=7d&scope=tag&offset=10001', 'scope_offset_too_deep'],
    [`period=7d&scope=tag&offset=${'9'.repeat(30)}`, 'scope_offset_too_deep'],
  ])('400: %s', async (query, code) => {
    expect(await refused(`${path}?${query}`)).toMatchObject({
      error: code,
      message: expect.any(String),
    })
  })

  test('400: a limit that is no number; 401, 402', async () => {
    expect((await refused(`${path}?period=7d&scope=tag&limit=x`)).error).toContain('limit')
    expect((await t.app.inject(`${path}?period=7d&scope=tag`)).statusCode).toBe(401)
    const { key: free } = await t.createCaller('free')
    const headers = { 'x-api-key': free }
    expect((await t.app.inject({ url: path, headers })).statusCode).toBe(402)
  })

  test('200: CSV and NDJSON', async () => {
    const csv = await get(`${path}?period=7d&scope=category&format=csv`)
    expect(csv.body).toBe('value,wallet_count,ranked_count\r\ncrypto,3,3\r\n')
  })
})

describe('GET /v3/wallets/{address}/ranks', () => {
  const ranksOf = async (address: string) => {
    const { ranks } = await ask(`/v3/wallets/${address}/ranks`)
    return ranks.map(({ period, rank }: { period: string; rank: number | null }) => `${period} ${rank}`)
  }

  test.each([1, 2, 500, 1_001, 10_001])('200: wallet %d has the rank that the boards give it', async (id) => {
    const { ranks, as_of: asOf } = await ask(`/v3/wallets/${addressOf(id)}/ranks`)
    expect(asOf).toBe(AS_OF)
    for (const { period, rank, value } of ranks) {
      const offset = Math.max(id - 1, 0)
      const isWithin = period === 'all' ? id <= 10_000 : id <= (period === '30d' ? 0 : 1_000)
      if (!isWithin) {
        expect([rank, value], period).toEqual([null, null])
        continue
      }
      const { leaderboard } = await ask(`/v3/leaderboard?period=${period}&offset=${offset}&limit=1`)
      const [row] = leaderboard
      expect({ rank, value }, period).toEqual({ rank: row.rank, value: row.total_pnl ?? row.realized_pnl })
      expect(row.wallet).toBe(addressOf(id))
    }
  })

  test('200: a wallet that never traded is on no board', async () => {
    expect(await ranksOf(`0x${'f'.repeat(40)}`)).toEqual(['all null', '1d null', '7d null', '30d null'])
  })
})

test.each([
  '/v3/leaderboard',
  '/v3/wallets/0x0000000000000000000000000000000000000001/ranks',
  '/v3/leaderboard?period=1d&tags=unheard-of',
  '/v3/tags/crypto/leaderboard',
  '/v3/leaderboard/scopes?period=1d&scope=tag',
])('503: the boards are not made yet: %s', async (url) => {
  await t.ctx.sql`update board_state set block = null`
  const reply = await get(url)
  await t.ctx.sql`update board_state set block = 5`
  expect(reply.statusCode).toBe(503)
  // This service has no node, which every 503 about the chain says.
  const hint = expect.stringContaining('AUSPEX_POLYGON_URL')
  expect(reply.json()).toEqual({ error: 'leaderboard_unavailable', hint })
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
})
