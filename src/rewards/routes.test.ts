import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'

let t: SimulatedApp
let conditions: string[]
let condition: string
beforeAll(async () => {
  t = await openSimulatedApp({ timing: new JumpingTiming() })
  const events = t.universe.catalogue.events()
  const open = events.filter(({ window, endMs }) => window === undefined && endMs > t.clock.now())
  conditions = open.flatMap(({ markets }) => markets.map(({ conditionId }) => conditionId))
  condition = conditions[0] ?? ''
})
afterAll(() => t.close())
// Answers are repeated for a minute.
beforeEach(() => t.clock.advance(60_000))
afterEach(() => t.faults.set({ upstream: 'clob', mode: 'off' }))

const UNKNOWN = `0x${'1'.repeat(64)}`

describe('GET /v3/rewards/markets', () => {
  test("200: the platform's page as it is, and the next one by its cursor", async () => {
    const own = await fetch(`${t.ctx.config.clobUrl}/rewards/markets/current?sponsored=false`)
    const reply = await t.get('/v3/rewards/markets')
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({
      source: 'reward_market_config',
      reward_semantics: expect.stringContaining('not what any wallet earned'),
      data: await own.json(),
      elapsed_ms: expect.any(Number),
    })
    const { data } = (await t.get('/v3/rewards/markets?next_cursor=NQ==')).json()
    expect(data.data[0]).toEqual(reply.json().data.data[5])
  })

  test('200: sponsors raise the rates', async () => {
    const rates = async (query: string) => {
      const { data } = (await t.get(`/v3/rewards/markets?sponsored=${query}`)).json()
      return data.data.map((row: { rewards_config: [object] }) => row.rewards_config[0])
    }
    const sum = (configs: { rate_per_day: number }[]) =>
      configs.reduce((all, { rate_per_day }) => all + rate_per_day, 0)
    const [without, zero, one] = [await rates('false'), await rates('0'), await rates('1')]
    expect(zero).toEqual(without)
    expect(sum(one)).toBeGreaterThan(sum(without))
  })

  test.each([
    ['a cursor that the platform refuses', 'next_cursor=abc', /^Invalid next_cursor/],
    ['a cursor that is none', 'next_cursor=%C3%A9', /next_cursor/],
    ['sponsors that are neither', 'sponsored=maybe', /sponsored/],
  ])('400: %s', async (_what, query, error) => {
    const reply = await t.get(`/v3/rewards/markets?${query}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(error)
  })
})

describe('GET /v3/rewards/markets/{condition_id}', () => {
  test('200: one market, with its tokens; its id in any letter case', async () => {
    const reply = await t.get(`/v3/rewards/markets/${condition.toUpperCase().replace('X', 'x')}`)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toMatchObject({
      source: 'reward_market_config_detail',
      data: {
        data: [{ condition_id: condition, tokens: [{ outcome: 'Yes' }, { outcome: 'No' }] }],
      },
    })
  })

  test('200: no rows of a market that pays nothing', async () => {
    const window = t.universe.catalogue.events().find(({ window }) => window !== undefined)
    const reply = await t.get(`/v3/rewards/markets/${window?.markets[0]?.conditionId}`)
    expect(reply.statusCode).toBe(200)
    expect(reply.json().data.data).toEqual([])
  })

  test('400: an id that is none', async () => {
    const reply = await t.get('/v3/rewards/markets/0x12')
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(/condition_id/)
  })

  test('404: a market that the platform does not know', async () => {
    const reply = await t.get(`/v3/rewards/markets/${UNKNOWN}`)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({ error: 'Not found.' })
  })
})

describe('while the order book is faulty', () => {
  test.each([
    ['500', 1],
    ['garbage', 2],
  ] as const)('200: the last copy; 502 without one: %s', async (mode, other) => {
    const path = `/v3/rewards/markets/${condition}`
    const whole = (await t.get(path)).json()
    const madeAtSec = Math.floor(t.clock.now() / 1000)
    t.clock.advance(60_000)
    t.faults.set({ upstream: 'clob', mode })
    const copy = await t.get(path)
    expect(copy.statusCode).toBe(200)
    expect(copy.json()).toMatchObject({ data: whole.data, stale: true, as_of: madeAtSec })
    const without = await t.get(`/v3/rewards/markets/${conditions[other]}`)
    expect(without.statusCode).toBe(502)
    expect(without.headers['retry-after']).toBe('1')
    expect(without.json().error).toMatch(/^The platform's order book does not give/)
  })
})

describe('GET /v3/wallets/{address}/rebates', () => {
  const DATE = '2026-11-14'
  const ask = (address: string, query = '') => t.get(`/v3/wallets/${address}/rebates${query}`)

  test('200: what a maker got back today, one row a market', async () => {
    const { matches } = t.universe.settledActs
    const today = matches.filter(({ tx }) => tx.act.exchange.startsWith('v2'))
    const maker = today
      .flatMap(({ tx }) => (tx.act.taker.fee > 0 ? tx.act.makers : []))
      .map(({ order }) => order.wallet)[0]
    const owner = maker?.owner ?? ''
    const own = await fetch(`${t.ctx.config.clobUrl}/rebates/current?date=${DATE}&maker_address=${owner}`)
    const rows = (await own.json()) as { rebated_fees_usdc: string }[]
    expect(rows.length).toBeGreaterThan(0)
    const body = (await ask(owner.toUpperCase().replace('X', 'x'))).json()
    expect(body).toEqual({
      address: owner,
      date: DATE,
      rebates: rows,
      rows_returned: rows.length,
      total_rebated_fees_usdc: expect.closeTo(
        rows.reduce((sum, row) => sum + Number(row.rebated_fees_usdc), 0),
        6,
      ),
      source: 'polymarket_rebates',
      rebate_semantics: expect.any(String),
      elapsed_ms: expect.any(Number),
    })
    expect((await ask(owner, `?date=${DATE}`)).json().rebates).toEqual(rows)
  })

  test('200: none on another day, and of an address without trades', async () => {
    for (const [address, date] of [
      [`0x${'9'.repeat(40)}`, DATE],
      [`0x${'9'.repeat(40)}`, '2024-02-29'],
    ] as const) {
      const reply = await ask(address, `?date=${date}`)
      expect(reply.statusCode).toBe(200)
      const body = reply.json()
      expect(body).toMatchObject({ date, rebates: [], rows_returned: 0 })
      expect(body.total_rebated_fees_usdc).toBe(0)
      expect(body).not.toHaveProperty('hint')
    }
  })

  test('200: a wallet that the platform refuses, with a hint how to find its key', async () => {
    const wallet = t.universe.wallets.find(({ kind }) => kind === 'proxy')
    const reply = await ask(wallet?.address ?? '')
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toMatchObject({
      rebates: [],
      rows_returned: 0,
      total_rebated_fees_usdc: 0,
      provider_status: 400,
      provider_warning: { error: 'maker address is not a signer address' },
      hint: expect.stringContaining('/v1/resolve/'),
    })
  })

  test.each([
    ['a short address', '0x12', '', /address/],
    ['a date that is none', `0x${'9'.repeat(40)}`, '?date=yesterday', /date/],
    ['a day that no month has', `0x${'9'.repeat(40)}`, '?date=2026-02-30', /^Invalid date/],
  ])('400: %s', async (_what, address, query, error) => {
    const reply = await ask(address, query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(error)
  })

  test('502: the order book is faulty', async () => {
    t.faults.set({ upstream: 'clob', mode: '500' })
    expect((await ask(`0x${'9'.repeat(40)}`)).statusCode).toBe(502)
  })
})

test('402: a free key', async () => {
  const { key } = await t.createCaller('free')
  const headers = { 'x-api-key': key }
  const rebates = `/v3/wallets/0x${'9'.repeat(40)}/rebates`
  for (const url of ['/v3/rewards/markets', `/v3/rewards/markets/${condition}`, rebates])
    expect((await t.app.inject({ url, headers })).statusCode).toBe(402)
})
