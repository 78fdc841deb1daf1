import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Universe } from '../universe/universe.js'
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
async function walk(path: string, pages = Number.POSITIVE_INFINITY): Promise<Row[]> {
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
    const pages = await walk(`/v2/trades?user=${address}&taker_only=false&limit=50`)
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
  const rows = await walk(`/v2/activity?user=${wallet?.address}&type=TRADE&limit=20`)
  const combo = rows.find(({ is_combo }) => is_combo)
  expect(combo).toMatchObject({ slug: '', event_slug: '' })
  expect(combo?.usdc_size).toBeGreaterThan(0)
})

describe('positions', () => {
  test.each(['REDEEMABLE', 'REDEEMABLE_LOST', 'CLOSED'])('status %s', async (status) => {
    const resolved = new Set(
      universe.settledActs.matches
        .filter(({ tx }) => universe.payouts(tx.act.of) !== undefined)
        .map(({ tx }) => tx.act.of.conditionId),
    )
    const conditions = [...resolved].slice(-20).join(',')
    const rows = await walk(`/v2/positions?condition=${conditions}&status=${status}`)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every((row) => row.status === status)).toBe(true)
  })

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

  test('400 without user and condition', async () => {
    expect((await world.refusal('/v2/positions')).status).toBe(400)
  })
})

describe('wallets', () => {
  const unknown = `0x${'1'.repeat(40)}`

  test('the last point of the P&L is the one of the profile', async () => {
    const { address } = busiest(universe, 'redeem')
    const series: Page = await get(`/v2/user-pnl?user=${address}&interval=max`)
    const stats: { data: Row } = await get(`/v2/user-stats?user=${address}`)
    expect(rowAt(series.data, -1)).toEqual(stats.data.all_time_pnl)
    const times = series.data.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    const last = rowAt(series.data, -1)
    expect(last.total_pnl).toBeCloseTo(last.realized_pnl + last.unrealized_pnl, 5)
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
      user: wallet.address,
      volume: fills.reduce((sum, { shares }) => sum + shares, 0) / 1e6,
      volume_usdc: fills.reduce((sum, { usd }) => sum + usd, 0) / 1e6,
    })
  })

  test.each(['value', 'user-stats', 'user-volume'])(
    'an unknown address has null as %s',
    async (route) => {
      expect(await get(`/v2/${route}?user=${unknown}`)).toEqual({ data: null })
    },
  )
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
    const volume: Page = await get(`/v2/live-volume?event_id=${event.id}`)
    expect(volume.data[0]).toMatchObject({ event_id: event.id })
    const unknown: Page = await get(`/v2/resolutions?condition=0x${'0'.repeat(64)}`)
    expect(unknown.data).toEqual([])
  })

  test('resolutions agree with the chain', async () => {
    const markets = universe.catalogue
      .events()
      .flatMap((event) => event.markets)
      .filter((market) => universe.payouts(market) !== undefined)
      .slice(0, 20)
    const path = `/v2/resolutions?condition=${markets.map((m) => m.conditionId).join(',')}`
    const { data }: Page = await get(path)
    expect(data.map(({ payouts }) => payouts)).toEqual(markets.map((m) => universe.payouts(m)))
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
    expect(await walk(`${path}&start=${now - 600}&end=${now}&bucket_seconds=60&limit=2`)).toEqual(
      data,
    )
  })

  test('no more points of a long history are computed than a page shows', async () => {
    const oldest = universe.catalogue.events()[0]?.markets[0]?.tokens[0]
    const path = `/v2/prices-history?token_id=${oldest?.decimal}&start=1&bucket_seconds=1`
    const { data, pagination }: Page = await get(`${path}&limit=3`)
    const [first, second, third] = data.map(({ timestamp }) => timestamp)
    expect([second, third]).toEqual([Number(first) + 1, Number(first) + 2])
    expect(pagination.has_more).toBe(true)
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
    const rows = await walk('/v2/leaderboard?time_period=all&limit=20', 3)
    expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, index) => index + 1))
    const user = rows[10]?.user_id
    const { data }: { data: Row } = await get(`/v2/leaderboard?time_period=all&user=${user}`)
    expect(data).toMatchObject({ user_id: user, rank_pnl: 11 })
    const board = await walk('/v2/leaderboard?time_period=all&sort_by=VOLUME&limit=50')
    const place = board.find(({ user_id }) => user_id === user)
    expect(data.rank_volume).toBe(place?.rank)
  })

  test('the biggest wins are those of the profiles', async () => {
    const { data }: Page = await get('/v2/biggest-winners?time_period=all')
    expect(data[0]?.pnl).toBeGreaterThan(1)
    const stats: { data: Row } = await get(`/v2/user-stats?user=${data[0]?.proxy_wallet}`)
    expect(stats.data.biggest_win).toBe(data[0]?.pnl)
  })

  test.each(['leaderboard', 'volume'])('builders/%s', async (route) => {
    const { data }: Page = await get(`/v2/builders/${route}?time_period=all`)
    expect(data[0]).toMatchObject({ rank: 1, volume: expect.any(Number) })
  })
})
