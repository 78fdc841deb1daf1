import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createWallet, onlyMarket } from '../../sim/contracts/test-world.js'
import { claimRuns, writeRun } from './queue-queries.js'
import { CopyWorld, DAY, trade } from './test-world.js'

const [yes] = onlyMarket().tokens
const wallet = createWallet(1, 'safe')
const { address } = wallet
const ANSWER_MS = 10_000

let world: CopyWorld
beforeAll(async () => {
  world = await CopyWorld.open()
  await world.book(20 * DAY, trade(wallet, 'BUY', yes, { shares: 10, price: 0.5 }))
  for (let ago = 8; ago > 2; ago--) {
    await world.book(ago * 3600, trade(wallet, 'SELL', yes, { shares: 1, price: 0.75 }))
  }
})
afterAll(() => world.close())

const sql = () => world.t.ctx.sql
const snapshot = () => world.read('snapshot')
const entry = async () => (await snapshot()).wallets[0]
const board = () => world.read('leaderboard?period=7d')

/** Runs a scorer that is expected to fail. */
async function scoreBroken(): Promise<void> {
  await sql()`alter table conversions rename to conversions_gone`
  try {
    await world.score()
  } finally {
    await sql()`alter table conversions_gone rename to conversions`
  }
}

describe('a wallet of a pool', () => {
  test('is pending at once, with null for every period', async () => {
    expect(await world.add([address])).toMatchObject({ added: 1, refresh_kicked: 1 })
    const nothing = { '7d': null, '14d': null, '30d': null, '60d': null, '90d': null, '180d': null }
    expect(await snapshot()).toEqual({
      total_in_pool: 1,
      scored_any: 0,
      errored_any: 0,
      pending_any: 1,
      periods: ['7d', '14d', '30d', '60d', '90d', '180d'],
      last_refresh: null,
      wallets: [{ wallet: address, periods: nothing }],
    })
    expect(await board()).toMatchObject({
      total_in_pool: 1,
      scored: 0,
      filtered_in: 0,
      pending: 1,
      errored: 0,
      results: [],
      last_refresh: null,
      pending_sample: [address],
    })
    expect(await board()).not.toHaveProperty('errored_sample')
  })

  test('is scored by whichever process runs next', async () => {
    await world.score()
    const computed = { partial: false, computed_at: world.nowSec }
    const { periods, ...rest } = await entry()
    expect(rest).toEqual({ wallet: address })
    expect(periods['7d']).toMatchObject({ actual_pnl_usdc: 4.5, trade_count: 6, ...computed })
    expect(periods['30d']).toMatchObject({ actual_pnl_usdc: -0.5, trade_count: 7, ...computed })
    expect(await snapshot()).toMatchObject({ scored_any: 1, pending_any: 0 })
    expect(await board()).toMatchObject({
      scored: 1,
      pending: 0,
      errored: 0,
      last_refresh: world.nowSec,
      results: [{ local_rank: 1, wallet: address, ...periods['7d'] }],
    })
    expect(await board()).not.toHaveProperty('pending_sample')
  })

  test('is not scored again before its run of the next day', async () => {
    const [row] = await sql()<{ nextAt: Date }[]>`select next_at from copy_wallets`
    const nextMs = row?.nextAt.getTime() ?? 0
    expect(nextMs).toBeGreaterThan(world.t.clock.now())
    expect(nextMs).toBeLessThanOrEqual(world.t.clock.now() + DAY * 1000)
    const { periods: before } = await entry()
    await world.score()
    expect((await entry()).periods).toEqual(before)
    world.t.clock.set(nextMs)
  })

  test('is errored when a scoring run fails: counted, not listed, with its older scores', async () => {
    const { periods } = await entry()
    await scoreBroken()
    const error = { error: 'The score could not be computed.', ts: world.nowSec }
    expect(await entry()).toEqual({ wallet: address, periods, error })
    expect(await snapshot()).toMatchObject({ scored_any: 1, errored_any: 1, pending_any: 0 })
    expect(await board()).toMatchObject({
      scored: 0,
      filtered_in: 0,
      pending: 0,
      errored: 1,
      results: [],
      errored_sample: [{ wallet: address, ...error }],
    })
  })

  test('is scored again by the next run that succeeds', async () => {
    world.t.clock.advance(15 * 60_000)
    await world.score()
    expect(await entry()).not.toHaveProperty('error')
    expect((await entry()).periods['7d'].computed_at).toBe(world.nowSec)
    expect(await board()).toMatchObject({ scored: 1, errored: 0 })
  })

  test('has `timeout_180s` when the database gives up on its first query', async () => {
    world.t.clock.advance(DAY * 1000)
    const { scorer } = world.createScorer()
    const ending = new AbortController()
    await sql().begin(async (tx) => {
      await tx`lock table conversions in access exclusive mode`
      const running = scorer.run(ending.signal)
      await vi.waitFor(async () => {
        const cancelled = await tx`
          select pg_cancel_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`
        expect(cancelled).toHaveLength(1)
      }, ANSWER_MS)
      await vi.waitFor(async () => {
        expect((await entry()).error).toEqual({ error: 'timeout_180s', ts: world.nowSec })
      }, ANSWER_MS)
      ending.abort()
      await running
    })
  })

  test('is scored in part when the time is over: the windows that were not scanned whole', async () => {
    world.t.clock.advance(DAY * 1000)
    await world.score({ budgetMs: 0, pageFacts: 5 })
    const { periods, error } = await entry()
    expect(error).toBeUndefined()
    // The first page has five facts, of which the last is left for the next.
    expect(periods['7d']).toMatchObject({ trade_count: 4, partial: true })
    expect(periods['180d']).toMatchObject({ trade_count: 4, partial: true })
    expect(await board()).toMatchObject({ scored: 1, results: [{ partial: true }] })
  })

  test('that is dropped and added again has its score at once, and gets a new one', async () => {
    world.t.clock.advance(3_600_000)
    await world.ask('wallets', { method: 'DELETE', body: { addresses: [address] } })
    await world.score()
    expect(await world.add([address])).toMatchObject({ added: 1, refresh_kicked: 1 })
    expect((await entry()).periods['7d']).toMatchObject({ trade_count: 4, partial: true })
    await world.score()
    expect((await entry()).periods['7d']).toMatchObject({ trade_count: 6, partial: false })
  })
})

describe('several processes', () => {
  const crowd = Array.from({ length: 30 }, (_, index) => `0x${`${index + 10}`.repeat(20)}`)

  test('score each wallet once', async () => {
    await world.add(crowd)
    const processes = [1, 2, 3].map(() => world.createScorer())
    const ending = new AbortController()
    const running = processes.map(({ scorer }) => scorer.run(ending.signal))
    await vi.waitFor(async () => expect((await snapshot()).pending_any).toBe(0), ANSWER_MS)
    ending.abort()
    await Promise.all(running)
    const runs = await Promise.all(
      processes.map(async ({ metrics }) => (await metrics.runs.get()).values[0]?.value ?? 0),
    )
    expect(runs.reduce((sum, count) => sum + count)).toBe(crowd.length)
  })

  test('take over what a killed one had begun, when its lease is over, and not before', async () => {
    const leaseMs = 240_000
    await world.ask('wallets', { method: 'DELETE', body: { addresses: crowd } })
    world.t.clock.advance(DAY * 1000)
    const claim = () => claimRuns(sql(), { limit: 10, nowMs: world.t.clock.now(), leaseMs })
    const [lost, ...others] = await claim()
    expect([lost?.wallet, others]).toEqual([address, []])
    expect(await claim()).toEqual([])
    // Adding it to another pool does not end the lease.
    const { key } = await world.t.createCaller('growth')
    await world.add([address], key)
    expect(await claim()).toEqual([])
    world.t.clock.advance(leaseMs)
    const [taken] = await claim()
    expect(taken?.wallet).toBe(address)
    // The killed process was only stalled: what it writes now does not count.
    const ended = { endedMs: world.t.clock.now(), nextMs: world.t.clock.now(), error: 'late' }
    if (lost === undefined || taken === undefined) expect.fail()
    expect(await writeRun(sql(), { ...lost, ...ended })).toBe(false)
    expect(await entry()).not.toHaveProperty('error')
    expect(await writeRun(sql(), { ...taken, ...ended, error: 'own' })).toBe(true)
    expect(await entry()).toMatchObject({ error: { error: 'own' } })
  })

  test('give back what they have begun when they stop', async () => {
    await sql()`update copy_wallets set next_at = ${new Date(world.t.clock.now())}`
    const { scorer } = world.createScorer()
    const ending = new AbortController()
    await sql().begin(async (tx) => {
      await tx`lock table conversions in access exclusive mode`
      const running = scorer.run(ending.signal)
      const isLeased = async () => {
        const [row] = await tx<{ isLeased: boolean }[]>`
          select is_leased from copy_wallets where dropped_at is null`
        return row?.isLeased
      }
      await vi.waitFor(async () => expect(await isLeased()).toBe(true), ANSWER_MS)
      ending.abort()
      await running
      await tx`
        select pg_cancel_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      await vi.waitFor(async () => expect(await isLeased()).toBe(false), ANSWER_MS)
    })
    await world.score()
    expect(await entry()).not.toHaveProperty('error')
  })
})

test('wallets of a request are scored at once by the process that took it', async () => {
  const { scorer } = world.createScorer({ pollMs: 600_000 }, world.alarm)
  const ending = new AbortController()
  const running = scorer.run(ending.signal)
  await vi.waitFor(async () => expect(await dueCount()).toBe(0), ANSWER_MS)
  await world.add([`0x${'e'.repeat(40)}`])
  await vi.waitFor(async () => expect((await snapshot()).pending_any).toBe(0), ANSWER_MS)
  ending.abort()
  await running
})

async function dueCount(): Promise<number> {
  const rows = await sql()`
    select from copy_wallets
     where dropped_at is null and next_at <= ${new Date(world.t.clock.now())}`
  return rows.length
}
