import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComboWorld, openComboWorld } from '../../../test/combo-world.js'
import { counts } from '../../../test/counts.js'
import { refreshComboDays } from './refresh.js'

const PATH = '/v3/combos/activity/daily'
const DAY_MS = 86_400_000

type Day = Record<string, unknown> & { date: string }

let world: ComboWorld
beforeAll(async () => {
  world = await openComboWorld()
}, 180_000)
afterAll(() => world.close())

const refresh = () => refreshComboDays(world.ctx.sql, new AbortController().signal)
const ask = async (query: object = {}) => {
  const reply = await world.get(PATH, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const toDate = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const countOf = (days: Day[], field: string) => days.reduce((sum, day) => sum + Number(day[field]), 0)

describe(`GET ${PATH}`, () => {
  test('503: before the days are counted for the first time', async () => {
    expect((await world.get(PATH)).statusCode).toBe(503)
  })

  test('200: has what happened in combos on each day', async () => {
    await refresh()
    const took = world.fills.filter(({ isCombo, taker, exchange }) => isCombo && taker === exchange)
    expect(took.length).toBeGreaterThan(50)
    const { days }: { days: Day[] } = await ask({ start_date: toDate(world.universe.nowMs - 365 * DAY_MS) })
    for (const { date, ...day } of days.filter(({ lifecycle_count: acts }) => acts !== 0)) {
      const ofDay = took.filter(({ timeSec }) => toDate(timeSec * 1000) === date)
      const sumOf = (isSell: boolean) =>
        ofDay.filter((fill) => fill.isSell === isSell).reduce((sum, { shares }) => sum + shares, 0n)
      expect(day).toMatchObject({
        fill_count: ofDay.length,
        signed_order_buy_fill_count: ofDay.filter(({ isSell }) => !isSell).length,
        signed_order_sell_fill_count: ofDay.filter(({ isSell }) => isSell).length,
        share_volume_e6: `${sumOf(true) + sumOf(false)}`,
        signed_order_buy_share_volume_e6: `${sumOf(false)}`,
        signed_order_sell_share_volume_e6: `${sumOf(true)}`,
        ...(await countRedemptions(date)),
      })
    }
    expect(countOf(days, 'fill_count')).toBe(took.length)
    expect(countOf(days, 'partial_redemption_count')).toBe(1)
    expect(countOf(days, 'transformation_count')).toBeGreaterThan(5)
    expect(countOf(days, 'prepared_combo_count')).toBeGreaterThan(0)
    expect(countOf(days, 'split_count')).toBeGreaterThan(0)
    expect(countOf(days, 'merge_count')).toBeGreaterThan(0)
  })

  /** As the list of redemptions has them. */
  async function countRedemptions(date: string) {
    const after = Date.parse(date) / 1000
    const bounds = { after, before: after + 86_399, limit: 300 }
    const [full, partial, transformed] = await Promise.all(
      ['full', 'partial', 'transformation'].map(async (scope) => {
        const reply = await world.get('/v3/combos/redemptions', { ...bounds, redemption_scope: scope })
        return reply.json().rows_returned as number
      }),
    )
    return {
      full_redemption_count: full,
      partial_redemption_count: partial,
      transformation_count: transformed,
      exact_redemption_count: (full ?? 0) + (partial ?? 0),
    }
  }

  test('200: days without activity are zeros, and those before the head are complete', async () => {
    const { universe } = world
    const yesterday = toDate(universe.nowMs - DAY_MS)
    const { days, complete_through: through } = await ask()
    expect(days.length).toBe(30)
    expect(through).toBe(yesterday)
    expect(days.at(-2)).toMatchObject({ date: yesterday, complete: true })
    expect(days[0]).toMatchObject({ complete: true, fill_count: 0, share_volume: '0.000000' })
    expect(days.at(-1)).toMatchObject({ complete: false })
    const dates = { start_date: toDate(universe.nowMs - 2 * DAY_MS), end_date: yesterday }
    expect((await ask(dates)).days).toEqual(days.slice(-3, -1))
  })

  test('200: a day is counted once, however the final blocks came', async () => {
    const { sql } = world.ctx
    const expected = (await ask()).days
    const [{ floor = 0, head = 0 } = {}] = await sql<{ floor: number; head: number }[]>`
      select u.block as floor, c.block as head from undo_floor u, chain_state c`
    const block = fc.integer({ min: world.universe.chain.firstNumber - 1, max: head })
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 5 }), async (floors) => {
        await sql`update combo_days_state set epoch = null`
        for (const step of floors.sort((a, b) => a - b)) {
          await sql`update undo_floor set block = ${step}`
          await refresh()
          expect((await ask()).days).toEqual(expected)
        }
      }),
      { numRuns: counts({ short: 8, long: 60 }) },
    )
    await sql`update undo_floor set block = ${floor}`
    expect(countOf(expected, 'fill_count')).toBeGreaterThan(0)
  })

  test.each([
    ['a day of another century', { end_date: '1999-12-31' }, 'end_date'],
    ['a day that is none', { start_date: '2026-02-30' }, 'start_date'],
    ['another order of digits', { end_date: '30-01-2026' }, 'end_date'],
    ['an end before the beginning', { start_date: '2026-03-02', end_date: '2026-03-01' }, 'start_date'],
    ['more than a year', { start_date: '2024-01-01', end_date: '2026-01-01' }, 'start_date'],
    ['a period beside dates', { period: '7d', start_date: '2026-03-01' }, 'period'],
    ['an unknown period', { period: '90d' }, 'period'],
    ['an unknown interval', { interval: 'hour' }, 'interval'],
  ])('400: %s', async (_what, query, field) => {
    const reply = await world.get(PATH, query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(field)
  })

  test('401 without a key, 402 on the free plan', async () => {
    expect((await world.app.inject(PATH)).statusCode).toBe(401)
    const { key } = await world.createCaller('free')
    expect((await world.app.inject({ url: PATH, headers: { 'x-api-key': key } })).statusCode).toBe(402)
  })
})
