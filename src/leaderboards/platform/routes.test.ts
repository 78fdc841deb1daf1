import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../../test/simulated-app.js'

const HOUR_MS = 3_600_000

type Leader = {
  rank: string
  proxyWallet: string
  userName: string
  pnl: number
  vol: number
  profileImage: string
}

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ timing: new JumpingTiming() })
})
afterAll(() => t.close())
// No copy of a board is shown for longer than twelve hours.
beforeEach(() => t.clock.advance(13 * HOUR_MS))
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

const NAMES = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH', all: 'ALL' } as const

test.each([
  ['', 'all', 'profit'],
  ['?period=daily&sort=volume', 'daily', 'volume'],
  ['?period=weekly', 'weekly', 'profit'],
  ['?period=monthly&sort=volume', 'monthly', 'volume'],
] as const)("200: the platform's own board, %j", async (query, period, sort) => {
  const order = sort === 'profit' ? 'PNL' : 'VOL'
  const url = `${t.ctx.config.dataApiUrl}/v1/leaderboard?timePeriod=${NAMES[period]}&orderBy=${order}&limit=20`
  const own = (await (await fetch(url)).json()) as Leader[]
  const reply = await t.get(`/v1/leaderboard${query}`)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(own.length).toBe(20)
  expect(reply.json()).toEqual({
    period,
    sort,
    count: 20,
    traders: own.map((row) => ({
      rank: Number(row.rank),
      wallet: row.proxyWallet,
      name: row.userName,
      pnl: row.pnl,
      volume: row.vol,
      profileImage: row.profileImage,
    })),
  })
})

test('502 without a copy, 200 with one', async () => {
  t.faults.set({ upstream: 'data_api', mode: '500' })
  expect((await t.get('/v1/leaderboard')).statusCode).toBe(502)
  t.faults.set({ upstream: 'data_api', mode: 'off' })
  t.clock.advance(60_000)
  const first = await t.get('/v1/leaderboard')
  t.clock.advance(HOUR_MS)
  t.faults.set({ upstream: 'data_api', mode: '500' })
  expect((await t.get('/v1/leaderboard')).json()).toEqual(first.json())
})

test.each([
  ['period', '?period=yearly'],
  ['sort', '?sort=wins'],
])('400: names %s; 401: without a key', async (name, query) => {
  const reply = await t.get(`/v1/leaderboard${query}`)
  expect(reply.statusCode).toBe(400)
  expect(reply.json().error).toContain(name)
  expect((await t.app.inject('/v1/leaderboard')).statusCode).toBe(401)
})
