import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { counts } from '../../../test/counts.js'
import { readDoneActs } from '../test-acts.js'
import { refreshChainTotals } from './refresh.js'

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 60 * 60_000, intensity: 2, comboShare: 0.2 })
}, 180_000)
afterAll(() => world.close())

const refresh = () => refreshChainTotals(world.ctx.sql, new AbortController().signal)
const ask = async () => {
  const reply = await world.get('/v3/stats')
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const isRedemption = ({ act }: ReturnType<typeof readDoneActs>[number]): boolean =>
  act.kind === 'redeem' || act.kind === 'redeemCombo'
const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

describe('GET /v3/stats', () => {
  test('503: before the sums are made for the first time', async () => {
    const reply = await world.get('/v3/stats')
    expect(reply.statusCode).toBe(503)
    expect(reply.json().error).toMatch(/not made yet/)
  })

  test('200: has the sums over all wallets', async () => {
    await refresh()
    const { sql } = world.ctx
    const positions = await sql<{ wallet: number; realized: bigint; bought: bigint }[]>`
      select wallet, realized, bought from positions where is_combo = 0 and bought > 0`
    const realized = positions.map((position) => position.realized)
    const head = await sql<
      { block: number; time: number }[]
    >`select block, block_time as time from chain_state`
    expect(await ask()).toEqual({
      total_fills: world.fills.filter(({ isCombo }) => !isCombo).length,
      total_redemptions: readDoneActs(world.universe).filter(isRedemption).length,
      total_wallets: expect.any(Number),
      total_positions: `${positions.length}`,
      total_realized_pnl: `${sumOf(realized)}`,
      total_gross_profit: `${sumOf(realized.filter((amount) => amount > 0n))}`,
      total_gross_loss: `${sumOf(realized.filter((amount) => amount < 0n))}`,
      total_volume: `${sumOf(positions.map(({ bought }) => bought))}`,
      as_of: new Date((head[0]?.time ?? 0) * 1000).toISOString(),
      as_of_block: head[0]?.block,
      elapsed_ms: expect.any(Number),
    })
    const { total_wallets } = await ask()
    const makers = new Set(world.fills.filter(({ isCombo }) => !isCombo).map(({ maker }) => maker))
    expect(total_wallets).toBeGreaterThanOrEqual(makers.size)
  })

  test('200: redemptions are counted once, however the final blocks came', async () => {
    const { sql } = world.ctx
    const { total_redemptions: expected, as_of_block: head } = await ask()
    const [{ floor = 0 } = {}] = await sql<{ floor: number }[]>`select block as floor from undo_floor`
    const first = world.universe.chain.firstNumber
    const floors = fc.array(fc.integer({ min: first - 1, max: head }), { minLength: 1, maxLength: 5 })
    const numRuns = counts({ short: 10, long: 100 })
    await fc.assert(
      fc.asyncProperty(floors, async (steps) => {
        await sql`update chain_totals set epoch = null`
        for (const step of steps.sort((a, b) => a - b)) {
          await sql`update undo_floor set block = ${step}`
          await refresh()
          expect((await ask()).total_redemptions).toBe(expected)
        }
      }),
      { numRuns },
    )
    await sql`update undo_floor set block = ${floor}`
  })

  test('401 without a key, 402 on the free plan', async () => {
    expect((await world.app.inject('/v3/stats')).statusCode).toBe(401)
    const { key } = await world.createCaller('free')
    const reply = await world.app.inject({ url: '/v3/stats', headers: { 'x-api-key': key } })
    expect(reply.statusCode).toBe(402)
  })
})
