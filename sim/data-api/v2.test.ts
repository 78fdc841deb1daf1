import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { busiest, openTestWorld, type Row, rowAt, type TestWorld } from './test-world.js'

type Page = {
  data: Row[]
  pagination: { limit: number; offset: number; has_more: boolean; next_cursor: string | null }
}

let world: TestWorld
let universe: Universe
let get: TestWorld['get']

beforeAll(async () => {
  world = await openTestWorld(2)
  universe = world.universe
  get = world.get
})
afterAll(() => world.host.close())

/** Follows the cursors to the end, or for some pages. */
async function readPages(path: string, pages = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = ''
  for (let page = 0; page < pages && cursor !== null; page++) {
    const separator = path.includes('?') ? '&' : '?'
    const reply: Page = await get(cursor === '' ? path : `${path}${separator}cursor=${cursor}`)
    rows.push(...reply.data)
    cursor = reply.pagination.next_cursor
    expect(reply.pagination.has_more).toBe(cursor !== null)
  }
  return rows
}

describe('trades', () => {
  test('are those of the first version in snake_case', async () => {
    const page: Page = await get('/v2/trades?limit=2')
    const [first] = await get('/trades?limit=1')
    expect(page.pagination).toEqual({
      limit: 2,
      offset: 0,
      has_more: true,
      next_cursor: expect.any(String),
    })
    expect(page.data[0]).toEqual({
      proxy_wallet: first?.proxyWallet,
      side: first?.side,
      token_id: first?.asset,
      condition_id: first?.conditionId,
      size: first?.size,
      price: first?.price,
      timestamp: first?.timestamp,
      title: first?.title,
      slug: first?.slug,
      icon: first?.icon,
      event_slug: first?.eventSlug,
      outcome: first?.outcome,
      outcome_index: first?.outcomeIndex,
      name: first?.name,
      pseudonym: first?.pseudonym,
      bio: first?.bio,
      profile_image: first?.profileImage,
      profile_image_optimized: '',
      transaction_hash: first?.transactionHash,
    })
  })

  test('pages of a wallet add up to its whole list', async () => {
    const { address } = busiest(universe, 'match')
    const pages = await readPages(`/v2/trades?user=${address}&taker_only=false&limit=50`)
    const whole = await get(
      `/trades?user=${address}&takerOnly=false&limit=10000&filterType=TOKENS&filterAmount=0.01`,
    )
    expect(pages.map(({ transaction_hash }) => transaction_hash)).toEqual(
      whole.map(({ transactionHash }) => transactionHash),
    )
  })

  test('both spellings of a key, and one address only', async () => {
    const { address } = busiest(universe, 'match')
    const camel = await get<Page>(`/v2/trades?user=${address}&takerOnly=false&limit=5`)
    const snake = await get<Page>(`/v2/trades?user=${address}&taker_only=false&limit=5`)
    expect(camel.data).toEqual(snake.data)
    const list = await get<Page>(`/v2/trades?user=${address},${address}`)
    expect(list).toMatchObject({ data: [], pagination: { has_more: false, next_cursor: null } })
  })

  test.each(['/v2/trades?offset=5', '/v2/trades?cursor=abc', '/v2/trades?start=1', '/v2/activity'])(
    '400: %s',
    async (path) => {
      expect(await world.refusal(path)).toEqual({ status: 400, error: expect.any(String) })
    },
  )
})

test('activity marks combos', async () => {
  const wallet = universe.wallets.find((each) =>
    universe.settledActs.ofWallet(each).some(({ tx: { act } }) => {
      return act.kind === 'match' && act.of.kind === 'combo' && act.of.legs.length > 1
    }),
  )
  const rows = await readPages(`/v2/activity?user=${wallet?.address}&type=TRADE&limit=20`)
  const combo = rows.find(({ is_combo }) => is_combo)
  expect(combo).toMatchObject({ slug: '', event_slug: '' })
  expect(combo?.usdc_size).toBeGreaterThan(0)
})

describe('positions', () => {
  test.each([
    ['OPEN', ['OPEN', 'REDEEMABLE']],
    ['MERGEABLE', ['OPEN', 'REDEEMABLE']],
    ['REDEEMABLE', ['REDEEMABLE']],
    ['REDEEMABLE_LOST', ['REDEEMABLE']],
    ['CLOSED', ['CLOSED']],
  ])('who asks for %s gets rows that say %j', async (status, shown) => {
    const rows: Row[] = []
    for (const { address } of universe.wallets.filter(isHolder).slice(0, 40)) {
      rows.push(...(await readPages(`/v2/positions?user=${address}&status=${status}&limit=1000`)))
    }
    expect(rows.length).toBeGreaterThan(0)
    expect(shown).toEqual(expect.arrayContaining([...new Set(rows.map((row) => row.status))]))
  })

  const isHolder = (wallet: Wallet) =>
    wallet.character === 'holder' && universe.settledActs.ofWallet(wallet).length > 0

  test('of a market, by value, page by page; a cursor goes on alone and only as it began', async () => {
    const [market] = [...universe.settledActs.matches].map(({ tx }) => tx.act.of)
    const path = `/v2/positions?condition=${market?.conditionId}&sort_by=TOKENS`
    const whole: Page = await get(path)
    const sizes = whole.data.map(({ current_size }) => current_size)
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    const first: Page = await get(`${path}&limit=1`)
    const cursor = first.pagination.next_cursor
    const second: Page = await get(`/v2/positions?cursor=${cursor}`)
    expect([...first.data, ...second.data]).toEqual(whole.data.slice(0, 2))
    const other = await world.refusal(`/v2/positions?cursor=${cursor}&status=CLOSED`)
    expect(other.status).toBe(400)
  })

  test('a condition may be padded to 32 bytes, and is called by two names', async () => {
    const migrated = universe.catalogue.combos().find(({ legs }) => legs.length === 1)
    const id = migrated?.conditionId
    const whole: Page = await get(`/v2/positions?condition_id=${id}`)
    expect(whole.data.length).toBeGreaterThan(0)
    expect(await get(`/v2/positions?condition=${id}00`)).toEqual(whole)
  })

  const ADDRESS = `0x${'1'.repeat(40)}`
  const CONDITION = `0x${'1'.repeat(64)}`
  test.each([
    ['no user and no condition', ''],
    ['two conditions without a user', `condition_id=${CONDITION},0x${'2'.repeat(64)}`],
    ['mergeable ones of a market', `condition_id=${CONDITION}&status=MERGEABLE`],
    ['lost ones of a market', `condition_id=${CONDITION}&status=REDEEMABLE_LOST`],
    ['an event without a user', 'event_id=7'],
    ['a market and an event', `user=${ADDRESS}&condition_id=${CONDITION}&event_id=7`],
    ['closed and archived ones', `user=${ADDRESS}&status=CLOSED&include_archived=true`],
    ['a long title', `user=${ADDRESS}&title=${'x'.repeat(201)}`],
    ['an event that is no number', `user=${ADDRESS}&event_id=2147483648`],
  ])('400: %s', async (_what, query) => {
    expect((await world.refusal(`/v2/positions?${query}`)).status).toBe(400)
  })
})

describe('wallets', () => {
  const unknown = `0x${'1'.repeat(40)}`

  test('the last point of the P&L is the one of the profile', async () => {
    const { address } = busiest(universe, 'redeem')
    const path = `/v2/user-pnl?user=${address}&interval=max`
    const { points } = (await get<{ data: { points: Row[] } }>(path)).data
    const stats: { data: Row } = await get(`/v2/user-stats?user=${address}`)
    expect(rowAt(points, -1)).toEqual(stats.data.all_time_pnl)
    const times = points.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    const last = rowAt(points, -1)
    expect(last.position_pnl).toBeCloseTo(last.realized_pnl + last.unrealized_pnl, 5)
    expect(stats.data.biggest_win).toBeGreaterThanOrEqual(0)
  })

  test('volume in shares and dollars', async () => {
    const wallet = busiest(universe, 'match')
    const { data }: { data: Row } = await get(`/v2/user-volume?user=${wallet.address}`)
    const fills = universe.settledActs.ofWallet(wallet).flatMap(({ tx: { act } }) => {
      if (act.kind !== 'match') return []
      return [act.taker, ...act.makers].filter(({ order }) => order.wallet === wallet)
    })
    expect(data).toEqual({
      trade_count: fills.length,
      volume: fills.reduce((sum, { shares }) => sum + shares, 0) / 1e6,
      volume_usdc: fills.reduce((sum, { usd }) => sum + usd, 0) / 1e6,
    })
  })

  test.each([
    ['value', { proxy_wallet: unknown, value: 0 }],
    ['user-stats', null],
    ['user-volume', { volume: 0, volume_usdc: 0, trade_count: 0 }],
    ['leaderboard', null],
  ])('%s of an unknown address', async (route, data) => {
    expect(await get(`/v2/${route}?user=${unknown}`)).toEqual({ data })
  })
})

describe('markets', () => {
  test('holders, open interest, volume and resolution', async () => {
    const act = universe.settledActs.matches[0]?.tx.act
    if (act?.of.kind !== 'market') throw new Error('not a market')
    const { conditionId, event, tokens } = act.of
    const holders: Page = await get(`/v2/holders?condition=${conditionId}`)
    expect(holders.data.map(({ token_id }) => token_id)).toEqual(tokens.map((t) => t.decimal))
    const oi: Page = await get(`/v2/oi?condition=${conditionId}`)
    expect(oi.data).toEqual([{ condition_id: conditionId, value: expect.any(Number) }])
    const volume: { data: object } = await get(`/v2/live-volume?event_id=${event.id}`)
    const shares = universe.settledActs.ofMarket(act.of).reduce((sum, { tx }) => sum + tx.act.taker.shares, 0)
    expect(volume.data).toMatchObject({
      conditions: expect.arrayContaining([{ condition_id: conditionId, taker_volume: shares / 1e6 }]),
    })
    const unknown: Page = await get(`/v2/resolutions?condition=0x${'0'.repeat(64)}`)
    expect(unknown.data).toEqual([])
  })

  test('resolutions agree with the chain', async () => {
    const markets = universe.catalogue
      .events()
      .flatMap((event) => event.markets)
      .filter((market) => universe.payouts(market) !== undefined)
      .slice(0, 20)
    const path = `/v2/resolutions?condition_id=${markets.map((m) => m.conditionId).join(',')}`
    const { data }: Page = await get(path)
    const payoutsOf = (m: Market) => {
      const [first, second] = universe.payouts(m) ?? [0, 0]
      return [first, second].map((part) => (1e6 * part) / (first + second))
    }
    expect(data.map(({ payouts }) => payouts)).toEqual(markets.map(payoutsOf))
    expect(data.every(({ status }) => status === 'resolved')).toBe(true)
  })

  test('the history of a price', async () => {
    const token = universe.settledActs.matches.at(-1)?.tx.act.taker.order.token
    const now = Math.floor(universe.nowMs / 1000)
    const path = `/v2/prices-history?token_id=${token?.decimal}`
    const { data }: Page = await get(`${path}&start=${now - 600}&end=${now}&bucket_seconds=60`)
    expect(data.length).toBeGreaterThan(3)
    for (const { timestamp, price } of data) {
      expect(timestamp % 60).toBe(0)
      expect(timestamp).toBeLessThan(now)
      expect(price).toBeGreaterThanOrEqual(0)
      expect(price).toBeLessThanOrEqual(1)
    }
    expect(await readPages(`${path}&start=${now - 600}&end=${now}&bucket_seconds=60&limit=2`)).toEqual(data)
  })

  test('no more points of a long history are computed than a page shows', async () => {
    const oldest = universe.catalogue.events()[0]?.markets[0]?.tokens[0]
    const path = `/v2/prices-history?token_id=${oldest?.decimal}&interval=max&bucket_seconds=600`
    const { data, pagination }: Page = await get(`${path}&limit=3`)
    const [first, second, third] = data.map(({ timestamp }) => timestamp)
    expect([second, third]).toEqual([Number(first) + 600, Number(first) + 1200])
    expect(pagination.has_more).toBe(true)
  })

  test.each([
    ['nothing about the time', ''],
    ['two kinds of time', 'interval=1d&start=1790000000'],
    ['an end alone', 'end=1790000000'],
    ['an end with an interval', 'interval=1d&end=1790000000'],
    ['more than 15 days', 'start=1790000000&end=1791296001'],
    ['buckets too narrow for a week', 'interval=1w&bucket_seconds=60'],
    ['buckets of more than a day', 'interval=1d&bucket_seconds=86401'],
  ])('400: a history with %s', async (_what, query) => {
    expect((await world.refusal(`/v2/prices-history?token_id=1&${query}`)).status).toBe(400)
  })

  test('status', async () => {
    expect(await get<Row>('/v2/status')).toEqual({
      data: {
        status: 'ok',
        block_number: universe.chain.head.number,
        block_timestamp: universe.chain.head.timestampSec,
      },
    })
  })
})

test.each([
  { list: 'trades', limit: 5, at: 3, query: '' },
  { list: 'trades', limit: 1e9, at: [1, 2, 3], query: '' },
  { list: 'trades', limit: 0.5, at: [1, 2, 3], query: '' },
  { list: 'trades', limit: 5, at: [1, 2], query: '' },
  { list: 'trades', limit: 5, at: ['1', 2, 3], query: '' },
  { list: 'activity', limit: 5, at: [1, 2, 3], query: '' },
  { list: 'trades', limit: 5, at: [1, 2, 3] },
  ['trades'],
  null,
])('400: the invented cursor %j', async (cursor) => {
  const text = Buffer.from(JSON.stringify(cursor)).toString('base64url')
  expect(await world.refusal(`/v2/trades?cursor=${text}`)).toEqual({
    status: 400,
    error: 'invalid cursor',
  })
})

describe('boards', () => {
  test('ranks are numbers, and one wallet has both', async () => {
    const rows = await readPages('/v2/leaderboard?time_period=all&limit=20', 3)
    expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, index) => index + 1))
    const user = rows[10]?.user_id
    const { data }: { data: Row } = await get(`/v2/leaderboard?time_period=all&user=${user}`)
    expect(data).toMatchObject({ user_id: user, rank_pnl: 11 })
    const board = await readPages('/v2/leaderboard?time_period=all&sort_by=VOLUME&limit=50')
    const entry = board.find(({ user_id }) => user_id === user)
    expect(data.rank_volume).toBe(entry?.rank)
  })

  test('the biggest wins are those of the profiles', async () => {
    const { data }: Page = await get('/v2/biggest-winners?time_period=all')
    expect(data[0]?.pnl).toBeGreaterThan(1)
    const stats: { data: Row } = await get(`/v2/user-stats?user=${data[0]?.user_id}`)
    expect(stats.data.biggest_win).toBe(data[0]?.pnl)
  })

  test('apps by shares, in sum and in buckets of the calendar', async () => {
    const board: Page = await get('/v2/builders/leaderboard?time_period=all')
    const sum = (rows: Row[]) => rows.reduce((total, { volume }) => total + volume, 0)
    for (const interval of ['day', 'week', 'month', 'all']) {
      const { data }: Page = await get(`/v2/builders/volume?interval=${interval}&limit=90`)
      expect(rowAt(data, 0).rank).toBe(1)
      expect(sum(data)).toBeCloseTo(sum(board.data), 4)
    }
    const years: Page = await get('/v2/builders/volume?interval=all')
    expect(new Set(years.data.map(({ date }) => date))).toEqual(new Set(['2026-01-01']))
    const last: Page = await get('/v2/builders/volume?limit=1')
    expect(new Set(last.data.map(({ date }) => date)).size).toBe(1)
  })
})
