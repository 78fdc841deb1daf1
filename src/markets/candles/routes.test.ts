import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { type CandleFill, type ModelCandle, modelCandles } from '../../../test/markets/candle-model.js'
import { isTakerOrder, type ModelFill } from '../../../test/trades/fill-model.js'
import { blockOf, logIndexOf, seqOf } from '../../core/seq.js'
import { groupBy } from '../../lib/group-by.js'
import { CANDLE_RESOLUTIONS, type Resolution } from './window.js'

type Candle = Record<string, number | boolean | null> & { time: number; volume: number }

let world: ApiWorld
/** Fills of taking orders by token, the most traded first. */
let traded: [token: string, fills: ModelFill[]][]
let token: string
let condition: string
let slug: string
beforeAll(async () => {
  world = await openApiWorld()
  const takers = world.fills.filter((fill) => isTakerOrder(fill) && !fill.isCombo)
  traded = [...groupBy(takers, (fill) => fill.token)].sort(([, a], [, b]) => b.length - a.length)
  for (const [each] of traded) {
    const body = (await world.get(`/v3/markets/${each}/candles`)).json()
    if (body.slug === null) continue
    token = each
    condition = body.condition_id
    slug = body.slug
    break
  }
})
afterAll(() => world.close())

const ask = async (path: string, query: object = {}) => {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const nowSec = () => Math.floor(world.clock.now() / 1000)
const tokenPath = (id: string) => `/v3/markets/${id}/candles`

const toCandleFill = (fill: ModelFill): CandleFill => ({
  ...fill,
  seq: seqOf(fill.block, fill.logIndex),
})

/** The decimal that a whole number of millionths is, written digit by digit. */
const decimal = (millionths: bigint): number =>
  Number(`${millionths / 1_000_000n}.${`${millionths % 1_000_000n}`.padStart(6, '0')}`)

function present(candle: ModelCandle) {
  const { first, last } = candle
  if (first === undefined || last === undefined) throw new Error('a candle has fills')
  return {
    time: candle.timeSec,
    time_unix: candle.timeSec,
    time_ms: candle.timeSec * 1000,
    open: decimal(candle.open),
    high: decimal(candle.high),
    low: decimal(candle.low),
    close: decimal(candle.close),
    volume: decimal(candle.volume),
    volume_usd: decimal(candle.volume),
    volume_shares: decimal(candle.shares),
    volume_buy: decimal(candle.buyVolume),
    volume_sell: decimal(candle.volume - candle.buyVolume),
    trades: candle.trades,
    vwap: decimal(candle.vwap),
    first_trade_ts: first.timeSec,
    last_trade_ts: last.timeSec,
    first_block: blockOf(first.seq),
    last_block: blockOf(last.seq),
    first_log_index: logIndexOf(first.seq),
    last_log_index: logIndexOf(last.seq),
    gap_filled: false,
  }
}

describe('GET /v3/markets/:token_id/candles', () => {
  test.each(Object.keys(CANDLE_RESOLUTIONS) as Resolution[])(
    '200: candles of %s are made of the fills of taking orders',
    async (resolution) => {
      const { seconds } = CANDLE_RESOLUTIONS[resolution]
      for (const [id, fills] of traded.slice(0, 20)) {
        const body = await ask(tokenPath(id), { resolution, limit: 1_000 })
        const expected = modelCandles(fills.map(toCandleFill), seconds)
          .filter(({ timeSec }) => timeSec >= body.window.first_bucket)
          .map(present)
        expect(body).toMatchObject({ token_id: id, resolution, count: expected.length })
        expect(body.candles).toEqual(expected)
      }
    },
  )

  test('200: the whole answer', async () => {
    const { candles, ...body } = await ask(tokenPath(token), { limit: 2, resolution: '4h' })
    const last = Math.floor(world.clock.now() / 14_400_000) * 14_400
    const sides = { older_end_ts: last - 14_401, newer_start_ts: last + 14_400 }
    const has = { has_older: true, has_newer: false }
    expect(body).toEqual({
      token_id: token,
      resolution: '4h',
      count: candles.length,
      question: expect.any(String),
      slug,
      outcome: expect.any(String),
      outcome_index: expect.any(Number),
      image: expect.any(String),
      condition_id: condition,
      window: {
        start_ts: last - 14_400,
        end_ts: last + 14_399,
        first_bucket: last - 14_400,
        last_bucket: last,
        duration_seconds: 28_800,
        bucket_count: 2,
        resolution_seconds: 14_400,
        ...sides,
        ...has,
      },
      pagination: {
        limit: 2,
        max_limit: 360,
        direction: 'before',
        order: 'asc',
        has_more: true,
        ...sides,
        ...has,
      },
      gap_fill: false,
      elapsed_ms: expect.any(Number),
    })
  })

  test.each(['before', 'after'] as const)(
    '200: successive windows have every candle once, %s',
    async (direction) => {
      const fills = traded.find(([id]) => id === token)?.[1] ?? []
      const whole = modelCandles(fills.map(toCandleFill), 60).map(present)
      const isBefore = direction === 'before'
      let anchor = nowSec() - (isBefore ? 0 : 4 * 3_600)
      const [paged, starts]: [Candle[][], number[]] = [[], []]
      for (let more = true; more && paged.length < 10; ) {
        const query = { resolution: '1m', limit: 30, direction, anchor_ts: anchor }
        const { candles, window, pagination } = await ask(tokenPath(token), query)
        paged.push(candles)
        starts.push(window.first_bucket)
        more = pagination.has_more
        anchor = isBefore ? pagination.older_end_ts : pagination.newer_start_ts
      }
      const expected = whole.filter(({ time }) => time >= Math.min(...starts))
      expect(expected.length).toBeGreaterThan(1)
      expect((isBefore ? paged.reverse() : paged).flat()).toEqual(expected)
    },
  )

  test('200: `order=desc` has the newest first', async () => {
    const asc = await ask(tokenPath(token), { resolution: '1m' })
    const desc = await ask(tokenPath(token), { resolution: '1m', order: 'desc' })
    expect(desc.candles).toEqual(asc.candles.reverse())
  })

  test('200: gaps are filled from the first price on, also from one before the window', async () => {
    const [first] = traded.find(([id]) => id === token)?.[1] ?? []
    const start = (first?.timeSec ?? 0) - 3_600
    const query = { resolution: '1m', gap_fill: true }
    const { candles, window, gap_fill } = await ask(tokenPath(token), { ...query, start })
    expect(gap_fill).toBe(true)
    expect(candles[0]).toMatchObject({ first_trade_ts: first?.timeSec, gap_filled: false })
    const times = candles.map(({ time }: Candle) => time)
    const count = (window.last_bucket - times[0]) / 60 + 1
    expect(times).toEqual(Array.from({ length: count }, (_, at) => times[0] + at * 60))

    const from = candles.findIndex(({ gap_filled: isFilled }: Candle) => isFilled)
    const gap = candles[from]
    expect(gap).toMatchObject({
      open: gap.close,
      high: gap.close,
      low: gap.close,
      vwap: gap.close,
      volume: 0,
      volume_shares: 0,
      trades: 0,
      first_block: null,
      last_trade_ts: null,
    })
    expect(gap.close).toBe(candles[from - 1].close)

    const within = await ask(tokenPath(token), { ...query, start: gap.time, end: gap.time })
    expect(within.candles).toEqual([gap])
  })

  test('200: gaps of the future are not filled', async () => {
    const now = nowSec()
    const query = { resolution: '1m', gap_fill: true, start: now - 120, limit: 10 }
    const { candles, window } = await ask(tokenPath(token), query)
    expect(window.bucket_count).toBe(10)
    expect(candles.at(-1).time).toBeLessThanOrEqual(now)
  })

  test('200: a token that was never traded has no candles', async () => {
    const [row] = await world.ctx.sql<{ token: string }[]>`
      select '0x' || encode(mt.token, 'hex') as token
        from market_tokens mt left join tokens t on t.token = mt.token
       where not exists (select from token_totals s where s.token = t.id) limit 1`
    const id = BigInt(row?.token ?? '').toString()
    const body = await ask(tokenPath(id), { gap_fill: true })
    expect(body).toMatchObject({ token_id: id, count: 0, candles: [] })
    expect(body.window).toMatchObject({ has_older: false, has_newer: false })
  })

  test.each([
    ['a resolution', { resolution: '2h' }, '1m, 5m, 15m, 1h, 4h, 1d'],
    ['a limit', { limit: 'x' }, 'limit'],
    ['a direction', { direction: 'up' }, 'before, after'],
    ['an order', { order: 'up' }, 'asc, desc'],
    ['gap_fill', { gap_fill: 'maybe' }, 'gap_fill'],
    ['milliseconds', { start: 1_793_000_000_000 }, 'start'],
    ['a range over the maximum', { resolution: '1m', start: 0, end: 7_200 }, 'maximum of 120'],
    ['after without an anchor', { direction: 'after' }, 'anchor_ts'],
    ['a start after the end', { start: 10, end: 9 }, 'start'],
    ['two names of one bound', { end: 10, before: 10 }, 'before'],
  ])('400: %s', async (_what, query, named) => {
    const reply = await world.get(tokenPath(token), { ...query })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(named)
  })

  test.each(['0', '9'.repeat(78)])('404: unknown token %s', async (id) => {
    const reply = await world.get(tokenPath(id))
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({
      error: 'market token not found',
      token_id: id,
      hint: expect.any(String),
    })
  })

  test('401 without a key, 402 on the free plan', async () => {
    expect((await world.app.inject(tokenPath(token))).statusCode).toBe(401)
    const { key } = await world.createCaller('free')
    const headers = { 'x-api-key': key }
    expect((await world.app.inject({ url: tokenPath(token), headers })).statusCode).toBe(402)
  })
})

describe.each([
  ['condition', () => `/v3/markets/condition/${condition}/candles`, () => ({ condition_id: condition })],
  ['slug', () => `/v3/markets/slug/${slug}/candles`, () => ({ slug })],
] as const)('GET /v3/markets/%s/…/candles', (_kind, path, subject) => {
  test('200: has the series of each outcome, whose volumes are that of the market', async () => {
    const body = await ask(path(), { resolution: '1d', limit: 500, gap_fill: true })
    expect(body).toMatchObject({ ...subject(), resolution: '1d', series_count: 2, gap_fill: true })
    expect(body.series.map((one: { outcome_index: number }) => one.outcome_index)).toEqual([0, 1])

    let volume = 0n
    for (const { token_id: id, ...series } of body.series) {
      const {
        window: _,
        elapsed_ms: __,
        ...own
      } = await ask(tokenPath(id), {
        resolution: '1d',
        limit: 500,
        gap_fill: true,
      })
      expect({ token_id: id, ...series }).toEqual(own)
      for (const candle of series.candles) volume += BigInt(Math.round(candle.volume * 1e6))
    }
    const ids = body.series.map((one: { token_id: string }) => one.token_id)
    const fills = traded.flatMap(([id, own]) => (ids.includes(id) ? own : []))
    expect(fills.length).toBeGreaterThan(0)
    expect(volume).toBe(fills.reduce((sum, { usd }) => sum + usd, 0n))
  })

  test('200: `token_id` picks one outcome', async () => {
    const body = await ask(path(), { token_id: token })
    expect(body.series_count).toBe(1)
    expect(body.series[0].token_id).toBe(token)
  })

  test('400: a token of another market', async () => {
    const foreign = traded.find(([id]) => id !== token)?.[0] ?? ''
    const ids = (await ask(path())).series.map((one: { token_id: string }) => one.token_id)
    for (const id of ['0', foreign].filter((each) => !ids.includes(each))) {
      const reply = await world.get(path(), { token_id: id })
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error).toContain('token_id')
    }
  })
})

test('200: the condition of a market that the catalogue lacks has its series', async () => {
  for (const [id] of traded) {
    const body = await ask(tokenPath(id))
    if (body.slug !== null || body.condition_id === null) continue
    const { series } = await ask(`/v3/markets/condition/${body.condition_id}/candles`)
    expect(series.map((one: { token_id: string }) => one.token_id)).toContain(id)
    return
  }
  throw new Error('the world has no such market')
})

test('400: more than 50 outcomes need a token_id', async () => {
  const { sql } = world.ctx
  const id = `0x${'ab'.repeat(32)}`
  await sql`insert into conditions values (1000000, ${Buffer.from('ab'.repeat(32), 'hex')}, 0)`
  await sql`
    insert into tokens (id, condition, outcome, since, token)
    select 1000000 + outcome, 1000000, outcome, 0, decode(lpad(to_hex(outcome), 64, 'e'), 'hex')
      from generate_series(0, 50) as outcome`
  const path = `/v3/markets/condition/${id}/candles`
  const refused = await world.get(path)
  expect(refused.statusCode).toBe(400)
  expect(refused.json().error).toContain('token_id')
  const chosen = BigInt(`0x${'e'.repeat(63)}7`).toString()
  const body = await ask(path, { token_id: chosen })
  expect(body).toMatchObject({ series_count: 1, series: [{ token_id: chosen, outcome_index: 7 }] })
})

test.each([
  ['condition', `0x${'0'.repeat(64)}`, 'condition_id'],
  ['slug', 'no-such-market', 'slug'],
])('404: unknown %s', async (kind, value, name) => {
  const reply = await world.get(`/v3/markets/${kind}/${value}/candles`)
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: 'market token not found', [name]: value })
})
