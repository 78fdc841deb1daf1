import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Wallet } from '../../../sim/universe/wallet.js'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../../test/simulated-app.js'

const HOUR_MS = 3_600_000
const NOBODY = `0x${'9'.repeat(40)}`

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ isBooked: true, timing: new JumpingTiming() })
})
afterAll(() => t.close())
// Profiles are kept for an hour, and for a day while the platform does not answer.
beforeEach(() => t.clock.advance(25 * HOUR_MS))
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

async function ask(path: string) {
  const reply = await t.get(path)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

/** A wallet that traded. */
function trader(fits: (wallet: Wallet) => boolean = () => true): Wallet {
  const traders = t.universe.settledActs.matches.flatMap(({ tx }) =>
    [tx.act.taker, ...tx.act.makers].map(({ order }) => order.wallet),
  )
  return traders.find(fits) ?? expect.fail()
}

type Position = { size: number; realized_pnl: number; current_price: number }

async function positionsOf(address: string): Promise<Position[]> {
  const rows: Position[] = []
  for (let cursor = ''; ; ) {
    const page = await ask(`/v3/wallets/${address}/positions?limit=300${cursor}`)
    rows.push(...page.positions)
    if (page.next_cursor === null) return rows
    cursor = `&cursor=${page.next_cursor}`
  }
}

describe('GET /v1/trader/{wallet}', () => {
  test('200: its public profile, and the numbers of the other endpoints', async () => {
    const { address, name, pseudonym, profileImage } = trader((wallet) => wallet.name !== '')
    const positions = await positionsOf(address)
    const summary = await ask(`/v3/wallets/${address}`)
    const shown = await ask(`/v1/trader/${address.toUpperCase().replace('0X', '0x')}`)
    expect(shown).toMatchObject({
      wallet: address,
      name,
      pseudonym,
      profileImage,
      profileSlug: `@${name}`,
      joinDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      marketsTraded: summary.position_count,
      views: 0,
      realizedPnl: summary.net_realized_pnl,
      unrealizedPnl: summary.unrealized_pnl,
      totalPnl: summary.total_pnl,
      largestWin: Math.max(0, ...positions.map(({ realized_pnl }) => realized_pnl)),
    })
    const value = positions.reduce((sum, { size, current_price }) => sum + size * current_price, 0)
    expect(shown.positionValue).toBeCloseTo(value, 3)
    const { activity } = await ask(`/v1/wallets/${address}`)
    expect([shown.trades, shown.totalVolume]).toEqual([activity.trade_count, activity.trade_volume_usd])
  })

  test('200: a name that its owner hides is not shown', async () => {
    const { address } = trader((wallet) => wallet.name === '')
    expect(await ask(`/v1/trader/${address}`)).toMatchObject({ name: '', profileSlug: address })
  })

  test('200: while the platform does not answer, with the name that was seen last', async () => {
    const { address, name } = trader((wallet) => wallet.name !== '')
    t.faults.set({ upstream: 'gamma', mode: '500' })
    const empty = { pseudonym: '', joinDate: '', profileImage: '' }
    expect(await ask(`/v1/trader/${address}`)).toMatchObject({
      ...empty,
      name: '',
      trades: expect.any(Number),
    })
    t.faults.set({ upstream: 'gamma', mode: 'off' })
    await ask(`/v1/resolve/${address}`)
    t.faults.set({ upstream: 'gamma', mode: '500' })
    expect(await ask(`/v1/trader/${address}`)).toMatchObject({ ...empty, name, profileSlug: `@${name}` })
  })

  test('200: nothing of a wallet that never did anything', async () => {
    const shown = await ask(`/v1/trader/${NOBODY}`)
    expect(shown).toMatchObject({ wallet: NOBODY, name: '', profileSlug: NOBODY, trades: 0, totalPnl: 0 })
  })
})

describe('GET /v1/trader/{wallet}/pnl', () => {
  test('200: ends with what is realized now, and each step is that of the hour or day', async () => {
    const [busiest] = await t.ctx.sql<{ address: string }[]>`
      select '0x' || encode(w.address, 'hex') as address
        from pnl join wallets w on w.id = pnl.wallet join positions p using (wallet, token)
       where p.is_combo = 0 group by w.address order by count(*) desc limit 1`
    const address = busiest?.address ?? expect.fail()
    t.clock.set(t.universe.nowMs)
    const { net_realized_pnl: now } = await ask(`/v3/wallets/${address}`)
    const groups = { '1D': ['hour', '1d'], '1W': ['hour', '7d'], '1M': ['day', '30d'] } as const
    for (const [period, [group, span]] of Object.entries(groups)) {
      const { buckets } = await ask(`/v3/wallets/${address}/pnl/events?group=${group}&period=${span}`)
      const { series, ...rest } = await ask(`/v1/trader/${address}/pnl?period=${period.toLowerCase()}`)
      expect(rest).toEqual({ wallet: address, period, count: series.length })
      expect(series.length).toBeGreaterThan(0)
      expect(series.at(-1).pnl).toBe(now)
      const steps = series.map(({ timestamp, pnl }: { timestamp: number; pnl: number }, index: number) => [
        timestamp,
        pnl - (series[index - 1]?.pnl ?? pnl),
      ])
      for (const [index, [timestamp, step]] of steps.entries()) {
        expect(timestamp).toBe(buckets[index].bucket)
        if (index > 0) expect(step).toBeCloseTo(buckets[index].realized_pnl, 5)
      }
    }
    const { series } = await ask(`/v1/trader/${address}/pnl`)
    expect(series.at(-1).pnl).toBe(now)
  })

  test('200: no points of a wallet that never did anything', async () => {
    expect(await ask(`/v1/trader/${NOBODY}/pnl`)).toEqual({
      wallet: NOBODY,
      period: 'ALL',
      series: [],
      count: 0,
    })
  })
})

describe('GET /v1/wallets/{address}', () => {
  test('200: what it did, as the other lists have it', async () => {
    const { address } = trader()
    const { activity } = await ask(`/v1/wallets/${address}`)
    const flows = await ask(`/v3/wallets/${address}/polyusd-flows?kind=deposit&limit=1`)
    expect(activity).toMatchObject({
      deposit_count: flows.total_matching_rows,
      deposit_volume_usd: flows.total_deposited,
    })
    const [moved] = await t.ctx.sql<{ count: number }[]>`
      select count(*)::integer as count from transfers, wallets w
       where w.id in (from_wallet, to_wallet) and w.address = decode(${address.slice(2)}, 'hex')`
    expect(activity.transfer_count).toBe(moved?.count)
    const { trades } = await ask(`/v1/wallets/${address}/trades?limit=500`)
    expect(activity.trade_count).toBe(trades.length)
    expect(activity.last_active).toBeGreaterThanOrEqual(trades[0].timestamp)
    const volume = trades.reduce(
      (sum: number, row: { size: number; price: number }) => sum + row.size * row.price,
      0,
    )
    expect(activity.trade_volume_usd / volume).toBeCloseTo(1, 3)
  })

  test('200: zeros for a wallet that never did anything', async () => {
    expect(await ask(`/v1/wallets/${NOBODY}`)).toEqual({
      wallet: NOBODY,
      activity: {
        last_active: 0,
        trade_count: 0,
        trade_volume_usd: 0,
        transfer_count: 0,
        deposit_count: 0,
        deposit_volume_usd: 0,
      },
    })
  })
})

test.each([
  ['wallet', '/v1/trader/heron'],
  ['wallet', '/v1/trader/0x12/pnl'],
  ['period', `/v1/trader/${NOBODY}/pnl?period=1Y`],
  ['address', '/v1/wallets/0x12'],
])('400: names %s of %s', async (name, path) => {
  const reply = await t.get(path)
  expect(reply.statusCode).toBe(400)
  expect(reply.json().error).toContain(name)
})

test('401: without a key', async () => {
  for (const path of [`/v1/trader/${NOBODY}`, `/v1/trader/${NOBODY}/pnl`, `/v1/wallets/${NOBODY}`]) {
    expect((await t.app.inject(path)).statusCode).toBe(401)
  }
})
