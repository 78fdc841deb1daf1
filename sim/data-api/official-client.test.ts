import {
  createPublicClient,
  forkEnvironmentConfig,
  OrderSide,
  type Paginated,
  PriceHistoryInterval,
} from '@polymarket/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClobHost } from '../clob/host.js'
import { createGammaHost } from '../gamma/host.js'
import { isBet } from '../markets/names.js'
import { createRfqHost } from '../rfq/host.js'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { type Act, type Fill, isV1 } from '../universe/acts.js'
import { takesOrders } from '../universe/books.js'
import type { Market, Token } from '../universe/market.js'
import { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { createDataApiHost } from './host.js'
import { START_MS } from './test-world.js'

// The venue's own client checks every answer against its schemas and throws at the first field that
// is not as it should be: what it hands out is right. It asks the routes of the first version; those
// of the second are held by v2-shapes.test.ts.

const NOW_MS = START_MS + 2 * 3_600_000

const universe = new Universe({ seed: 21, startMs: START_MS, intensity: 4 })
let hosts: Host[]
let client: ReturnType<typeof createPublicClient>
let market: Market
let token: string

beforeAll(async () => {
  universe.advance(NOW_MS)
  const faults = new Faults()
  const data = await openHost('data_api', faults, createDataApiHost(universe))
  const gamma = await openHost('gamma', faults, createGammaHost(universe))
  const clob = await openHost('clob', faults, createClobHost(universe))
  const rfq = await openHost('rfq', faults, createRfqHost(universe))
  hosts = [data, gamma, clob, rfq]
  const environment = forkEnvironmentConfig({
    name: 'simulated',
    data: { rest: data.url },
    gamma: { rest: gamma.url },
    clob: { rest: clob.url },
    combos: { rest: rfq.url },
  })
  client = createPublicClient({ environment })
  const last = universe.settledActs.matches.map(({ tx }) => tx.act.taker.order.token).findLast(isOpen)
  if (last?.of.kind !== 'market') throw new Error('no market is open')
  market = last.of
  token = last.decimal
})
afterAll(() => Promise.all(hosts.map((host) => host.close())))

const isOpen = (each: Token) => each.of.kind === 'market' && universe.books.book(each) !== undefined

/** Rows of the first pages. */
async function take<Row>(pages: Paginated<Row[]>, count: number): Promise<Row[]> {
  const rows: Row[] = []
  for await (const { items } of pages) {
    rows.push(...items)
    if (rows.length >= count) break
  }
  return rows
}

const all = <Row>(pages: Paginated<Row[]>) => take(pages, Number.POSITIVE_INFINITY)

/** Some wallets that did such a thing. */
function who(did: (act: Act) => boolean, count = 2): Wallet[] {
  const { settledActs, wallets } = universe
  const doers = wallets.filter((each) => settledActs.ofWallet(each).some(({ tx }) => did(tx.act)))
  return doers.length === 0 ? expect.fail('no wallet did that') : doers.slice(-count)
}

describe('a wallet', () => {
  test.each(['match', 'split', 'merge', 'convert', 'redeem', 'redeemCombo', 'migrate', 'transfer'])(
    'that did a %s',
    async (kind) => {
      for (const { address: user } of who((act) => act.kind === kind)) {
        const open = await all(client.listPositions({ user, sizeThreshold: 0, pageSize: 100 }))
        const closed = await all(client.listClosedPositions({ user, pageSize: 50 }))
        expect([...open, ...closed].every(({ wallet }) => wallet === user)).toBe(true)
        const trades = await all(client.listTrades({ user, takerOnly: false, pageSize: 100 }))
        const activity = await all(client.listActivity({ user, pageSize: 100 }))
        const repeated = new Set<unknown>(activity.map(({ transactionHash }) => transactionHash))
        expect(trades.every(({ transactionHash }) => repeated.has(transactionHash))).toBe(true)
        const count = await client.fetchTradedMarketCount({ user })
        expect(count.traded).toBeGreaterThanOrEqual(0)
        const [value] = await client.fetchPortfolioValue({ user })
        expect(Number(value?.value)).toBeGreaterThanOrEqual(0)
      }
    },
  )

  test('that bet on combos', async () => {
    for (const { address: user } of who((act) => act.kind === 'match' && isBet(act.of))) {
      const [combo] = await all(client.listComboPositions({ user }))
      expect(combo?.legs.length).toBeGreaterThan(1)
      const conditionId = combo?.conditionId ?? expect.fail('no combo')
      const same = await all(client.listComboPositions({ user, conditionId }))
      expect(new Set(same.map((each) => each.conditionId))).toEqual(new Set([conditionId]))
    }
    const isPaid = (act: Act) => act.kind === 'redeemCombo' && isBet(act.token.of)
    for (const { address: user } of who(isPaid)) {
      expect((await all(client.listComboActivity({ user })))[0]).toMatchObject({ type: 'REDEEM' })
    }
  })

  test('has a public profile', async () => {
    const [{ address } = expect.fail('no wallet')] = who(({ kind }) => kind === 'match')
    expect(await client.fetchPublicProfile({ address })).toMatchObject({ wallet: address })
  })
})

describe('a market', () => {
  test('who holds it, and how much is at stake', async () => {
    const { conditionId } = market
    const holders = await client.listMarketHolders({ market: [conditionId] })
    expect(holders.map(({ token: id }) => id)).toEqual(market.tokens.map(({ decimal }) => decimal))
    const positions = await all(client.listMarketPositions({ market: conditionId }))
    expect(positions.map(({ token: id }) => id)).toContain(token)
    const [interest] = await client.listOpenInterest({ market: [conditionId] })
    expect(interest?.market).toBe(conditionId)
    expect(await client.listOpenInterest()).toMatchObject([{ market: 'GLOBAL' }])
    const [volume] = await client.fetchEventLiveVolume({ id: market.event.id })
    expect(volume?.markets?.map(({ market: id }) => id)).toContain(conditionId)
    const trades = await take(client.listTrades({ market: [conditionId], takerOnly: false }), 50)
    expect(trades.every((trade) => trade.conditionId === conditionId)).toBe(true)
  })

  test('its prices and its book', async () => {
    const tokenId = token
    const both = [{ tokenId }]
    expect(await client.fetchMidpoints(both)).toMatchObject({
      [token]: await client.fetchMidpoint({ tokenId }),
    })
    await client.fetchPrice({ tokenId, side: OrderSide.BUY })
    expect((await client.fetchOrderBooks(both))[0]).toEqual(await client.fetchOrderBook({ tokenId }))
    expect(await client.fetchSpreads(both)).toMatchObject({
      [token]: await client.fetchSpread({ tokenId }),
    })
    expect((await client.fetchLastTradePrices(both))[0]).toMatchObject(
      await client.fetchLastTradePrice({ tokenId }),
    )
    expect(await client.fetchPriceHistory({ tokenId, interval: PriceHistoryInterval.ONE_HOUR })).not.toEqual(
      [],
    )
  })
})

test('boards of traders and of apps', async () => {
  const traders = await take(client.listTraderLeaderboard({ timePeriod: 'ALL' }), 100)
  expect(traders.map(({ rank }) => rank)).toEqual(traders.map((_, index) => String(index + 1)))
  const apps = await all(client.listBuilderLeaderboard({ timePeriod: 'ALL' }))
  expect(apps[0]?.rank).toBe('1')
  const days = await client.fetchBuilderVolume({ timePeriod: 'ALL' })
  expect(days[0]?.bucketAt).toBe(new Date(START_MS).toISOString())
})

test('markets that pay rewards', async () => {
  const [reward] = await take(client.listCurrentRewards(), 1)
  const conditionId = reward?.conditionId ?? expect.fail('no rewards')
  const [one] = await take(client.listMarketRewards({ conditionId }), 1)
  expect(one?.conditionId).toBe(conditionId)
})

describe('the catalogue', () => {
  test('events and markets', async () => {
    const [event = expect.fail('no event')] = await take(client.listEvents({ pageSize: 100 }), 300)
    expect(await client.fetchEvent({ id: event.id })).toMatchObject({ slug: event.slug })
    await client.fetchEventTags({ id: event.id })
    const markets = await take(client.listMarkets({ pageSize: 100, closed: true }), 200)
    const [first = expect.fail('no market')] = markets
    expect(await client.fetchMarket({ id: first.id })).toMatchObject({ slug: first.slug })
    await client.fetchMarketTags({ id: first.id })
  })

  test('series, tags, teams, sports and search', async () => {
    const [series = expect.fail('no series')] = await all(client.listSeries())
    expect((await client.fetchSeries({ id: series.id })).id).toBe(series.id)
    const [tag = expect.fail('no tag')] = await all(client.listTags())
    expect((await client.fetchTag({ id: tag.id })).id).toBe(tag.id)
    await client.fetchRelatedTags({ id: tag.id })
    await client.fetchRelatedTagResources({ id: tag.id })
    await client.listSports()
    await client.fetchSportsMarketTypes()
    await all(client.listTeams())
    const found = await client.search({ q: 'bitcoin' }).firstPage()
    expect(found.items.events).not.toEqual([])
  })
})

test('a refusal is an error with the text of the host', async () => {
  await expect(all(client.listPositions({ user: 'nobody' }))).rejects.toThrow("invalid query param 'user'")
})

describe('apps and combos', () => {
  const isBuilt = ({ order }: Fill, code: string) => order.wallet.builder?.code === code

  test('every order that was filled through an app, with what it paid', async () => {
    const [{ code: builderCode } = expect.fail('no builders')] = universe.builders
    const trades = await all(client.listBuilderTrades({ builderCode }))
    const fills = universe.settledActs.matches
      .filter(({ tx }) => !isV1(tx.act.exchange))
      .flatMap(({ tx }) => [tx.act.taker, ...tx.act.makers])
      .filter((fill) => isBuilt(fill, builderCode))
    expect(trades).toHaveLength(fills.length)
    expect(new Set(trades.map(({ id }) => id)).size).toBe(trades.length)
    const micros = (texts: string[]) => texts.reduce((sum, text) => sum + Number(text) * 1e6, 0)
    const usd = fills.reduce((sum, fill) => sum + fill.usd, 0)
    expect(Math.round(micros(trades.map(({ sizeUsdc }) => sizeUsdc)))).toBe(usd)

    const [newest] = trades
    const { tokenId, conditionId, matchedAt } = newest ?? expect.fail('no trades')
    const ofToken = await all(client.listBuilderTrades({ builderCode, tokenId }))
    expect(ofToken).toEqual(trades.filter((trade) => trade.tokenId === tokenId))
    const ofMarket = await all(client.listBuilderTrades({ builderCode, market: conditionId }))
    expect(ofMarket).toEqual(trades.filter((trade) => trade.conditionId === conditionId))
    const after = String(Date.parse(matchedAt) / 1000)
    expect(await all(client.listBuilderTrades({ builderCode, after }))).toEqual([])
    const others = `0x${'9'.repeat(64)}`
    expect(await all(client.listBuilderTrades({ builderCode: others }))).toEqual([])
  })

  test('what an app takes; 404 for one that is not known', async () => {
    const [{ code } = expect.fail('no builders')] = universe.builders
    const url = `${hosts[2]?.url}/fees/builder-fees/`
    const reply = await fetch(url + code)
    const rates = { builder_maker_fee_rate_bps: 0, builder_taker_fee_rate_bps: 20 }
    expect(await reply.json()).toEqual(rates)
    expect((await fetch(`${url}0x${'9'.repeat(64)}`)).status).toBe(404)
  })

  test('what combos can be made of: the legs of the last one are among it', async () => {
    const markets = await all(client.listComboMarkets({ pageSize: 100 }))
    expect(new Set(markets.map(({ id }) => id)).size).toBe(markets.length)
    const positions = markets.flatMap(({ outcomes: { yes, no } }) => [yes.positionId, no.positionId])
    const legs = universe.catalogue
      .combos()
      .flatMap((combo) => combo.legs)
      .filter((leg) => takesOrders(leg.market, universe.nowMs))
    expect(legs.length).toBeGreaterThan(0)
    expect(positions).toEqual(expect.arrayContaining(legs.map(({ positionId }) => positionId.toString())))
    const exclude = markets.slice(0, 3).map(({ conditionId }) => conditionId)
    const { items, hasMore } = await client.listComboMarkets({ exclude, pageSize: 2 }).firstPage()
    expect(items.map(({ id }) => id)).toEqual(markets.slice(3, 5).map(({ id }) => id))
    expect(hasMore).toBe(true)
  })

  test.each([
    ['a limit of 101', '/v1/rfq/combo-markets?limit=101', 400],
    ['a cursor that is none', '/v1/rfq/combo-markets?cursor=%21', 400],
    ['another path', '/v1/rfq/quotes', 404],
  ])('refuses %s', async (_what, path, status) => {
    const reply = await fetch(`${hosts[3]?.url}${path}`)
    expect([reply.status, await reply.json()]).toEqual([status, { error: expect.any(String) }])
  })
})
