import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'
import {
  expectedRealized,
  expectedTotals,
  groupOf,
  type Step as RealizedStep,
  readWalletModel,
  sumOf,
  UNKNOWN_WALLET,
  type WalletModel,
} from '../../test/wallet-model.js'
import { toDecimal } from '../core/money.js'

let world: ApiWorld
let model: WalletModel
beforeAll(async () => {
  world = await openApiWorld()
  model = await readWalletModel(world)
})
afterAll(() => world.close())

const ask = async (path: string, query: object = {}) => {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  const { elapsed_ms: elapsedMs, ...body } = reply.json()
  expect(elapsedMs).toBeGreaterThanOrEqual(0)
  return body
}

type Filter = {
  category?: string
  tags?: string
  tag_slug?: string
  market?: string
  market_slug?: string
  condition_id?: string
  event_slug?: string
}

const plain = (tag: string | undefined) => tag?.trim().toLowerCase().replaceAll('-', ' ')

function isInFilter(token: number, filter: Filter): boolean {
  const market = model.listed.get(token)
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined)
  return conditions.every(([name, value]) => {
    if (market === undefined) return false
    const tags = market.tags.map(plain)
    switch (name) {
      case 'category':
        return tags[0] === plain(value)
      case 'tags':
        return value.split(',').some((tag) => tags.includes(plain(tag)))
      case 'tag_slug':
        return tags.includes(plain(value))
      case 'market':
        return [market.slug, market.condition].includes(value.toLowerCase())
      case 'market_slug':
        return market.slug === value
      case 'condition_id':
        return market.condition === value
      default:
        return market.eventSlug === value
    }
  })
}

/** A busy wallet with filters that some of its steps pass. */
const walletAndFilter = () =>
  fc.integer({ min: 0, max: 30 }).chain((index) => {
    const wallet = model.busy[index] ?? expect.fail()
    const tokens = model.steps.filter((step) => step.wallet === wallet).map(({ token }) => token)
    const markets = tokens.flatMap((token) => model.listed.get(token) ?? [])
    const market = fc.constantFrom(...(markets.length > 0 ? markets : [...model.listed.values()]))
    const filter = market.chain((one) => {
      const tag = fc.constantFrom(...one.tags)
      return fc.record(
        {
          category: fc.constantFrom(one.tags[0] ?? '', (one.tags[0] ?? '').toUpperCase()),
          tags: tag.map((name) => `no such tag, ${name.replaceAll(' ', '-')}`),
          tag_slug: tag,
          market: fc.constantFrom(one.slug, one.condition),
          market_slug: fc.constant(one.slug),
          condition_id: fc.constant(one.condition),
          event_slug: fc.constant(one.eventSlug),
        },
        { requiredKeys: [] },
      )
    })
    return fc.tuple(fc.constant(wallet), filter)
  })

describe('GET /v3/wallets/{address}/pnl', () => {
  const pathOf = (wallet: number) => `/v3/wallets/${model.addressOf(wallet)}/pnl`

  test('200: without a time it has the totals over the markets that the filters leave', async () => {
    await fc.assert(
      fc.asyncProperty(walletAndFilter(), async ([wallet, filter]) => {
        const own = model.positions.filter(
          (row) => row.wallet === wallet && row.isCombo === 0 && isInFilter(row.token, filter),
        )
        expect(await ask(pathOf(wallet), filter)).toEqual({
          address: model.addressOf(wallet),
          ...expectedTotals(own),
        })
      }),
      { numRuns: 60 },
    )
  })

  test('200: with a time it has what the wallet realized then', async () => {
    const times = fc.constantFrom(...model.steps.map(({ timeSec }) => timeSec))
    const window = fc
      .tuple(fc.option(times, { nil: undefined }), times)
      .map(([after, before]) =>
        after === undefined
          ? { after, before }
          : { after: Math.min(after, before), before: Math.max(after, before) },
      )
    await fc.assert(
      fc.asyncProperty(walletAndFilter(), window, async ([wallet, filter], { after, before }) => {
        const own = model.steps.filter(
          (step) =>
            step.wallet === wallet &&
            isInFilter(step.token, filter) &&
            step.timeSec >= (after ?? 0) &&
            step.timeSec <= before,
        )
        expect(await ask(pathOf(wallet), { ...filter, after, before })).toEqual({
          address: model.addressOf(wallet),
          ...expectedRealized(own),
          source: 'realized_pnl_series',
          after: after ?? 1,
          before,
        })
      }),
      { numRuns: 60 },
    )
  })

  test('200: `period` counts from now, and `after` goes before it', async () => {
    const [wallet = 0] = model.busy
    const nowSec = Math.floor(world.clock.now() / 1000)
    const own = model.steps.filter((step) => step.wallet === wallet && step.timeSec >= nowSec - 7 * 86_400)
    expect(own.length).toBeGreaterThan(1)
    expect(await ask(pathOf(wallet), { period: '7d' })).toEqual({
      address: model.addressOf(wallet),
      ...expectedRealized(own),
      source: 'realized_pnl_series',
      period: '7d',
      after: nowSec - 7 * 86_400,
      before: nowSec,
    })
    const after = own[Math.floor(own.length / 2)]?.timeSec ?? 0
    expect(await ask(pathOf(wallet), { period: '7d', after })).toMatchObject({
      ...expectedRealized(own.filter(({ timeSec }) => timeSec >= after)),
      after,
    })
    expect(await ask(pathOf(wallet), { after: -5 })).toMatchObject({ after: 1 })
  })

  test('200: `include_unrealized` adds what is unrealized now to a window', async () => {
    await fc.assert(
      fc.asyncProperty(walletAndFilter(), fc.boolean(), async ([wallet, filter], isFiltered) => {
        const query = isFiltered ? filter : {}
        const own = model.positions.filter(
          (row) => row.wallet === wallet && row.isCombo === 0 && isInFilter(row.token, query),
        )
        const unrealized = sumOf(own.map((row) => row.unrealized))
        const reply = await ask(pathOf(wallet), {
          ...query,
          after: 1,
          include_unrealized: true,
        })
        const realized = model.steps.filter((step) => step.wallet === wallet && isInFilter(step.token, query))
        expect(reply).toMatchObject({
          unrealized_pnl: toDecimal(unrealized),
          total_pnl: toDecimal(sumOf(realized.map(({ amount }) => amount)) + unrealized),
          open_positions_at_date: own.filter(({ balance }) => balance > 0n).length,
        })
      }),
      { numRuns: 20 },
    )
  })

  test('200: combos count without any filter alone', async () => {
    const { wallet } = model.positions.find((p) => p.isCombo === 1 && p.bought > 0n) ?? expect.fail()
    const path = pathOf(wallet)
    const combined = await ask(`/v3/wallets/${model.addressOf(wallet)}`, { include_combos: true })
    expect(await ask(path, { include_combos: true })).toEqual(combined)
    for (const filter of [{ period: '1d' }, { tags: 'politics' }, { market: 'nothing' }]) {
      const plainReply = await ask(path, filter)
      expect(await ask(path, { ...filter, include_combos: true })).toEqual({
        ...plainReply,
        include_combos: true,
        included_position_types: ['market'],
        combo_pnl: {
          position_type: 'combo',
          included: false,
          position_count: 0,
          open_positions: 0,
          realized_pnl: 0,
          unrealized_pnl: 0,
          total_pnl: 0,
        },
      })
    }
  })

  test('200: an unknown wallet has zeros', async () => {
    expect(await ask(`/v3/wallets/${UNKNOWN_WALLET}/pnl`)).toMatchObject({ total_pnl: 0 })
    expect(await ask(`/v3/wallets/${UNKNOWN_WALLET}/pnl`, { period: '1d' })).toMatchObject({
      ...expectedRealized([]),
    })
  })

  test.each([
    ['period', '2d'],
    ['after', '1793000000123'],
    ['after', 'x'],
    ['before', '-1'],
    ['condition_id', '0x12'],
    ['category', ''],
    ['tags', ' , '],
    ['tags', Array.from({ length: 21 }, (_, index) => `t${index}`).join(',')],
    ['include_unrealized', '2'],
  ])('400: %s=%s', async (name, value) => {
    const reply = await world.get(pathOf(model.busy[0] ?? 0), { [name]: value })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })

  test('400: a window that ends before it begins', async () => {
    const reply = await world.get(pathOf(model.busy[0] ?? 0), { after: 10, before: 9 })
    expect(reply.statusCode).toBe(400)
  })

  test('429: a third calculation of an account, while others have theirs', async () => {
    const other = await world.createCaller('starter')
    const path = pathOf(model.busy[0] ?? 0)
    const locker = await world.ctx.sql.reserve()
    await locker`begin`
    await locker`lock table pnl in access exclusive mode`
    // A request is sent when it is awaited.
    const running = [1, 2].map(async () => await world.get(path, { period: '1d' }))
    const third = await world.get(path, { period: '1d' })
    expect(third.statusCode).toBe(429)
    expect(third.headers['retry-after']).toBe('1')
    expect(third.json()).toEqual({
      error: 'wallet_pnl_busy',
      scope: 'v3_pnl_account_concurrency',
    })
    const foreign = await world.get(path, {}, { 'x-api-key': other.key })
    expect(foreign.statusCode).toBe(200)
    await locker`rollback`
    locker.release()
    for (const reply of await Promise.all(running)) expect(reply.statusCode).toBe(200)
    expect((await world.get(path, { period: '1d' })).statusCode).toBe(200)
  })
})

describe('GET /v3/wallets/{address}/pnl/events', () => {
  const pathOf = (wallet: number) => `/v3/wallets/${model.addressOf(wallet)}/pnl/events`
  const groups = ['hour', 'day', 'week', 'month'] as const

  /** The beginning of the bucket, by the calendar. */
  function startOf(group: (typeof groups)[number], timeSec: number): number {
    const time = new Date(timeSec * 1000)
    if (group === 'hour') time.setUTCMinutes(0, 0, 0)
    else time.setUTCHours(0, 0, 0, 0)
    if (group === 'week') time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7))
    if (group === 'month') time.setUTCDate(1)
    return time.getTime() / 1000
  }

  function expectedBuckets(own: readonly RealizedStep[], group: (typeof groups)[number]) {
    const byStart = groupOf(own, ({ timeSec }) => startOf(group, timeSec))
    let total = 0n
    return [...byStart].map(([bucket, some]) => {
      total += sumOf(some.map(({ amount }) => amount))
      return { bucket, ...expectedRealized(some), cumulative_pnl: toDecimal(total) }
    })
  }

  /** Makes minutes of the simulated history last for hours, so that steps fall into many buckets. */
  const stretch = async () => {
    const { sql } = world.ctx
    const first = world.universe.startMs / 1000
    await sql`update blocks set time = ${first} + (time - ${first}) * 500 where time > ${first}`
    model = await readWalletModel(world)
    world.clock.set((model.steps.at(-1)?.timeSec ?? 0) * 1000 + 1000)
  }

  test('200: buckets begin where the calendar says, and add up to the window', async () => {
    await stretch()
    for (const wallet of model.busy.slice(0, 15)) {
      const own = model.steps.filter((step) => step.wallet === wallet)
      const after = own[Math.floor(own.length / 4)]?.timeSec ?? 0
      const before = own[Math.floor((own.length * 3) / 4)]?.timeSec ?? 0
      const within = own.filter(({ timeSec }) => timeSec >= after && timeSec <= before)
      for (const group of groups) {
        const buckets = expectedBuckets(within, group)
        const { realized_pnl, wins, losses, events } = expectedRealized(within)
        expect(await ask(pathOf(wallet), { group, after, before })).toEqual({
          address: model.addressOf(wallet),
          granularity: group,
          after,
          before,
          bucket_count: buckets.length,
          buckets,
          total_realized_pnl: realized_pnl,
          total_events: events,
          total_wins: wins,
          total_losses: losses,
          source: 'realized_pnl_series',
        })
      }
    }
  })

  test('200: over the limit the latest buckets stay', async () => {
    const [wallet = 0] = model.busy
    const own = model.steps.filter((step) => step.wallet === wallet)
    const starts = [...new Set(own.map(({ timeSec }) => startOf('hour', timeSec)))]
    expect(starts.length).toBeGreaterThan(3)
    const reply = await ask(pathOf(wallet), { group: 'hour', after: 1, limit: 2 })
    const kept = own.filter(({ timeSec }) => starts.slice(-2).includes(startOf('hour', timeSec)))
    expect(reply).toMatchObject({
      truncated: true,
      bucket_count: 2,
      buckets: expectedBuckets(kept, 'hour'),
      total_realized_pnl: expectedRealized(kept).realized_pnl,
    })
    const exact = { group: 'hour', after: 1, limit: starts.length }
    expect(await ask(pathOf(wallet), exact)).not.toHaveProperty('truncated')
    expect(await ask(pathOf(wallet), { ...exact, limit: 0 })).toMatchObject({ bucket_count: 1 })
    const many = await ask(pathOf(wallet), { ...exact, limit: 100_000 })
    expect(many.bucket_count).toBe(starts.length)
  })

  test('200: without a time there is one bucket, with the totals', async () => {
    const [wallet = 0] = model.busy
    const totals = await ask(`/v3/wallets/${model.addressOf(wallet)}/pnl`)
    const { address, net_realized_pnl: realized, ...fields } = totals
    const nowSec = Math.floor(world.clock.now() / 1000)
    expect(await ask(pathOf(wallet))).toEqual({
      address,
      granularity: 'day',
      bucket_count: 1,
      buckets: [
        {
          bucket: nowSec,
          realized_pnl: realized,
          cumulative_pnl: realized,
          ...fields,
          events: fields.position_count,
        },
      ],
      total_realized_pnl: realized,
      total_events: fields.position_count,
      total_wins: fields.wins,
      total_losses: fields.losses,
      total_positions: fields.position_count,
      open_positions: fields.open_positions,
      unrealized_pnl: fields.unrealized_pnl,
      total_pnl: fields.total_pnl,
      count_type: 'positions',
      summary_bucket: true,
      source: 'wallet_summary',
    })
  })

  test('200: a window without activity, and an unknown wallet, have no buckets', async () => {
    const [wallet = 0] = model.busy
    for (const path of [pathOf(wallet), `/v3/wallets/${UNKNOWN_WALLET}/pnl/events`]) {
      expect(await ask(path, { before: 1000 })).toMatchObject({
        after: 1,
        before: 1000,
        bucket_count: 0,
        buckets: [],
        total_realized_pnl: 0,
      })
    }
  })

  test.each([
    ['group', 'year'],
    ['period', '1w'],
    ['after', '1793000000123'],
    ['limit', 'x'],
  ])('400: %s=%s', async (name, value) => {
    const reply = await world.get(pathOf(model.busy[0] ?? 0), { [name]: value })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })

  test('400: a window that ends before it begins', async () => {
    const reply = await world.get(pathOf(model.busy[0] ?? 0), { after: 10, before: 9 })
    expect(reply.statusCode).toBe(400)
  })
})
