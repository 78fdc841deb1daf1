import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { isTakerOrder, type ModelFill } from '../../../test/trades/fill-model.js'
import { groupBy } from '../../lib/group-by.js'
import { STATS_PERIOD_NAMES, type StatsPeriod, startHourOf } from './period.js'
import { refreshSnapshot } from './snapshot.js'

type Row = Record<string, unknown> & {
  condition_id: string
  event_id: number
  category: string | null
  volume_usd: number
  trades: number
}

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world.close())

const nowSec = () => Math.floor(world.clock.now() / 1000)
const sinceOf = (period: StatsPeriod) => startHourOf(period, nowSec()) * 3_600

/** The decimal that a whole number of millionths is, written digit by digit. */
const decimal = (millionths: bigint): number =>
  Number(`${millionths / 1_000_000n}.${`${millionths % 1_000_000n}`.padStart(6, '0')}`)

const marketOf = ({ token }: ModelFill) => {
  const of = world.universe.catalogue.token(token)?.of
  return of?.kind === 'market' ? of : undefined
}

/** Sums as they are defined: over the fills of a market or an event in a period. */
function modelSums(fills: readonly ModelFill[]) {
  const taken = fills.filter(isTakerOrder).sort((a, b) => a.block - b.block)
  const sum = (pick: (fill: ModelFill) => bigint) => taken.reduce((total, fill) => total + pick(fill), 0n)
  const [volume, shares] = [sum(({ usd }) => usd), sum((fill) => fill.shares)]
  const bought = sum(({ isSell, usd }) => (isSell ? 0n : usd))
  const average = (2_000_000n * volume + shares) / (2n * shares)
  return {
    volume_usd: decimal(volume),
    volume_shares: decimal(shares),
    volume_buy: decimal(bought),
    volume_sell: decimal(volume - bought),
    trades: taken.length,
    unique_traders: new Set(fills.map(({ maker }) => maker)).size,
    fees_usd: decimal(sum(({ fee }) => fee)),
    vwap: decimal(average),
    first_trade_ts: taken[0]?.timeSec,
    last_trade_ts: taken.at(-1)?.timeSec,
  }
}

/** By condition, or by event, of all that were traded since. */
function modelOf(period: StatsPeriod, by: 'condition' | 'event'): Map<string, object> {
  const fills = world.fills.filter((fill) => fill.timeSec >= sinceOf(period) && !fill.isCombo)
  const groups = groupBy(fills, (fill) => {
    const market = marketOf(fill)
    return (by === 'condition' ? market?.conditionId : market?.event.id) ?? ''
  })
  groups.delete('')
  const isKnown = (id: string) => by === 'condition' || Number(id) % 4 !== 0
  return new Map(
    [...groups].flatMap(([id, own]) =>
      isKnown(id) && own.some(isTakerOrder) ? [[id, modelSums(own)] as const] : [],
    ),
  )
}

async function ask(path: string, query: object = {}) {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

async function readAll(path: string, query: object = {}): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ask(path, { limit: 300, cursor, ...query })
    rows.push(...page.data)
    cursor = page.next_cursor
  }
  return rows
}

const idOf = { '/v3/markets/stats': 'condition_id', '/v3/events/stats': 'event_id' } as const
type Path = keyof typeof idOf
const PATHS = Object.keys(idOf) as Path[]

const expectModel = (rows: readonly Row[], path: Path, model: ReadonlyMap<string, object>) => {
  const found = new Map(rows.map((row) => [String(row[idOf[path]]), row]))
  expect([...found.keys()].sort()).toEqual([...model.keys()].sort())
  for (const [id, sums] of model) expect(found.get(id), id).toMatchObject(sums)
}

describe.each(PATHS)('GET %s', (path) => {
  const by = path === '/v3/markets/stats' ? 'condition' : 'event'

  test.each(STATS_PERIOD_NAMES)('200: sums of %s are those of the fills', async (period) => {
    const model = modelOf(period, by)
    expect(model.size).toBeGreaterThan(20)
    expectModel(await readAll(path, { period }), path, model)
  })

  test('200: totals are sums over all markets, whatever the page', async () => {
    const markets = await readAll('/v3/markets/stats')
    const { totals, period, as_of: asOf } = await ask(path, { limit: 1 })
    const { sql } = world.ctx
    const [{ resolved = 0 } = {}] = await sql<{ resolved: number }[]>`
      select count(distinct c.condition)::integer as resolved
        from resolutions r join conditions c on c.id = r.condition
       where '0x' || encode(c.condition, 'hex') = any(${markets.map((row) => row.condition_id)}::text[])`
    expect({ period, asOf }).toEqual({ period: '1d', asOf: nowSec() })
    expect(resolved).toBeGreaterThan(0)
    expect(totals).toEqual({
      markets: markets.length,
      active_markets: markets.length - resolved,
      resolved_markets: resolved,
      volume_usd: decimal(markets.reduce((sum, row) => sum + BigInt(Math.round(row.volume_usd * 1e6)), 0n)),
      trades: markets.reduce((sum, row) => sum + row.trades, 0),
    })
  })

  test.each([
    ['volume', 'volume_usd'],
    ['trades', 'trades'],
    ['traders', 'unique_traders'],
    ['fees', 'fees_usd'],
  ])('200: `sort=%s` has the largest %s first', async (sort, field) => {
    const values = (await readAll(path, { sort })).map((row) => Number(row[field]))
    expect(values).toEqual([...values].sort((a, b) => b - a))
  })

  test('200: a request for one market or event has the numbers of this moment', async () => {
    const rows = (await readAll(path)).filter(({ category }) => category !== null)
    for (const row of rows.slice(0, 5)) {
      const names =
        by === 'condition'
          ? [{ condition_id: row.condition_id }, { market_slug: row.slug }]
          : [{ event_slug: row.event_slug }]
      for (const query of names) {
        const { data, totals, as_of: asOf } = await ask(path, { ...query, sort: 'traders' })
        expect(data).toEqual([row])
        expect(asOf).toBe(nowSec())
        expect(totals).toMatchObject({ volume_usd: row.volume_usd, trades: row.trades })
      }
    }
  })

  test('200: filters that exclude each other leave nothing', async () => {
    const [row] = await readAll(path)
    const query = { condition_id: `0x${'1'.repeat(64)}`, market_slug: row?.slug ?? 'x' }
    expect(await ask(path, query)).toMatchObject({
      data: [],
      totals: { markets: 0, active_markets: 0, resolved_markets: 0, volume_usd: 0, trades: 0 },
    })
  })

  test('200: `category` is the first tag, in any spelling', async () => {
    const rows = await readAll(path)
    const categories = new Set(rows.flatMap(({ category }) => category ?? []))
    expect(categories.size).toBeGreaterThan(1)
    for (const category of categories) {
      const own = rows.filter((row) => row.category === category)
      expect(await readAll(path, { category })).toEqual(own)
      const spelt = category.toUpperCase().replaceAll(' ', '-')
      const page = await ask(path, { category: spelt, limit: 1 })
      expect(page.data).toEqual(own.slice(0, 1))
      if (by === 'condition') expect(page.totals.markets).toBe(own.length)
    }
    expect(await readAll(path, { category: 'no such tag' })).toEqual([])
  })

  test('200: `tag_slug` is any tag', async () => {
    const events = await world.ctx.sql<{ event: number; slug: string }[]>`
      select et.event, t.slug from event_tags et join tags t on t.id = et.tag`
    const rows = await readAll('/v3/events/stats')
    const [tag = ''] = events
      .filter(({ event }) => rows.some((row) => row.event_id === event))
      .map(({ slug }) => slug)
      .slice(-1)
    const tagged = new Set(events.flatMap(({ event, slug }) => (slug === tag ? [event] : [])))
    const ids = rows.flatMap((row) => (tagged.has(row.event_id) ? [row.event_id] : []))
    expect(ids.length).toBeGreaterThan(0)
    const found = await readAll(path, { tag_slug: tag })
    if (by === 'event') expect(found.map((row) => row.event_id)).toEqual(ids)
    else {
      const slugs = new Set(rows.flatMap((row) => (tagged.has(row.event_id) ? [row.event_slug] : [])))
      expect(new Set(found.map((row) => row.event_slug))).toEqual(slugs)
    }
  })
})

test('200: the prices of a market are those of its tokens', async () => {
  const [row] = (await ask('/v3/markets/stats', { limit: 1 })).data
  expect(row.prices.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
    [0, 1]
      .map((outcome) => world.universe.catalogue.token(row.prices[outcome].token_id)?.of)
      .map((of, outcome) => (of?.kind === 'market' ? of.outcomes[outcome] : undefined)),
  )
  for (const { price, source } of row.prices) {
    expect(price).toBeGreaterThanOrEqual(0)
    expect(price).toBeLessThanOrEqual(1)
    expect(['settlement', 'clob_mid', 'last_fill']).toContain(source)
  }
})

test('200: the volume of a market is that of its candles', async () => {
  const { data } = await ask('/v3/markets/stats', { period: 'all', limit: 20 })
  for (const row of data as Row[]) {
    const path = `/v3/markets/condition/${row.condition_id}/candles`
    const { series } = await ask(path, { resolution: '1d', limit: 500 })
    const candles = series.flatMap((one: { candles: object[] }) => one.candles)
    const sum = (field: string) =>
      candles.reduce((total: number, candle: Record<string, number>) => {
        return total + Math.round((candle[field] ?? 0) * 1e6)
      }, 0)
    expect(sum('volume')).toBe(Math.round(row.volume_usd * 1e6))
    expect(sum('trades') / 1e6).toBe(row.trades)
  }
})

describe('the snapshot', () => {
  const { signal } = new AbortController()
  const refresh = (period: StatsPeriod) => refreshSnapshot(world.ctx.sql, period, world.clock.now(), signal)
  const versions = async () => {
    const rows = await world.ctx.sql<{ condition: string; xmin: string }[]>`
      select '0x' || encode(condition, 'hex') as condition, xmin::text
        from market_stats where period = '1d'`
    return new Map(rows.map(({ condition, xmin }) => [condition, xmin]))
  }

  test('is written only where it changed', async () => {
    const before = await versions()
    await refresh('1d')
    expect(await versions()).toEqual(before)

    const [condition = ''] = [...before.keys()]
    await world.ctx.sql`
      update market_stats set volume = volume + 1
       where period = '1d' and condition = decode(${condition.slice(2)}, 'hex')`
    await world.ctx.sql`update chain_state set epoch = epoch + 1`
    await refresh('1d')
    const after = await versions()
    const changed = [...after].filter(([key, xmin]) => before.get(key) !== xmin)
    expect(changed.map(([key]) => key)).toEqual([condition])
    expectModel(await readAll('/v3/markets/stats'), '/v3/markets/stats', modelOf('1d', 'condition'))
  })

  test('loses what the period no longer covers', async () => {
    const { sql } = world.ctx
    const now = world.clock.now()
    const refreshAt = async (hours: number) => {
      world.clock.set(now + hours * 3_600_000)
      await refresh('1d')
      return await readAll('/v3/markets/stats')
    }
    /** As if every second condition had been traded some hours earlier or later. */
    const shift = async (hours: number) => {
      const isOlder = sql`token in (select id from tokens where condition % 2 = 0)`
      await sql`update hour_candles set hour = hour + ${hours}::integer where ${isOlder}`
      await sql`
        update positions set filled_sec = filled_sec + ${hours * 3_600}::integer
         where ${isOlder} and filled_sec > 0`
      await sql`update chain_state set epoch = epoch + 1`
    }
    const rows = await readAll('/v3/markets/stats')
    const older = new Set(
      (
        await sql<{ id: string }[]>`
          select '0x' || encode(condition, 'hex') as id from conditions where id % 2 = 0`
      ).map(({ id }) => id),
    )
    const kept = rows.filter((row) => !older.has(row.condition_id))
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(rows.length)

    await shift(-5)
    for (const hours of [0, 18]) expect(await refreshAt(hours)).toEqual(rows)
    for (const hours of [19, 23]) expect(await refreshAt(hours)).toEqual(kept)
    const trades = (await readAll('/v3/events/stats')).reduce((sum, row) => sum + row.trades, 0)
    const inEvents = kept.filter((row) => row.event_slug !== null)
    expect(trades).toBe(inEvents.reduce((sum, row) => sum + row.trades, 0))
    expect(await refreshAt(24)).toEqual([])
    expect(await ask('/v3/markets/stats')).toMatchObject({ data: [], totals: { markets: 0 } })
    expect(await ask('/v3/events/stats')).toMatchObject({ data: [] })
    await shift(5)
    expect(await refreshAt(0)).toEqual(rows)
  })

  test('forgets a market whose only trades were in blocks that are gone', async () => {
    const { sql } = world.ctx
    const [row] = await sql<{ condition: string }[]>`
      select '0x' || encode(condition, 'hex') as condition
        from market_stats where period = '7d' order by last_seq desc limit 1`
    const condition = row?.condition ?? ''
    const isOf = sql`
      token in (select t.id from tokens t join conditions c on c.id = t.condition
                 where c.condition = decode(${condition.slice(2)}, 'hex'))`
    await sql`delete from hour_candles where ${isOf}`
    await refresh('7d')
    const ids = (await readAll('/v3/markets/stats', { period: '7d' })).map((one) => one.condition_id)
    expect(ids).not.toContain(condition)
    expect(ids.length).toBe(modelOf('7d', 'condition').size - 1)
  })

  test('503 while there is none, except for one market', async () => {
    const [row] = (await ask('/v3/markets/stats', { period: '30d', limit: 1 })).data
    await world.ctx.sql`delete from stats_snapshots where period = '30d'`
    for (const path of PATHS) {
      const reply = await world.get(path, { period: '30d' })
      expect(reply.statusCode).toBe(503)
      expect(reply.headers['retry-after']).toBe('10')
      expect(reply.json().error).toContain('condition_id')
    }
    const query = { period: '30d', condition_id: row.condition_id }
    expect((await ask('/v3/markets/stats', query)).data[0]).toEqual(row)
    await refresh('30d')
    await ask('/v3/markets/stats', { period: '30d' })
  })
})

test('the trades of takers, summed through the API, are the volume of every market', async () => {
  const readAll = async (path: string, name: string, query: object) => {
    const rows: Record<string, unknown>[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const reply = await world.get(path, { limit: 300, ...query, cursor })
      expect(reply.statusCode, reply.body).toBe(200)
      const page = reply.json()
      rows.push(...page[name])
      cursor = page.next_cursor
    }
    return rows
  }
  const markets = (await readAll('/v3/markets/stats', 'data', { period: 'all' })) as Row[]
  const trades = await readAll('/v3/trades', 'trades', { fills: 'taker' })
  expect(trades.every(({ is_taker_order: takes }) => takes === true)).toBe(true)
  const all = await readAll('/v3/trades', 'trades', {})
  expect(all.filter(({ is_taker_order: takes }) => takes === true)).toEqual(trades)
  const resting = await readAll('/v3/trades', 'trades', { fills: 'maker' })
  expect(resting.length + trades.length).toBe(all.length)

  const sums = new Map<unknown, { volume_usd: bigint; trades: number }>()
  for (const { condition_id: condition, amount_usd: usd } of trades) {
    const sum = sums.get(condition) ?? { volume_usd: 0n, trades: 0 }
    const millionths = BigInt(Math.round(Number(usd) * 1e6))
    sums.set(condition, { volume_usd: sum.volume_usd + millionths, trades: sum.trades + 1 })
  }
  expect(markets.length).toBeGreaterThan(50)
  expect(sums.size).toBe(markets.length)
  for (const { condition_id: condition, volume_usd, trades } of markets) {
    const sum = sums.get(condition) ?? expect.fail(`${condition} has no trades`)
    expect([decimal(sum.volume_usd), sum.trades], condition).toEqual([volume_usd, trades])
  }
})
