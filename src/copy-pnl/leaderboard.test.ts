import { afterAll, beforeAll, expect, test } from 'vitest'
import { CopyWorld } from './test-world.js'

type Row = {
  local_rank: number
  wallet: string
  actual_pnl_usdc: number
  backtest_copy_pnl_usdc: number
  slippage_amount_usdc: number
  slippage_cost_rate_pct: number | null
  toxic_for_copying: boolean
  trade_count: number
}

const SORTS = [
  'backtest_copy_pnl_usdc',
  'actual_pnl_usdc',
  'slippage_amount_usdc',
  'slippage_cost_rate_pct',
  'trade_count',
] as const
const [SCORED, PENDING, ERRORED] = [40, 12, 13]

let world: CopyWorld
let all: Row[]
beforeAll(async () => {
  world = await CopyWorld.open()
  const { sql } = world.t.ctx
  const wallets = Array.from(
    { length: SCORED + PENDING + ERRORED },
    (_, index) => `0x${(index * 7919 + 1).toString(16).padStart(40, '0')}`,
  )
  await world.add(wallets)
  const at = new Date(world.t.clock.now())
  for (const [index, wallet] of wallets.entries()) {
    if (index >= SCORED && index < SCORED + PENDING) continue
    const address = Buffer.from(wallet.slice(2), 'hex')
    const isErrored = index >= SCORED
    const [error, errorAt] = isErrored ? ['timeout_180s', at] : [null, null]
    await sql`
      update copy_wallets set scored_at = ${at}, error = ${error}, error_at = ${errorAt}
       where wallet = ${address}`
    // Many are equal, some have no rate, and some are toxic.
    const actual = (index % 9) * 100 - 400
    const slippage = (index % 5) * 15
    const rate = Math.abs(actual) < 100 ? null : Math.round((slippage * 10_000) / Math.abs(actual))
    await sql`
      insert into copy_scores values
        (${address}, 30, ${actual}, ${actual - slippage}, ${slippage}, ${rate}, ${index % 4}, false, ${at})`
  }
  all = (await world.read('leaderboard?limit=1000')).results
})
afterAll(() => world.close())

const CHOICES = SORTS.flatMap((sort) => (['asc', 'desc'] as const).map((order) => [sort, order] as const))

test.each(CHOICES)('by %s, %s: pages are the whole board, without a value last', async (sort, order) => {
  const pages: Row[] = []
  for (let offset = 0; offset < SCORED + 10; offset += 7) {
    const query = `sort_by=${sort}&order=${order}&limit=7&offset=${offset}`
    const page = await world.read(`leaderboard?${query}`)
    expect(page).toMatchObject({ sort_by: sort, order, offset, limit: 7, filtered_in: SCORED })
    pages.push(...page.results)
  }
  expect(pages.map(({ local_rank: rank }) => rank)).toEqual(all.map((_, index) => index + 1))
  const values = pages.map((row) => row[sort])
  const sign = order === 'asc' ? 1 : -1
  const sorted = values.toSorted((a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
    return sign * (a - b)
  })
  expect(values).toEqual(sorted)
  expect(new Set(pages.map(({ wallet }) => wallet)).size).toBe(SCORED)
})

test.each([
  ['min_trade_count=2', (row: Row) => row.trade_count >= 2],
  ['min_trade_count=100', () => false],
  ['exclude_toxic=True', (row: Row) => !row.toxic_for_copying],
  ['exclude_toxic=1&min_trade_count=1', (row: Row) => !row.toxic_for_copying && row.trade_count >= 1],
])('%s leaves out what it says', async (query, isWanted) => {
  const { results, filtered_in: count, filters, scored } = await world.read(`leaderboard?${query}`)
  const wanted = all.filter(isWanted)
  expect(results.map(({ wallet }: Row) => wallet)).toEqual(wanted.map(({ wallet }) => wallet))
  expect([count, scored]).toEqual([wanted.length, SCORED])
  expect(filters).toMatchObject({ exclude_toxic: query.includes('exclude_toxic') })
})

test('a wallet is toxic when its rate is above 15, and only then', () => {
  const rates = all.map(({ slippage_cost_rate_pct: rate }) => rate)
  expect(rates).toContain(null)
  expect(rates).toContain(15)
  for (const { slippage_cost_rate_pct: rate, toxic_for_copying: isToxic } of all) {
    expect(isToxic).toBe(rate !== null && rate > 15)
  }
})

test('others are counted, and ten of each kind named', async () => {
  const board = await world.read('leaderboard')
  expect(board).toMatchObject({
    period: '30d',
    sort_by: 'backtest_copy_pnl_usdc',
    order: 'desc',
    filters: { min_trade_count: 0, exclude_toxic: false },
    offset: 0,
    limit: 100,
    total_in_pool: SCORED + PENDING + ERRORED,
    scored: SCORED,
    pending: PENDING,
    errored: ERRORED,
    last_refresh: world.nowSec,
  })
  expect(board.pending_sample).toHaveLength(10)
  expect(board.errored_sample).toHaveLength(10)
  expect(board.errored_sample[0]).toEqual({
    wallet: expect.stringMatching(/^0x/),
    error: 'timeout_180s',
    ts: world.nowSec,
  })
  const listed = new Set(all.map(({ wallet }) => wallet))
  for (const wallet of board.pending_sample) expect(listed.has(wallet)).toBe(false)
})

test('a wallet can have a score for one period and none for another', async () => {
  const board = await world.read('leaderboard?period=7d')
  expect(board).toMatchObject({
    scored: 0,
    pending: SCORED + PENDING,
    errored: ERRORED,
    results: [],
  })
  const snapshot = await world.read('snapshot?periods=7d,30d,7d')
  expect(snapshot).toMatchObject({
    periods: ['7d', '30d'],
    scored_any: SCORED + ERRORED,
    errored_any: ERRORED,
    pending_any: PENDING,
  })
  expect(snapshot.wallets[0].periods).toMatchObject({ '7d': null, '30d': { partial: false } })
})
