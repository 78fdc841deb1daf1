import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/test-app.js'
import { createKey, retireKey } from '../accounts/accounts.js'
import { tidyPools } from './queue-queries.js'
import { CopyWorld, DAY } from './test-world.js'

let world: CopyWorld
beforeAll(async () => {
  world = await CopyWorld.open()
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.t.ctx.sql`delete from copy_pools`
  await world.t.ctx.sql`delete from copy_wallets`
  world.t.clock.advance(60_000)
})

const walletOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`
const some = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => walletOf(from + index))

const remove = async (addresses: readonly string[]) =>
  (await world.ask('wallets', { method: 'DELETE', body: { addresses } })).json()

describe('POST /v2/copy-pnl/wallets', () => {
  test('200: counts each address once, whatever its letters', async () => {
    const spelled = [`0x${'Ab'.repeat(20)}`, `0x${'aB'.repeat(20)}`, walletOf(7)]
    expect(await world.add(spelled)).toEqual({
      added: 2,
      already_tracked: 0,
      total: 2,
      max: 1000,
      capped: false,
      refresh_kicked: 2,
    })
    expect(await world.add([walletOf(7), walletOf(8)])).toMatchObject({
      added: 1,
      already_tracked: 1,
      total: 3,
      refresh_kicked: 1,
    })
    expect(await world.read('wallets')).toEqual({
      wallets: [walletOf(7), walletOf(8), `0x${'ab'.repeat(20)}`],
      count: 3,
      max: 1000,
    })
  })

  test('200: a full pool keeps the first that fit, and says how many did not', async () => {
    await world.add(some(999))
    const reply = await world.add([walletOf(5000), walletOf(3), walletOf(4000)])
    expect(reply).toMatchObject({
      added: 1,
      already_tracked: 1,
      total: 1000,
      capped: true,
      refresh_kicked: 1,
      hint: expect.stringContaining('1 of the wallets did not fit'),
    })
    const { wallets } = await world.read('wallets')
    expect(wallets).toContain(walletOf(5000))
    expect(wallets).not.toContain(walletOf(4000))
  })

  test('200: requests at once never fill a pool beyond its end', async () => {
    const requests = [1, 600, 1200].map((from) => world.add(some(600, from)))
    const replies = await Promise.all(requests)
    const added = replies.reduce((sum, reply) => sum + reply.added, 0)
    expect(added).toBe(1000)
    expect((await world.read('wallets')).count).toBe(1000)
  })
})

describe('DELETE /v2/copy-pnl/wallets', () => {
  test('200: removes what is there and ignores the rest, again and again', async () => {
    await world.add(some(3))
    expect(await remove([walletOf(2), walletOf(9)])).toEqual({ removed: 1, total: 2, max: 1000 })
    expect(await remove([walletOf(2), walletOf(9)])).toEqual({ removed: 0, total: 2, max: 1000 })
  })
})

describe('bad bodies', () => {
  const good = walletOf(1)
  const cases: [string, unknown, RegExp][] = [
    ['none', undefined, /needs a JSON body/],
    ['null', 'null', /needs a JSON body/],
    ['no JSON', '{"addresses":', /not valid JSON/],
    ['a list', [good], /must be a JSON object/],
    ['no addresses', {}, /Missing required body field 'addresses'/],
    ['addresses that are no list', { addresses: good }, /Invalid addresses: .* a list/],
    ['addresses that are null', { addresses: null }, /Invalid addresses/],
    ['no address', { addresses: [] }, /Invalid addresses: .* a list of 0/],
    ['a number among them', { addresses: [good, 5] }, /addresses\[1\] must be 0x .* not 5/],
    ['a list among them', { addresses: [[good]] }, /addresses\[0\]/],
    ['39 digits', { addresses: [good.slice(0, -1)] }, /addresses\[0\]/],
    ['a letter too many', { addresses: [good, `${good}0`] }, /addresses\[1\]/],
    ['capital 0X', { addresses: [good.replace('0x', '0X')] }, /addresses\[0\]/],
    ['1,001 addresses', { addresses: some(1001) }, /1 to 1000 wallets, not a list of 1001/],
    ['one 1,001 times', { addresses: Array(1001).fill(good) }, /not a list of 1001/],
  ]
  const requests = cases.flatMap(([what, body, error]) =>
    (['POST', 'DELETE'] as const).map((method) => [method, what, body, error] as const),
  )

  test.each(requests)('400: %s with %s changes nothing', async (method, _what, body, error) => {
    await world.add([walletOf(77)])
    const reply = await world.ask('wallets', { method, ...(body !== undefined && { body }) })
    expect(reply.statusCode, reply.body).toBe(400)
    expect(reply.json()).toEqual({ error: expect.stringMatching(error) })
    expect((await world.read('wallets')).wallets).toEqual([walletOf(77)])
  })

  test.each(['POST', 'DELETE'] as const)('413, 415: %s of megabytes, or of no JSON', async (method) => {
    const body = JSON.stringify({ addresses: Array(60_000).fill(good) })
    expect((await world.ask('wallets', { method, body })).statusCode).toBe(413)
    const reply = await world.t.app.inject({
      method,
      url: '/v2/copy-pnl/wallets',
      payload: 'addresses=1',
      headers: { 'x-api-key': world.key, 'content-type': 'text/plain' },
    })
    expect(reply.statusCode).toBe(415)
  })

  test.each([
    ['101 wallets', { addresses: some(101) }, /1 to 100 wallets, not a list of 101/],
    ['a bad wallet', { addresses: [good, 'x'] }, /addresses\[1\]/],
    ['no list', {}, /Missing required body field 'addresses'/],
    ['a bad from', { addresses: [good], from: 'yesterday' }, /^Invalid from: /],
    ['milliseconds', { addresses: [good], to: 1_793_000_000_000 }, /^Invalid to: .* seconds/],
    ['a list as to', { addresses: [good], to: [] }, /^Invalid to: /],
    ['a slippage of -1', { addresses: [good], slippage: -1 }, /^Invalid slippage: /],
    ['include_trades as text', { addresses: [good], include_trades: 'yes' }, /^Invalid include_/],
  ])('400: a batch with %s', async (_what, body, error) => {
    const reply = await world.ask('batch', { body })
    expect(reply.statusCode, reply.body).toBe(400)
    expect(reply.json().error).toMatch(error)
  })
})

describe('bad parameters', () => {
  const PERIODS = 'Invalid period. Allowed: 7d, 14d, 30d, 60d, 90d, 180d'
  const SORTS =
    'Invalid sort_by. Allowed: backtest_copy_pnl_usdc, actual_pnl_usdc, slippage_amount_usdc, slippage_cost_rate_pct, trade_count'
  const wallet = walletOf(1)

  test.each([
    ['leaderboard?period=1d', PERIODS],
    ['leaderboard?period=', PERIODS],
    ['leaderboard?sort_by=pnl', SORTS],
    ['leaderboard?order=up', 'Invalid order. Allowed: asc or desc'],
    ['leaderboard?order=asc&order=asc', "The query parameter 'order' was given 2 times; give it once."],
    ['leaderboard?limit=0', /^Invalid limit: .* from 1 to 1000/],
    ['leaderboard?limit=1001', /^Invalid limit: .* from 1 to 1000/],
    ['leaderboard?offset=-1', /^Invalid offset: /],
    ['leaderboard?min_trade_count=-1', /^Invalid min_trade_count: /],
    ['leaderboard?exclude_toxic=maybe', /^Invalid exclude_toxic: /],
    ['snapshot?periods=7d,1d', PERIODS],
    ['snapshot?periods=', PERIODS],
    ['snapshot?periods=7d,', PERIODS],
    [`${wallet}?period=1y`, PERIODS],
    [`${wallet}?from=2026-02-31`, /^Invalid from: give a day/],
    [`${wallet}?from=1793000000000`, 'Invalid from: give Unix seconds, not milliseconds.'],
    [`${wallet}?from=-1`, /^Invalid from: /],
    [`${wallet}?from=2026-11-02&to=2026-11-01`, /^Invalid range: `from` must not be later/],
    [`${wallet}?from=2031-01-01`, /^Invalid range: `from` must not be later/],
    [`${wallet}?from=2031-01-01&to=2031-02-01`, /^Invalid range: .* wholly in the future/],
    [`${wallet}?to=2031-02-01`, /^Invalid range: .* wholly in the future/],
    [`${wallet}?from=2026-01-01&to=2026-06-30T`, /^Invalid to: /],
    [`${wallet}?from=2026-01-01&to=2026-07-01`, 'Invalid range: from `from` to `to` are at most 180 days.'],
    [`${wallet}?slippage=100.01`, /^Invalid slippage: /],
    [`${wallet}?slippage=-1`, /^Invalid slippage: /],
    [`${wallet}?slippage=1e1`, /^Invalid slippage: /],
    [`${wallet}?include_trades=2`, /^Invalid include_trades: /],
    ['0x12', /^Invalid wallet: .* 40 hexadecimal digits/],
    ['wallet', /^Invalid wallet: /],
  ])('400: %s', async (url, error) => {
    const reply = await world.ask(url)
    expect(reply.statusCode, reply.body).toBe(400)
    expect(reply.json().error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error))
  })
})

describe('keys', () => {
  const paths = ['wallets', 'snapshot', 'leaderboard', walletOf(1)]

  test.each(paths)('403: a free key may not ask for %s', async (path) => {
    const { key } = await world.t.createCaller('free')
    const reply = await world.ask(path, { key })
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toEqual({ error: expect.stringContaining('plan') })
  })

  test.each(['wallets', 'batch'])('403: nor post to %s', async (path) => {
    const { key } = await world.t.createCaller('free')
    const reply = await world.ask(path, { key, body: { addresses: [walletOf(1)] } })
    expect(reply.statusCode).toBe(403)
  })

  test('429: with the limit of the operator all paths share one request in 5 seconds', async () => {
    const limited = await createTestApp({ config: { copyPnlLimit: 'on' } })
    const { key } = await limited.createCaller('growth')
    const ask = (path: string) =>
      limited.app.inject({ url: `/v2/copy-pnl/${path}`, headers: { 'x-api-key': key } })
    expect((await ask('wallets')).statusCode).toBe(200)
    limited.clock.advance(1_100)
    const refused = await ask('snapshot')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('4')
    expect(refused.json()).toEqual({
      error: 'At most 1 copy-pnl request per 5 seconds.',
      retryAfterMs: 3_900,
    })
    limited.clock.advance(3_900)
    expect((await ask('leaderboard')).statusCode).toBe(200)
    await limited.close()
  })

  test('401: a request without a key', async () => {
    const reply = await world.t.app.inject('/v2/copy-pnl/wallets')
    expect(reply.statusCode).toBe(401)
  })

  test('a key sees its own pool alone, also beside another key of the same account', async () => {
    const { key, accountId } = await world.t.createCaller('growth')
    const nowMs = world.t.clock.now()
    const sibling = await createKey(world.t.ctx.sql, {
      plans: world.t.ctx.plans,
      accountId,
      name: 'b',
      nowMs,
    })
    await world.add(some(2))
    await world.add([walletOf(2), walletOf(3)], key)
    expect((await world.read('wallets', key)).wallets).toEqual([walletOf(2), walletOf(3)])
    expect((await world.read('wallets', sibling.secret)).wallets).toEqual([])
    expect((await world.read('snapshot', sibling.secret)).total_in_pool).toBe(0)
    expect((await world.read('leaderboard', sibling.secret)).total_in_pool).toBe(0)
    await remove([walletOf(2)])
    expect((await world.read('wallets', key)).wallets).toEqual([walletOf(2), walletOf(3)])
  })

  test('the pool of a revoked key goes, and a day later what only it had', async () => {
    const { sql } = world.t.ctx
    const { key, keyId } = await world.t.createCaller('starter')
    await world.add([walletOf(1), walletOf(2)], key)
    await world.add([walletOf(2)])
    await retireKey(sql, keyId, world.t.clock.now())
    const tracked = async () => {
      await tidyPools(sql, world.t.clock.now())
      const rows = await sql<{ wallet: Buffer }[]>`select wallet from copy_wallets order by wallet`
      return rows.map(({ wallet }) => `0x${wallet.toString('hex')}`)
    }
    expect(await tracked()).toEqual([walletOf(1), walletOf(2)])
    expect(await sql`select from copy_pools where key_id = ${keyId}`).toHaveLength(0)
    world.t.clock.advance((DAY - 1) * 1000)
    expect(await tracked()).toEqual([walletOf(1), walletOf(2)])
    world.t.clock.advance(1000)
    expect(await tracked()).toEqual([walletOf(2)])
  })
})
