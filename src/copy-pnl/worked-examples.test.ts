import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEvent, createWallet, first, onlyMarket } from '../../sim/contracts/test-world.js'
import { CopyWorld, DAY, redeemAll, trade } from './test-world.js'

const market = onlyMarket()
const [yes, no] = market.tokens
const event = createEvent(3)
const MILLION = 1_000_000

/** The examples of the reference, and one wallet for each other kind of cash flow. */
const trader = createWallet(1, 'safe')
const capped = createWallet(2, 'safe')
const settler = createWallet(3, 'safe')
const toxic = createWallet(4, 'safe')

let world: CopyWorld
beforeAll(async () => {
  world = await CopyWorld.open()
  const at = { era: 'v2', wallet: settler } as const
  await world.book(20 * DAY, trade(toxic, 'BUY', no, { shares: 100, price: 0.5 }))
  await world.book(
    3 * DAY,
    trade(trader, 'BUY', yes, { shares: 1000, price: 0.5 }),
    trade(capped, 'BUY', yes, { shares: 100, price: 0.99 }),
    ...event.markets.map((each) => ({
      ...at,
      kind: 'split' as const,
      market: each,
      amount: 50 * MILLION,
    })),
  )
  await world.book(
    2 * DAY,
    trade(trader, 'SELL', yes, { shares: 400, price: 0.6 }),
    { ...at, kind: 'merge', market: first(event.markets), amount: 10 * MILLION },
    {
      kind: 'convert',
      route: 'adapter',
      wallet: settler,
      event,
      indexSet: 0b110,
      amount: 30 * MILLION,
    },
  )
  await world.book(
    DAY,
    redeemAll(trader, market, 600),
    trade(toxic, 'SELL', no, { shares: 100, price: 0.52 }),
  )
})
afterAll(() => world.close())

const NO_TRADES = { slippage_amount_usdc: 0, slippage_cost_rate_pct: 0, trade_count: 0 }

const EXPECTED = [
  [
    'buys 1000 at 0.50, sells 400 at 0.60, redeems 600',
    trader,
    {
      actual_pnl_usdc: 340,
      backtest_copy_pnl_usdc: 325.2,
      slippage_amount_usdc: 14.8,
      slippage_cost_rate_pct: 4.35,
      toxic_for_copying: false,
      trade_count: 2,
      partial: false,
    },
  ],
  [
    'buys 100 at 0.99: a copier pays 100.00',
    capped,
    {
      actual_pnl_usdc: -99,
      backtest_copy_pnl_usdc: -100,
      slippage_amount_usdc: 1,
      slippage_cost_rate_pct: 1.01,
      toxic_for_copying: false,
      trade_count: 1,
      partial: false,
    },
  ],
  [
    // 3 splits of 50, a merge of 10, and 30 for the conversion of two NO tokens.
    'splits, merges and converts: nothing of it slips',
    settler,
    { actual_pnl_usdc: -110, backtest_copy_pnl_usdc: -110, ...NO_TRADES },
  ],
  [
    'earns 2 dollars in 100 of turnover: copying eats it',
    toxic,
    {
      actual_pnl_usdc: 2,
      backtest_copy_pnl_usdc: -0.04,
      slippage_amount_usdc: 2.04,
      slippage_cost_rate_pct: 102,
      toxic_for_copying: true,
      trade_count: 2,
      partial: false,
    },
  ],
] as const

describe('a wallet that', () => {
  beforeAll(async () => {
    await world.add(EXPECTED.map(([, { address }]) => address))
    await world.score()
  })

  test.each(EXPECTED)('%s', async (_what, { address }, expected) => {
    const onDemand = await world.read(address)
    expect(onDemand).toMatchObject({ wallet: address, ...expected, computed_at: world.nowSec })
    expect(onDemand.applied_filters).toEqual({
      from: world.nowSec - 30 * DAY,
      to: world.nowSec,
      window_days: 30,
      slippage: 2,
    })
    const { results } = await world.read('leaderboard')
    const row = results.find((each: { wallet: string }) => each.wallet === address)
    expect(row).toMatchObject(expected)
    const { wallets } = await world.read('snapshot?periods=30d')
    const entry = wallets.find((each: { wallet: string }) => each.wallet === address)
    const { local_rank: _rank, wallet: _wallet, ...score } = row
    expect(entry.periods).toEqual({ '30d': score })
  })
})

test('a window has what happened in it alone', async () => {
  const { periods } = (await world.read('snapshot')).wallets.find(
    ({ wallet }: { wallet: string }) => wallet === toxic.address,
  )
  const sale = { actual_pnl_usdc: 52, backtest_copy_pnl_usdc: 50.96, trade_count: 1 }
  expect(periods['7d']).toMatchObject({ ...sale, slippage_cost_rate_pct: 2 })
  expect(periods['14d']).toMatchObject(sale)
  for (const period of ['30d', '60d', '90d', '180d']) {
    expect(periods[period]).toMatchObject({ actual_pnl_usdc: 2, trade_count: 2 })
  }
})

test('an answer for one wallet says where the figures come from', async () => {
  expect(await world.read(trader.address)).toMatchObject({
    // 400 of 1000 shares sold 0.10 above their cost, 600 redeemed 0.50 above it.
    total_realized_pnl_usdc: 340,
    positions_closed: 1,
    avg_entry_prob_weighted: 0.5,
    avg_hold_seconds_weighted: null,
    pnl_definition: 'cashflow',
    sources: {
      window_trades: 2,
      window_activity: 1,
      activity_breakdown: { redemption: 1, merge: 0, split: 0, conversion: 0 },
      cashflow_breakdown: {
        actual_buy_cost: 500,
        actual_sell_rev: 240,
        settlement_in: 600,
        settlement_out: 0,
      },
    },
  })
  expect((await world.read(settler.address)).sources).toMatchObject({
    activity_breakdown: { redemption: 0, merge: 1, split: 3, conversion: 1 },
    cashflow_breakdown: { settlement_in: 40, settlement_out: 150 },
  })
})

test('trades come newest first, with what a copier pays or gets', async () => {
  const { trades, trades_truncated } = await world.read(`${trader.address}?include_trades=True`)
  expect(trades_truncated).toBe(false)
  expect(trades).toEqual([
    {
      ts: world.nowSec - 2 * DAY,
      side: 'SELL',
      price: 0.6,
      shares: 400,
      actual_usd: 240,
      backtest_usd: 235.2,
    },
    { ts: world.nowSec - 3 * DAY, side: 'BUY', price: 0.5, shares: 1000, actual_usd: 500, backtest_usd: 510 },
  ])
  const cap = await world.read(`${capped.address}?include_trades=1`)
  expect(cap.trades).toMatchObject([{ actual_usd: 99, backtest_usd: 100 }])
})

test.each([
  ['0', { backtest_copy_pnl_usdc: 340, slippage_amount_usdc: 0, slippage_cost_rate_pct: 0 }],
  ['5.25', { backtest_copy_pnl_usdc: 301.15, slippage_amount_usdc: 38.85 }],
  // 500 at twice the price, which is a dollar; nothing for the sale.
  ['100', { backtest_copy_pnl_usdc: -400, slippage_amount_usdc: 740, toxic_for_copying: true }],
])('a slippage of %s %%', async (slippage, expected) => {
  expect(await world.read(`${trader.address}?slippage=${slippage}`)).toMatchObject(expected)
})

test('`from` and `to` cut a window, by days or by seconds, both included', async () => {
  const [bought, sold] = [world.nowSec - 3 * DAY, world.nowSec - 2 * DAY]
  const windows = [
    [`from=${bought}&to=${sold}`, -260],
    [`from=${bought + 1}&to=${sold}`, 240],
    [`from=${bought}&to=${sold - 1}`, -500],
    [`to=${bought}&period=7d`, -500],
    [`from=${new Date(sold * 1000).toISOString().slice(0, 10)}`, 840],
  ] as const
  for (const [query, actual] of windows) {
    const { actual_pnl_usdc, applied_filters } = await world.read(`${trader.address}?${query}`)
    expect([query, actual_pnl_usdc]).toEqual([query, actual])
    expect(applied_filters.window_days).toBeNull()
  }
})

test('a wallet that did nothing has zeros, no rate, and is not toxic', async () => {
  expect(await world.read(`0x${'9'.repeat(40)}`)).toMatchObject({
    actual_pnl_usdc: 0,
    backtest_copy_pnl_usdc: 0,
    slippage_amount_usdc: 0,
    slippage_cost_rate_pct: null,
    toxic_for_copying: false,
    trade_count: 0,
    partial: false,
    total_realized_pnl_usdc: 0,
    positions_closed: 0,
    avg_entry_prob_weighted: null,
  })
})

test('a batch answers each wallet once, in the order of the request', async () => {
  const addresses = [capped.address, trader.address.toUpperCase().replace('0X', '0x'), capped.address]
  const body = { addresses, slippage: 0, include_trades: true }
  const reply = (await world.ask('batch', { body })).json()
  expect(reply).toMatchObject({
    count: 2,
    elapsed_ms: expect.any(Number),
    results: [
      { wallet: capped.address, actual_pnl_usdc: -99, backtest_copy_pnl_usdc: -99 },
      { wallet: trader.address, actual_pnl_usdc: 340, backtest_copy_pnl_usdc: 340 },
    ],
  })
  expect(reply.results[1].trades).toHaveLength(2)
})
