import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inlineReferences } from '../../../demo/inline-references.js'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { explainRequest, scansOf } from '../../../test/explained/explain-request.js'
import { asDuckdbText, duckdbText, parseCsv, readParquet, readWithDuckdb } from '../../../test/read-rows.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { byPlace, isTakerOrder, type ModelFill, walletsByFills } from '../../../test/trades/fill-model.js'
import { toTokenId } from '../../core/ids.js'
import { createPool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { preferIndexOrder, selectExport } from './queries.js'
import { tradeExportRoutes } from './routes.js'
import type { ExportLimits } from './stream-export.js'

const WALLETS = 100
/** How many trades are read as Parquet too. */
const PARQUET_TRADES = 300
const PARQUET_TYPES = {
  tx_hash: 'VARCHAR',
  token_id: 'VARCHAR',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  price: 'DECIMAL(18,6)',
  shares: 'DECIMAL(18,6)',
  usd: 'DECIMAL(18,6)',
  fee: 'DECIMAL(18,6)',
}

let world: ApiWorld
let wallets: string[]
beforeAll(async () => {
  world = await openApiWorld()
  wallets = walletsByFills(world.fills)
})
afterAll(() => world.close())

const pathOf = (wallet: string) => `/v2/onchain/wallets/${wallet}/trades/all`
const busiest = () => wallets[0] ?? ''
const nowSec = () => Math.floor(world.clock.now() / 1000)

const ask = async (wallet: string, query: object = {}, headers: object = {}) => {
  const reply = await world.get(pathOf(wallet), { to: nowSec(), ...query }, headers)
  expect(reply.statusCode, reply.body.slice(0, 300)).toBe(200)
  return reply
}

/** What the chain says of a wallet, the newest first. */
function expectFills(wallet: string, view: 'all' | 'own'): object[] {
  const isWanted = (fill: ModelFill) => {
    if (fill.isCombo) return false
    if (view === 'own') return fill.maker === wallet
    return !isTakerOrder(fill) && (fill.maker === wallet || fill.taker === wallet)
  }
  return newestFirst(isWanted).map((fill) => ({ ...toTrade(fill), ...ownSide(fill, wallet) }))
}

const newestFirst = (isWanted: (fill: ModelFill) => boolean) =>
  world.fills.filter(isWanted).sort(byPlace).reverse()

/** What the wallet itself does: what its own order of the transaction says. */
function ownSide(fill: ModelFill, wallet: string) {
  const isOfWallet = (other: ModelFill) =>
    other.txHash === fill.txHash && other.maker === wallet && isTakerOrder(other)
  const order = fill.maker === wallet ? fill : world.fills.find(isOfWallet)
  return {
    own_token_id: order?.token ?? fill.token,
    own_side: (order === undefined ? !fill.isSell : order.isSell) ? 'SELL' : 'BUY',
    own_size: Number(fill.shares) / 1e6,
  }
}

const toTrade = (fill: ModelFill) => ({
  tx_hash: fill.txHash,
  order_hash: fill.orderHash,
  timestamp: fill.timeSec,
  maker: fill.maker,
  taker: fill.taker,
  token_id: fill.token,
  direction: fill.isSell ? 'SELL' : 'BUY',
  price: Number((fill.usd * 20_000n + fill.shares) / (2n * fill.shares)) / 10_000,
  shares: Number(fill.shares) / 1e6,
  usd: Number(fill.usd) / 1e6,
  fee: Number(fill.fee) / 1e6,
  is_taker_order: isTakerOrder(fill),
})

describe('GET /v2/onchain/wallets/{address}/trades/all', () => {
  test.each(['all', 'own'] as const)(
    `200: has the fills of the chain for ${WALLETS} wallets, as JSON and as Parquet: view=%s`,
    async (view) => {
      let trades = 0
      for (const wallet of wallets.slice(0, WALLETS)) {
        const expected = expectFills(wallet, view)
        const body = (await ask(wallet, { view })).json()
        expect(body.trades).toEqual(expected)
        expect(body.count).toBe(expected.length)
        if (trades < PARQUET_TRADES) {
          const { rawPayload } = await ask(wallet, { view, format: 'parquet' })
          const { types, rows } = await readWithDuckdb(rawPayload)
          const inTypes = (row: object) =>
            Object.entries(row).map(([name, value]) => asDuckdbText(value, types[name] ?? ''))
          expect(rows.map((row) => Object.values(row).map(duckdbText))).toEqual(expected.map(inTypes))
          expect(types).toMatchObject(PARQUET_TYPES)
        }
        trades += expected.length
      }
      expect(trades).toBeGreaterThan(5 * WALLETS)
    },
  )

  test('200: its fields stand in the documented order, trades last', async () => {
    const from = nowSec() - 1_200
    const wallet = busiest().toUpperCase().replace('0X', '0x')
    const body = (await ask(wallet, { from })).json()
    const { trades, ...head } = body
    expect(Object.keys(body)).toEqual([
      'wallet',
      'from_ts',
      'to_ts',
      'count',
      'partial',
      'partial_reason',
      'fetched_in_ms',
      'cache',
      'trades',
    ])
    expect(head).toEqual({
      wallet: busiest(),
      from_ts: from,
      to_ts: nowSec(),
      count: trades.length,
      partial: false,
      partial_reason: null,
      fetched_in_ms: expect.any(Number),
      cache: 'miss',
    })
    const document = inlineReferences((await world.app.inject('/openapi.json')).json())
    const { get } = document.paths['/v2/onchain/wallets/{address}/trades/all']
    const validate = new Ajv({ strict: false }).compile(
      get.responses['200'].content['application/json'].schema,
    )
    validate(body)
    expect(validate.errors).toBeNull()
  })

  test('200: both ends of the window are included', async () => {
    const all = (await ask(busiest())).json().trades as { timestamp: number }[]
    const [from, to] = [all.at(-3)?.timestamp ?? 0, all[2]?.timestamp ?? 0]
    const { trades } = (await ask(busiest(), { from, to })).json()
    expect(trades).toEqual(all.filter(({ timestamp }) => timestamp >= from && timestamp <= to))
    expect(trades.length).toBeLessThan(all.length)
  })

  test('200: the default window is from 2024 to now', async () => {
    const reply = await world.get(pathOf(busiest()))
    expect(reply.json()).toMatchObject({ from_ts: 1_704_067_200, to_ts: nowSec() })
  })

  test('200: CSV and NDJSON have the trades of JSON, and headers in place of fields', async () => {
    const expected = expectFills(busiest(), 'all') as Record<string, unknown>[]
    const ndjson = await ask(busiest(), {}, { accept: 'application/x-ndjson' })
    const lines = ndjson.body.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(expected)
    expect(ndjson.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'x-rows-returned': `${expected.length}`,
      'x-partial': 'false',
      'x-cache': 'miss',
      vary: 'accept, accept-encoding',
    })
    const csv = await ask(busiest(), { format: 'csv' })
    const [columns = [], ...cells] = parseCsv(csv.body)
    expect(columns).toEqual(Object.keys(expected[0] ?? {}))
    expect(cells).toEqual(expected.map((trade) => Object.values(trade).map(String)))
  })

  test.each(['json', 'csv', 'ndjson', 'parquet'])('200: a wallet without trades, as %s', async (format) => {
    const reply = await ask(`0x${'ab'.repeat(20)}`, { format })
    if (format === 'json') expect(reply.json()).toMatchObject({ count: 0, trades: [] })
    if (format === 'csv')
      expect(reply.body).toMatch(/^tx_hash,.*,fee,is_taker_order,own_token_id,own_side,own_size\r\n$/)
    if (format === 'ndjson') expect(reply.body).toBe('')
    if (format === 'parquet') expect(await readParquet(reply.rawPayload)).toEqual([])
  })

  test('200: an answer is kept for five minutes by wallet, window, view and format', async () => {
    const query = { from: nowSec() - 1_800, to: nowSec() - 7 }
    const first = (await ask(busiest(), query)).json()
    expect(first.cache).toBe('miss')
    expect((await ask(busiest(), query)).json()).toEqual({ ...first, cache: 'hit' })
    for (const other of [{ view: 'own' }, { from: query.from + 1 }, { to: query.to - 1 }]) {
      expect((await ask(busiest(), { ...query, ...other })).json().cache).toBe('miss')
    }
    const csv = { ...query, format: 'csv' }
    expect((await ask(busiest(), csv)).headers['x-cache']).toBe('miss')
    expect((await ask(busiest(), csv)).headers['x-cache']).toBe('hit')
    world.clock.set(world.clock.now() + 5 * 60_000 + 1)
    expect((await ask(busiest(), query)).json().cache).toBe('miss')
  })

  test('200: a compressed answer has the same trades', async () => {
    const reply = await ask(busiest(), {}, { 'accept-encoding': 'gzip' })
    expect(reply.headers['content-encoding']).toBe('gzip')
    const { trades } = JSON.parse(gunzipSync(reply.rawPayload).toString())
    expect(trades).toEqual(expectFills(busiest(), 'all'))
  })

  test.each([
    { of: 'wallet', wallet: 7, view: 'all' },
    { of: 'wallet', wallet: 7, view: 'own' },
    { of: 'tokens', tokens: [7], fills: 'maker' },
    { of: 'all', fills: 'maker' },
  ] as const)('reads rows in the order of indexes: %j', async (subject) => {
    const scope = { subject, min: 0, until: Number.MAX_SAFE_INTEGER }
    const plan = await transact(world.database.sql, async (tx) => {
      await preferIndexOrder(tx)
      return await tx`explain ${selectExport(tx, scope, 1_000)}`
    })
    const text = plan.map((line) => Object.values(line).join()).join('\n')
    expect(text).toMatch('Index Scan Backward')
    expect(text).not.toMatch(/Sort {2}|Bitmap|Seq Scan on fills|Hash/)
  })

  test('200: HEAD has no body', async () => {
    const url = pathOf(busiest())
    const reply = await world.app.inject({
      method: 'HEAD',
      url,
      headers: { 'x-api-key': world.key, accept: 'text/csv' },
    })
    expect(reply).toMatchObject({ statusCode: 200, body: '' })
    expect(reply.headers['content-type']).toContain('text/csv')
  })

  test.each([
    ['a malformed address', '0x12', {}, 'address'],
    ['an address that is no hex', `0x${'zz'.repeat(20)}`, {}, 'address'],
    ['a time that is no integer', '', { from: '1.5' }, 'from'],
    ['a time that is no number', '', { to: 'now' }, 'to'],
    ['an empty time', '', { to: '' }, 'to'],
    ['a time before 1970', '', { from: -1 }, 'from'],
    ['a window that ends before it begins', '', { from: 2_000, to: 1_999 }, 'from'],
    ['a window that ends before the default beginning', '', { to: 1_704_067_199 }, 'to'],
    ['a window in the future', '', { from: 9_999_999_998, to: 9_999_999_999 }, 'from'],
    ['a beginning in the future', '', { from: 9_999_999_999 }, 'from'],
    ['an unknown view', '', { view: 'mine' }, 'view'],
    ['an unknown format', '', { format: 'xml' }, 'format'],
  ])('400: %s', async (_why, wallet, query, named) => {
    const reply = await world.get(pathOf(wallet === '' ? busiest() : wallet), query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(named)
  })

  test.each(['from', 'to'])('400: a time in milliseconds, with a hint: %s', async (name) => {
    const reply = await world.get(pathOf(busiest()), { [name]: 1_793_000_000_123 })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      error: expect.stringContaining(name),
      hint: `${name}=1793000000`,
    })
  })

  test.each(['free', 'starter'] as const)('403 on the %s plan', async (plan) => {
    const { key } = await world.createCaller(plan)
    const reply = await world.app.inject({
      url: pathOf(busiest()),
      headers: { 'x-api-key': key },
    })
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toEqual({ error: expect.stringMatching(`growth.*${plan}`) })
  })

  test('200 on the growth plan, 401 without a key', async () => {
    const { key } = await world.createCaller('growth')
    const url = pathOf(busiest())
    const reply = await world.app.inject({ url, headers: { 'x-api-key': key } })
    expect(reply.statusCode).toBe(200)
    expect((await world.app.inject(url)).statusCode).toBe(401)
  })
})

describe('GET /v3/…/trades/all', () => {
  const marketOf = (token: string) => {
    const of = world.universe.catalogue.token(token)?.of
    return of?.kind === 'market' && Number(of.event.id) % 4 !== 0 ? of : undefined
  }
  /** A fill of a market that the catalogue has. */
  const sample = () => {
    const fill = world.fills.find(({ token, isCombo }) => !isCombo && marketOf(token))
    const market = marketOf(fill?.token ?? '')
    if (fill === undefined || market === undefined) throw new Error('no market was traded')
    return { fill, market }
  }
  const isOfEvent = ({ token }: ModelFill) => marketOf(token)?.event.id === sample().market.event.id
  const isOfMarket = ({ token }: ModelFill) => marketOf(token)?.slug === sample().market.slug
  const conditionOf = async () => {
    const [row] = await world.ctx.sql<{ condition: string }[]>`
      select '0x' || encode(condition, 'hex') as condition from markets
       where slug = ${sample().market.slug}`
    return row?.condition ?? ''
  }
  const today = () => new Date(world.clock.now()).toISOString().slice(0, 10)
  const get = async (path: string, query: object = {}) => {
    const reply = await world.get(path, { ...query })
    expect(reply.statusCode, reply.body.slice(0, 300)).toBe(200)
    return reply
  }

  const PATHS: [string, () => string | Promise<string>, (fill: ModelFill) => boolean][] = [
    ['token', () => `markets/${sample().fill.token}`, ({ token }) => token === sample().fill.token],
    ['slug', () => `markets/slug/${sample().market.slug}`, isOfMarket],
    ['condition', async () => `markets/condition/${await conditionOf()}`, isOfMarket],
    ['event', () => `events/${sample().market.event.slug}`, isOfEvent],
  ]

  test.each(PATHS)('200: has the fills of the chain of one %s', async (_kind, subjectPath, isWanted) => {
    const path = `/v3/${await subjectPath()}/trades/all`
    for (const fills of ['maker', 'taker', 'all']) {
      const expected = newestFirst((fill) => {
        const isKind = fills === 'all' || isTakerOrder(fill) === (fills === 'taker')
        return !fill.isCombo && isKind && isWanted(fill)
      }).map(toTrade)
      const body = (await get(path, { fills })).json()
      expect(body.trades).toEqual(expected)
      expect(body).toMatchObject({ count: expected.length, partial: false })
      expect(expected.length).toBeGreaterThan(0)
    }
  })

  test('200: has the fills of a tag', async () => {
    const [tag] = await world.ctx.sql<{ slug: string; tokens: string[] }[]>`
      select t.slug, array_agg('0x' || encode(mt.token, 'hex')) as tokens
        from tags t join event_tags et on et.tag = t.id join markets m on m.event = et.event
        join market_tokens mt on mt.market = m.id
       where t.slug is not null group by t.id, t.slug order by count(*) desc limit 1`
    const tokens = new Set(tag?.tokens.map((token) => toTokenId(token)))
    const expected = newestFirst(
      (fill) => !fill.isCombo && !isTakerOrder(fill) && tokens.has(fill.token),
    ).map(toTrade)
    expect(expected.length).toBeGreaterThan(10)
    const path = `/v3/tags/${tag?.slug}/trades/all`
    expect((await get(path)).json().trades).toEqual(expected)

    // The database has no statistics yet, as that of a service that has just caught up.
    const [{ count = 0 } = {}] = await world.ctx.sql`select count(*)::integer from markets`
    const scans = (await explainRequest(world, world.database.sql, path, { from: 1 })).flatMap(scansOf)
    const ofMarkets = scans.filter(({ relation }) => relation === 'markets')
    expect(ofMarkets.length).toBeGreaterThan(0)
    for (const { rows } of ofMarkets) expect(rows).toBeLessThanOrEqual(count)
  })

  test('200: has all fills of a day, in every format, and a part of it', async () => {
    const startSec = Date.parse(today()) / 1000
    const isOfToday = ({ timeSec }: ModelFill) => timeSec >= startSec
    const expected = newestFirst((fill) => !fill.isCombo && !isTakerOrder(fill) && isOfToday(fill)).map(
      toTrade,
    )
    expect(expected.length).toBeGreaterThan(100)
    expect(expected.length).toBeLessThan(world.fills.length)
    const body = (await get('/v3/trades/all', { date: today() })).json()
    expect(body).toMatchObject({ date: today(), count: expected.length, partial: false })
    expect(body.trades).toEqual(expected)
    const csv = await get('/v3/trades/all', { date: today(), format: 'csv' })
    expect(parseCsv(csv.body).length).toBe(expected.length + 1)
    const parquet = await get('/v3/trades/all', { date: today(), format: 'parquet' })
    expect((await readParquet(parquet.rawPayload)).length).toBe(expected.length)
    const to = expected[10]?.timestamp ?? 0
    const part = (await get('/v3/trades/all', { date: today(), to })).json().trades
    expect(part).toEqual(expected.filter(({ timestamp }) => timestamp <= to))
  })

  test.each(['markets/slug/none', 'events/none', 'tags/none', 'markets/12'])(
    '200: no trades of what does not exist: %s',
    async (subjectPath) => {
      const body = (await get(`/v3/${subjectPath}/trades/all`)).json()
      expect(body).toMatchObject({ count: 0, partial: false, trades: [] })
    },
  )

  test.each([
    ['no date', {}, 'date'],
    ['a date that is none', { date: '2026-02-30' }, 'date'],
    ['a malformed date', { date: 'today' }, 'date'],
    ['a date in the future', { date: '2099-01-01' }, 'date'],
    ['a time outside of the date', { date: '2026-11-14', from: 1_700_000_000 }, 'date'],
    ['unknown fills', { date: '2026-11-14', fills: 'mine' }, 'fills'],
  ])('400: %s', async (_why, query, named) => {
    const reply = await world.get('/v3/trades/all', query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(named)
  })

  test('403 below the growth plan', async () => {
    const { key } = await world.createCaller('starter')
    const url = `/v3/trades/all?date=${today()}`
    expect((await world.app.inject({ url, headers: { 'x-api-key': key } })).statusCode).toBe(403)
  })
})

describe('an export with lower limits', () => {
  const apps: TestApp[] = []
  afterAll(() => Promise.all(apps.map(({ app }) => app.close())))

  /** Another service on the same database. */
  async function openWith(limits: Partial<ExportLimits>) {
    const database = { ...world.database, drop: async () => undefined }
    const t = await createTestApp({ database, routes: (ctx) => [tradeExportRoutes(ctx, { ...ctx, limits })] })
    apps.push(t)
    t.clock.set(world.clock.now())
    const { key } = await t.createCaller('enterprise')
    const get = (query = '') =>
      t.app.inject({ url: `${pathOf(busiest())}?${query}`, headers: { 'x-api-key': key } })
    return { ...t, key, get }
  }

  /** Nothing reads fills until `unlock` is called. */
  async function lockFills() {
    const pool = createPool(world.target, 1)
    await pool.unsafe('begin; lock table fills in access exclusive mode')
    const unlock = async () => {
      await pool.unsafe('rollback')
      await pool.end()
    }
    return { unlock }
  }

  test('has the newest trades up to the hard cap, and is not kept', async () => {
    const t = await openWith({ tradesMax: 20 })
    for (const _turn of [1, 2]) {
      const body = (await t.get(`to=${nowSec()}`)).json()
      expect(body).toMatchObject({
        count: 20,
        partial: true,
        partial_reason: 'hard_cap_250000',
        cache: 'miss',
        trades: expectFills(busiest(), 'all').slice(0, 20),
      })
    }
    const csv = await t.get(`to=${nowSec()}&format=csv`)
    expect(csv.headers).toMatchObject({
      'x-partial': 'true',
      'x-partial-reason': 'hard_cap_250000',
      'x-rows-returned': '20',
    })
  })

  test('is kept with as few others as the limit says', async () => {
    const t = await openWith({ keptMax: 2 })
    const caches: string[] = []
    for (const from of [1, 2, 3, 3, 1]) caches.push((await t.get(`from=${from}`)).json().cache)
    expect(caches).toEqual(['miss', 'miss', 'miss', 'hit', 'miss'])
  })

  test('has as many trades as the cap allows, and is whole', async () => {
    const all = expectFills(busiest(), 'all')
    const t = await openWith({ tradesMax: all.length })
    const body = (await t.get(`to=${nowSec()}`)).json()
    expect(body).toMatchObject({ count: all.length, partial: false, trades: all })
  })

  test('says so when the time was over before all trades were found, and is not kept', async () => {
    const t = await openWith({ budgetMs: 100 })
    const lock = await lockFills()
    const body = (await t.get(`to=${nowSec()}`)).json()
    expect(body).toMatchObject({ count: 0, partial: true, partial_reason: 'wall_clock_180s', trades: [] })
    await lock.unlock()
    expect((await t.get(`to=${nowSec()}`)).json()).toMatchObject({ cache: 'miss', partial: false })
  })

  test('is read once for all requests that come while it is made', async () => {
    const t = await openWith({})
    const lock = await lockFills()
    const replies = Promise.all([t.get(), t.get(), t.get()])
    await untilWaiting(1)
    await lock.unlock()
    const bodies = (await replies).map((reply) => reply.json())
    expect(bodies[0].count).toBeGreaterThan(0)
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
  })

  test('stops its query when the client leaves, and starts again for the next one', async () => {
    const t = await openWith({})
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    const lock = await lockFills()
    const { port } = t.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${pathOf(busiest())} HTTP/1.1\r\nhost: a\r\nx-api-key: ${t.key}\r\n\r\n`)
    await untilWaiting(1)
    // The answer has begun before the trades are counted.
    const [begun] = await once(socket, 'data')
    expect(String(begun)).toContain('HTTP/1.1 200')
    socket.destroy()
    await untilWaiting(0)
    await lock.unlock()
    expect((await t.get()).json()).toMatchObject({ cache: 'miss', partial: false })
  })

  /** Until this many queries of trades wait for the lock. */
  const untilWaiting = (count: number) =>
    vi.waitFor(
      async () => {
        const [row] = await world.ctx.sql<{ count: number }[]>`
          select count(*)::integer from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'
             and query like '%fills where wallet%'`
        expect(row?.count).toBe(count)
      },
      { timeout: 60_000, interval: 5 },
    )
})
