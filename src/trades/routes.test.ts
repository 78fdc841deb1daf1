import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'
import { isTakerOrder, type ModelFill, walletsByFills } from '../../test/trades/fill-model.js'
import {
  directionOf,
  expectTrades,
  idsOf,
  type ModelTrade,
  regroup,
  type TradeQuery,
} from '../../test/trades/trade-model.js'
import { toDecimal, toPrice } from '../core/money.js'

type Row = Record<string, unknown> & { id: string; role: string; direction: string }

let world: ApiWorld
let wallets: string[]
beforeAll(async () => {
  world = await openApiWorld()
  wallets = walletsByFills(world.fills)
})
afterAll(() => world.close())

const tradesOf = async (path: string, query: object): Promise<Row[]> => {
  const reply = await world.get(path, { limit: 300, ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json().trades
}

const walletPath = (wallet: string) => `/v3/wallets/${wallet}/trades`

const NEVER = fc.constant(undefined)

/** Filters that fit a fill, and some that hardly fit anything. */
function filtersOf(fill: ModelFill): fc.Arbitrary<TradeQuery> {
  const token = world.universe.catalogue.token(fill.token)
  const market = token?.of.kind === 'market' ? token.of : undefined
  const maybe = <T>(value: T) => fc.oneof(NEVER, NEVER, NEVER, fc.constant(value))
  const given = fill.isSell ? fill.shares : fill.usd
  return fc.record({
    side: fc.constantFrom('maker', 'taker', 'both', undefined),
    fills: fc.constantFrom('maker', 'taker', 'all', undefined, undefined),
    token_id: maybe(fill.token),
    condition_id: maybe(market?.conditionId),
    market_slug: maybe(market?.slug),
    event_slug: maybe(market?.event.slug),
    event_id: maybe(market === undefined ? undefined : Number(market.event.id)),
    order_hash: maybe(fill.orderHash),
    min_amount_usd: maybe(`${toDecimal(fill.usd)}`),
    min_amount: maybe(`${given}`),
    after: maybe(fill.timeSec - 300),
    before: maybe(fill.timeSec + 300),
    order: fc.constantFrom('asc', 'desc', undefined),
  })
}

const walletAndFilters = () =>
  fc.integer({ min: 0, max: 30 }).chain((index) => {
    const wallet = wallets[index] ?? ''
    const own = world.fills.filter(({ maker, taker }) => maker === wallet || taker === wallet)
    const filters = fc.constantFrom(...own).chain((fill) => filtersOf(fill))
    return fc.tuple(fc.constant(wallet), filters)
  })

describe('GET /v3/wallets/{address}/trades', () => {
  test('200: has the fills of the wallet that all filters leave, in order', async () => {
    await fc.assert(
      fc.asyncProperty(walletAndFilters(), async ([wallet, query]) => {
        const expected = expectTrades(world, wallet, query).slice(0, 300)
        const rows = await tradesOf(walletPath(wallet), query)
        expect(rows.map(({ id }) => id)).toEqual(idsOf(expected))
        expect(rows.map(({ role }) => role)).toEqual(expected.map(({ role }) => role))
        const directions = expected.map((row) => directionOf(row, world.fills))
        expect(rows.map(({ direction }) => direction)).toEqual(directions)
      }),
      { numRuns: 60 },
    )
  })

  test('200: every field of a row is that of its log and of its market', async () => {
    const isFirst = (fill: ModelFill, index: number, all: ModelFill[]) =>
      all.findIndex(({ isV1, isSell }) => isV1 === fill.isV1 && isSell === fill.isSell) === index
    for (const fill of world.fills.filter(({ isCombo }) => !isCombo).filter(isFirst)) {
      const [row] = await tradesOf(walletPath(fill.maker), { order_hash: fill.orderHash })
      expect(row).toEqual(expectedRow(fill))
    }
  })

  test('200: `sort_by=order_hash` puts the fills of an order side by side', async () => {
    await fc.assert(
      fc.asyncProperty(walletAndFilters(), async ([wallet, query]) => {
        const expected = expectTrades(world, wallet, query)
        const groups = regroup(expected, query.order ?? 'desc', ({ fill }) => fill.orderHash)
        const rows = await tradesOf(walletPath(wallet), { ...query, sort_by: 'order_hash' })
        expect(rows.map(({ id }) => id)).toEqual(idsOf(groups.flat()).slice(0, 300))
      }),
      { numRuns: 30 },
    )
  })

  test('200: `group_by=order_hash` adds up the fills of each order', async () => {
    await fc.assert(
      fc.asyncProperty(walletAndFilters(), async ([wallet, query]) => {
        const side = query.side === 'taker' ? 'taker' : 'maker'
        const expected = expectTrades(world, wallet, { ...query, side })
        const groups = regroup(expected, query.order ?? 'desc', ({ fill }) => fill.orderHash)
        const rows = await tradesOf(walletPath(wallet), { ...query, group_by: 'order_hash' })
        expect(rows).toMatchObject(groups.slice(0, 300).map(expectedOrder))
      }),
      { numRuns: 30 },
    )
  })

  test('200: `group_by=user_trade` adds up what a wallet did in one transaction', async () => {
    await fc.assert(
      fc.asyncProperty(walletAndFilters(), async ([wallet, query]) => {
        const expected = expectTrades(world, wallet, { ...query, side: 'maker' })
        const keyOf = ({ fill }: ModelTrade) => `${fill.txHash} ${fill.token} ${fill.isSell}`
        const groups = regroup(expected, query.order ?? 'desc', keyOf)
        const grouped = { ...query, side: 'maker', group_by: 'transaction_hash' }
        const rows = await tradesOf(walletPath(wallet), grouped)
        expect(rows).toMatchObject(groups.slice(0, 300).map(expectedUserTrade))
      }),
      { numRuns: 20 },
    )
  })

  test('200: `include_combos=true` adds combos, which no other list has', async () => {
    const combos = world.fills.filter(({ isCombo }) => isCombo)
    const [{ maker, taker } = combos[0] ?? expect.fail()] = combos
    for (const wallet of [maker, taker]) {
      const reply = (await world.get(walletPath(wallet), { include_combos: true })).json()
      const own = combos.filter((fill) => fill.maker === wallet || fill.taker === wallet)
      expect(reply).toMatchObject({
        include_combos: true,
        included_position_types: ['market', 'combo'],
        combo_trade_count: own.length,
        combo_has_more: false,
        combo_source: 'v3.wallet_combos.trades',
        combo_trades: own.reverse().map((fill) => ({
          position_id: fill.token,
          wallet_role: fill.maker === wallet ? 'maker' : 'taker',
          wallet_address: wallet,
          counterparty_address: fill.maker === wallet ? fill.taker : fill.maker,
          side: fill.isSell ? 'SELL' : 'BUY',
          price: toPrice(fill.usd, fill.shares).toFixed(4),
          size: toDecimal(fill.shares).toFixed(6),
          is_taker_order: isTakerOrder(fill),
          log_index: fill.logIndex,
          block_number: fill.block,
        })),
      })
    }
  })

  test('200: a wallet without combos has an empty list of them', async () => {
    const reply = await world.get(walletPath(`0x${'9'.repeat(40)}`), { include_combos: true })
    expect(reply.json()).toMatchObject({ trades: [], combo_trades: [], combo_trade_count: 0 })
  })

  test.each([
    ['an order of combos', { include_combos: true, order_hash: `0x${'1'.repeat(64)}` }],
    ['combos in another format than JSON', { include_combos: true, format: 'csv' }],
  ])('400: %s', async (_what, query) => {
    const reply = await world.get(walletPath(wallets[0] ?? ''), query)
    expect(reply.statusCode).toBe(400)
  })
})

describe('GET /v3/markets/{token_id}/trades', () => {
  const tokenAndFilters = () =>
    fc
      .constantFrom(...world.fills.filter(({ isCombo }) => !isCombo))
      .chain((fill) => fc.tuple(fc.constant(fill.token), filtersOf(fill)))
      .map(([token, { order, fills, order_hash, min_amount_usd, after, before }]) => {
        const query: TradeQuery = { order, fills, order_hash, min_amount_usd, after, before }
        return [token, query] as const
      })

  test('200: has the fills of the token from the side of their owners', async () => {
    await fc.assert(
      fc.asyncProperty(tokenAndFilters(), async ([token, query]) => {
        const expected = expectTrades(world, undefined, { ...query, token_id: token })
        const rows = await tradesOf(`/v3/markets/${token}/trades`, query)
        expect(rows.map(({ id }) => id)).toEqual(idsOf(expected).slice(0, 300))
        expect(new Set(rows.map(({ role }) => role))).toEqual(new Set(rows.length > 0 ? ['maker'] : []))

        const groups = regroup(expected, query.order ?? 'desc', ({ fill }) => fill.orderHash)
        const sorted = await tradesOf(`/v3/markets/${token}/trades`, {
          ...query,
          sort_by: 'order_hash',
        })
        expect(sorted.map(({ id }) => id)).toEqual(idsOf(groups.flat()).slice(0, 300))
        const orders = await tradesOf(`/v3/markets/${token}/trades`, {
          ...query,
          group_by: 'order_hash',
        })
        expect(orders).toMatchObject(groups.slice(0, 300).map(expectedOrder))
      }),
      { numRuns: 20 },
    )
  })
})

describe('GET /v3/markets/slug/{slug}/trades', () => {
  test('200: has the fills of all outcomes of the market', async () => {
    const slugs = new Set(world.fills.flatMap(({ token }) => marketOf(token)?.slug ?? []))
    for (const slug of [...slugs].slice(0, 25)) {
      const reply = (await world.get(`/v3/markets/slug/${slug}/trades`, { limit: 300 })).json()
      const expected = expectTrades(world, undefined, { market_slug: slug })
      expect(reply.slug).toBe(slug)
      expect(reply.trades.map(({ id }: Row) => id)).toEqual(idsOf(expected).slice(0, 300))
      const orders = await tradesOf(`/v3/markets/slug/${slug}/trades`, { group_by: 'order_hash' })
      const groups = regroup(expected, 'desc', ({ fill }) => fill.orderHash)
      expect(orders).toMatchObject(groups.slice(0, 300).map(expectedOrder))
    }
  })
})

describe('GET /v3/trades', () => {
  const queries = () =>
    fc.constantFrom(...world.fills.filter(({ isCombo }) => !isCombo)).chain((fill) =>
      fc.record({
        filters: filtersOf(fill),
        side: fc.constantFrom(undefined, 'buy', 'sell', '0', '1'),
        builder: fc.constantFrom(undefined, undefined, builderOf(fill)),
      }),
    )

  test('200: has the fills that all filters leave, from the side of their owners', async () => {
    await fc.assert(
      fc.asyncProperty(queries(), async ({ filters: { side: _, ...filters }, side, builder }) => {
        const isSell = side === undefined ? undefined : side === 'sell' || side === '1'
        const expected = expectTrades(world, undefined, { ...filters, isSell, builder })
        const query = { ...filters, side, builder: builder?.toUpperCase().slice(2) }
        const rows = await tradesOf('/v3/trades', query)
        expect(rows.map(({ id }) => id)).toEqual(idsOf(expected).slice(0, 300))

        const groups = regroup(expected, filters.order ?? 'desc', ({ fill }) => fill.orderHash)
        const sorted = await tradesOf('/v3/trades', { ...query, sort_by: 'order_hash' })
        expect(sorted.map(({ id }) => id)).toEqual(idsOf(groups.flat()).slice(0, 300))
        const orders = await tradesOf('/v3/trades', { ...query, group_by: 'order_hash' })
        expect(orders).toMatchObject(groups.slice(0, 300).map(expectedOrder))
      }),
      { numRuns: 40 },
    )
  })

  test('200: filters that contradict each other leave nothing', async () => {
    const [first = expect.fail(), ...others] = world.fills.filter(({ token }) => marketOf(token))
    const other = others.find(({ token }) => marketOf(token) !== marketOf(first.token))
    const query = { token_id: first.token, market_slug: marketOf(other?.token ?? '')?.slug }
    expect(await tradesOf('/v3/trades', query)).toEqual([])
    expect(await tradesOf('/v3/trades', { builder: '12'.repeat(32) })).toEqual([])
  })

  test.each([
    ['`after` later than `before`', { after: 1_793_000_000, before: 1_792_999_999 }, 'after'],
    ['zeros, which stand for no builder', { builder: `0x${'0'.repeat(64)}` }, 'builder'],
    ['a side of a wallet', { side: 'maker' }, 'side'],
  ])('400: %s', async (_what, query, name) => {
    const reply = await world.get('/v3/trades', query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})

describe('GET /v3/wallets/{address}/fees-paid', () => {
  test('200: has the fills that cost the wallet a fee, with their sum', async () => {
    for (const wallet of wallets.slice(0, 20)) {
      const trades = expectTrades(world, wallet, { side: 'maker' })
      const charged = trades.map(({ fill }) => fill).filter(({ fee }) => fee > 0n)
      const shown = charged.slice(0, 5)
      const reply = (await world.get(`/v3/wallets/${wallet}/fees-paid`, { limit: 5 })).json()
      expect(reply).toMatchObject({
        address: wallet,
        has_more: charged.length > 5,
        page_total_fees_paid: toDecimal(shown.reduce((sum, { fee }) => sum + fee, 0n)),
        after: '0',
        before: '9999999999',
      })
      expect(reply.fees).toEqual(
        shown.map((fill) => ({
          ...expectedRow(fill),
          fee_paid: toDecimal(fill.fee),
          fee_paid_raw: `${fill.fee}`,
          source: 'wallet_fees_paid',
        })),
      )
    }
  })

  test('200: bounds far in the future count as none', async () => {
    const [wallet = ''] = wallets
    const query = { before: 9_999_999_999, limit: 3 }
    const reply = (await world.get(`/v3/wallets/${wallet}/fees-paid`, query)).json()
    const open = (await world.get(`/v3/wallets/${wallet}/fees-paid`, { limit: 3 })).json()
    expect(reply.fees).toEqual(open.fees)
  })
})

/** `undefined`: the catalogue of the test lacks it. */
function marketOf(token: string) {
  const of = world.universe.catalogue.token(token)?.of
  return of?.kind === 'market' && Number(of.event.id) % 4 !== 0 ? of : undefined
}

/** `undefined`: the fill has none. */
const builderOf = ({ builder }: ModelFill): string | undefined =>
  /^0x0+$/.test(builder) ? undefined : builder

function expectedRow(fill: ModelFill) {
  const { usd, shares } = fill
  const [money, tokens] = [toDecimal(usd), toDecimal(shares)]
  return {
    id: `${fill.txHash}_${fill.orderHash}_${fill.logIndex}`,
    maker: fill.maker,
    taker: fill.taker,
    maker_asset_id: fill.isSell ? fill.token : '0',
    taker_asset_id: fill.isSell ? '0' : fill.token,
    maker_amount: fill.isSell ? tokens : money,
    taker_amount: fill.isSell ? money : tokens,
    amount_usd: money,
    token_id: fill.token,
    asset: fill.token,
    size: tokens,
    amount: tokens,
    fee: toDecimal(fill.fee),
    price: toPrice(usd, shares),
    timestamp: `${fill.timeSec}`,
    transaction_hash: fill.txHash,
    order_hash: fill.orderHash,
    builder: fill.builder,
    side: fill.isV1 ? null : fill.isSell ? 1 : 0,
    role: 'maker',
    direction: fill.isSell ? 'SELL' : 'BUY',
    is_taker_order: isTakerOrder(fill),
    ...expectedMarket(fill),
  }
}

function expectedMarket({ token }: ModelFill) {
  const { of: market, outcome } = world.universe.catalogue.token(token) ?? expect.fail()
  if (market.kind !== 'market') throw new Error('combos have no market')
  const isKnown = Number(market.event.id) % 4 !== 0
  return {
    market: isKnown ? market.question : null,
    slug: isKnown ? market.slug : null,
    outcome: isKnown ? market.outcomes[outcome] : null,
    outcome_index: outcome,
    image: !isKnown ? null : expect.stringMatching(/^https:/),
    condition_id: market.conditionId,
    event_slug: isKnown ? market.event.slug : null,
    event_id: isKnown ? Number(market.event.id) : null,
  }
}

const sumOf = (group: readonly ModelTrade[], pick: (fill: ModelFill) => bigint): bigint =>
  group.reduce((sum, { fill }) => sum + pick(fill), 0n)

function expectedOrder(group: readonly ModelTrade[]) {
  const [usd, shares] = [sumOf(group, (fill) => fill.usd), sumOf(group, (fill) => fill.shares)]
  const given = sumOf(group, (fill) => (fill.isSell ? fill.shares : fill.usd))
  const received = sumOf(group, (fill) => (fill.isSell ? fill.usd : fill.shares))
  const times = group.map(({ fill }) => fill.timeSec)
  return {
    order_hash: group[0]?.fill.orderHash,
    fill_count: group.length,
    avg_price: toPrice(usd, shares),
    total_amount_usd: toDecimal(usd),
    total_usd: toDecimal(usd),
    total_shares: toDecimal(shares),
    total_fee: toDecimal(sumOf(group, (fill) => fill.fee)),
    total_maker_amount: toDecimal(given),
    total_taker_amount: toDecimal(received),
    first_fill_at: Math.min(...times),
    last_fill_at: Math.max(...times),
    timestamp: `${Math.max(...times)}`,
    tx_hashes: [...new Set(group.map(({ fill }) => fill.txHash))].sort(),
    maker: group[0]?.fill.maker,
    is_taker_order: group.every(({ fill }) => isTakerOrder(fill))
      ? true
      : group.some(({ fill }) => isTakerOrder(fill))
        ? null
        : false,
  }
}

function expectedUserTrade(group: readonly ModelTrade[]) {
  const [usd, shares] = [sumOf(group, (fill) => fill.usd), sumOf(group, (fill) => fill.shares)]
  return {
    transaction_hash: group[0]?.fill.txHash,
    token_id: group[0]?.fill.token,
    size: toDecimal(shares),
    amount_usd: toDecimal(usd),
    fee: toDecimal(sumOf(group, (fill) => fill.fee)),
    price: toPrice(usd, shares),
    is_taker_order: group.every(({ fill }) => isTakerOrder(fill)),
  }
}
