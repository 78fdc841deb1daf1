import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { busiest, openTestWorld, type Row, rowAt, START_MS, type TestWorld } from './test-world.js'

let world: TestWorld
let universe: Universe
let get: TestWorld['get']
/** The market with most trades. */
let market: Market

beforeAll(async () => {
  world = await openTestWorld()
  universe = world.universe
  get = world.get
  const markets = universe.catalogue.events().flatMap((event) => event.markets)
  const count = (each: Market) => universe.settledActs.ofMarket(each).length
  market = markets.reduce((best, each) => (count(each) > count(best) ? each : best))
})
afterAll(() => world.host.close())

test('the root is fine', async () => {
  expect(await get<Row>('/')).toEqual({ data: 'OK' })
})

test('404 for what does not exist; the newer routes are under /v1 alone', async () => {
  for (const path of ['/nothing', '/v1/nothing', '/v2/nothing', '/leaderboard']) {
    expect(await world.refusal(path)).toEqual({ status: 404, error: expect.any(String) })
  }
})

describe('trades', () => {
  test('one row per taker order, newest first, with hash and time of the block', async () => {
    const rows = await get('/trades?limit=500')
    const matches = universe.settledActs.matches.slice(-500).reverse()
    expect(rows.map(({ transactionHash }) => transactionHash)).toEqual(matches.map(({ tx }) => tx.hash))
    for (const [index, row] of rows.entries()) {
      const settled = matches[index]
      const taker = settled?.tx.act.taker
      expect(row).toMatchObject({
        timestamp: settled?.block.timestampSec,
        proxyWallet: taker?.order.wallet.address,
        asset: taker?.order.token.decimal,
        side: taker?.order.side,
        size: (taker?.shares ?? 0) / 1e6,
      })
    }
  })

  test('and one per maker order when they are wanted', async () => {
    const rows = await get(`/trades?market=${market.conditionId}&takerOnly=false&limit=10000`)
    const expected = universe.settledActs
      .ofMarket(market)
      .reduce((sum, { tx }) => sum + 1 + tx.act.makers.length, 0)
    expect(rows).toHaveLength(expected)
    expect(rows.every(({ conditionId }) => conditionId === market.conditionId)).toBe(true)
  })

  test('has the fields of a trade', async () => {
    const [row] = await get('/trades?limit=1')
    expect(Object.keys(row ?? {}).sort()).toEqual(
      [
        'asset',
        'bio',
        'conditionId',
        'eventSlug',
        'icon',
        'name',
        'outcome',
        'outcomeIndex',
        'price',
        'profileImage',
        'profileImageOptimized',
        'proxyWallet',
        'pseudonym',
        'side',
        'size',
        'slug',
        'timestamp',
        'title',
        'transactionHash',
      ].sort(),
    )
  })

  test('pages follow each other without a gap', async () => {
    const all = await get('/trades?limit=60&takerOnly=false')
    const pages = await Promise.all(
      [0, 20, 40].map((offset) => get(`/trades?limit=20&offset=${offset}&takerOnly=false`)),
    )
    expect(pages.flat()).toEqual(all)
  })

  test('filters: user, event, side, size, time', async () => {
    const maker = busiest(universe, 'match')
    const own = await get(`/trades?user=${maker.address.toUpperCase().replace('X', 'x')}&takerOnly=false`)
    expect(own.length).toBe(100)
    expect(own.every(({ proxyWallet }) => proxyWallet === maker.address)).toBe(true)

    const ofEvent = await get(`/trades?eventId=${market.event.id}`)
    expect(ofEvent.every(({ eventSlug }) => eventSlug === market.event.slug)).toBe(true)
    const sells = await get('/trades?side=SELL')
    expect(sells.every(({ side }) => side === 'SELL')).toBe(true)
    const large = await get('/trades?filterType=CASH&filterAmount=1000')
    expect(large.length).toBeGreaterThan(0)
    expect(large.every(({ size, price }) => size * price > 999.99)).toBe(true)
    const start = START_MS / 1000 + 3_600
    const span = await get(`/trades?start=${start}&end=${start + 600}&limit=10000`)
    expect(span.length).toBeGreaterThan(0)
    expect(span.every(({ timestamp }) => timestamp >= start && timestamp <= start + 600)).toBe(true)
    expect(await get('/trades?market=0x'.concat('0'.repeat(64)))).toEqual([])
  })

  test.each([
    ['max historical trades offset of 10000 exceeded', '/trades?offset=10001'],
    [expect.any(String), '/trades?limit=-1'],
    [expect.any(String), '/trades?user=nobody'],
    [expect.any(String), '/trades?side=HOLD'],
    [expect.any(String), '/trades?filterType=CASH'],
    [expect.any(String), '/trades?filterAmount=5'],
    [expect.any(String), '/trades?market=btc'],
    [expect.any(String), `/trades?eventId=1&market=0x${'0'.repeat(64)}`],
  ])('400: %s', async (error, path) => {
    expect(await world.refusal(path)).toEqual({ status: 400, error })
  })

  test('keys in snake_case are unknown here', async () => {
    expect(await get('/trades?taker_only=false&limit=50')).toEqual(await get('/trades?limit=50'))
  })
})

describe('positions', () => {
  test('hold what the chain holds', async () => {
    const wallet = busiest(universe, 'match')
    const rows = await get(`/positions?user=${wallet.address}&sizeThreshold=0&limit=500`)
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) {
      const token = universe.catalogue.token(row.asset)
      if (token === undefined) throw new Error('not a token')
      expect(row.size * 1e6).toBeCloseTo(universe.settledActs.balance(wallet, token), 3)
      expect(row.currentValue).toBeCloseTo(row.size * row.curPrice, 5)
      expect(row.cashPnl).toBeCloseTo(row.currentValue - row.initialValue, 5)
      const payouts = universe.payouts(token.of)
      expect(row.redeemable).toBe(payouts !== undefined)
      if (payouts !== undefined) expect([0, 0.5, 1]).toContain(row.curPrice)
    }
    const sizes = rows.map(({ size }) => size)
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
  })

  test('sort and filter', async () => {
    const { address } = busiest(universe, 'split')
    const list = (query: string) => get(`/positions?user=${address}&${query}`)
    const titles = (await list('sortBy=TITLE&sortDirection=ASC')).map(({ title }) => title)
    expect(titles).toEqual(titles.toSorted())
    const redeemable = await list('redeemable=true')
    expect(redeemable.every((row) => row.redeemable)).toBe(true)
    const mergeable = await list('mergeable=true')
    expect(mergeable.length).toBeGreaterThan(0)
    expect(mergeable.every((row) => row.mergeable)).toBe(true)
    const small = await list('sizeThreshold=0')
    expect((await list('sizeThreshold=1000')).length).toBeLessThan(small.length)
    const first = rowAt(small, 0)
    const byMarket = await list(`market=${first.conditionId}&sizeThreshold=0`)
    expect(byMarket.every(({ conditionId }) => conditionId === first.conditionId)).toBe(true)
    const byTitle = await list(`title=${encodeURIComponent(first.title.slice(0, 8))}`)
    expect(byTitle.length).toBeGreaterThan(0)
  })

  test('those that are gone are closed', async () => {
    const { address } = busiest(universe, 'redeem')
    const closed = await get(`/closed-positions?user=${address}&limit=50`)
    expect(closed.length).toBeGreaterThan(3)
    const profits = closed.map(({ realizedPnl }) => realizedPnl)
    expect(profits).toEqual(profits.toSorted((a, b) => b - a))
    const wallet = universe.walletByAddress(address)
    for (const { timestamp, totalBought } of closed) {
      expect(totalBought).toBeGreaterThan(0)
      const times = wallet === undefined ? [] : universe.settledActs.ofWallet(wallet)
      expect(times.some(({ block }) => block.timestampSec === timestamp)).toBe(true)
    }
    const byTime = await get(`/closed-positions?user=${address}&limit=3&sortBy=TIMESTAMP`)
    expect(rowAt(byTime, 0).timestamp).toBeGreaterThanOrEqual(rowAt(byTime, 2).timestamp)
    expect(await get(`/v1/closed-positions?user=${address}&limit=3`)).toEqual(closed.slice(0, 3))
  })

  test('a position whose shares were given away is closed too', async () => {
    const { settledActs, wallets } = universe
    const gifts = wallets.flatMap((wallet) =>
      settledActs
        .ofWallet(wallet)
        .flatMap(({ tx }) => (tx.act.kind === 'transfer' ? [tx.act] : []))
        .flatMap(({ from, shares }) => shares.map(({ token }) => ({ from, token }))),
    )
    const bought = (act: (typeof gifts)[number]) =>
      settledActs.ofWallet(act.from).some(({ tx }) => {
        if (tx.act.kind !== 'match') return false
        const { order } = tx.act.taker
        return order.wallet === act.from && order.token === act.token && order.side === 'BUY'
      })
    const gift = gifts.find((act) => settledActs.balance(act.from, act.token) === 0 && bought(act))
    if (gift === undefined) throw new Error('no wallet gave away what it had bought')
    const { address } = gift.from
    const path = `user=${address}&market=${gift.token.of.conditionId}`
    const closed = await get(`/closed-positions?${path}`)
    expect(closed.map(({ asset }) => asset)).toContain(gift.token.decimal)
    const open = await get(`/positions?${path}&sizeThreshold=0`)
    expect(open.map(({ asset }) => asset)).not.toContain(gift.token.decimal)
  })

  test('the value is the sum of the positions, and unknown addresses have none', async () => {
    // The value counts combos too, which are not in this list.
    const { conditionId } = market
    const [holder] = universe.settledActs.holders(market.tokens[0]).keys()
    const address = holder?.address
    const scope = `user=${address}&market=${conditionId}`
    const rows = await get(`/positions?${scope}&sizeThreshold=0&limit=500`)
    const [value] = await get(`/value?${scope}`)
    expect(rows.length).toBeGreaterThan(0)
    expect(value).toEqual({ user: address, value: expect.any(Number) })
    expect(value?.value).toBeCloseTo(
      rows.reduce((sum, row) => sum + row.currentValue, 0),
      2,
    )
    const unknown = `0x${'1'.repeat(40)}`
    expect(await get(`/value?user=${unknown}`)).toEqual([{ user: unknown, value: 0 }])
    expect(await get(`/positions?user=${unknown}`)).toEqual([])
  })

  test.each(['/positions', '/closed-positions', '/activity', '/value', '/traded'])(
    '400: %s without a user',
    async (path) => {
      expect(await world.refusal(path)).toEqual({
        status: 400,
        error: expect.stringMatching(/user/),
      })
    },
  )

  test.each(['sortBy=SIZE', 'limit=x', 'offset=10001', `title=${'x'.repeat(101)}`])(
    '400: %s',
    async (query) => {
      const path = `/positions?user=0x${'1'.repeat(40)}&${query}`
      expect(await world.refusal(path)).toEqual({ status: 400, error: expect.any(String) })
    },
  )
})

describe('activity', () => {
  test.each([
    ['SPLIT', 'split'],
    ['MERGE', 'merge'],
    ['CONVERSION', 'convert'],
    ['REDEEM', 'redeem'],
    ['TRADE', 'match'],
  ])('%s', async (type, kind) => {
    const wallet = busiest(universe, kind)
    const rows = await get(`/activity?user=${wallet.address}&type=${type}&limit=500`)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect(row.type).toBe(type)
      expect(universe.chain.find(row.transactionHash)?.block?.timestampSec).toBe(row.timestamp)
    }
  })

  test('a redemption has one row per outcome, worth what it pays', async () => {
    const wallet = busiest(universe, 'redeem')
    const rows = await get(`/activity?user=${wallet.address}&type=REDEEM&limit=500`)
    const hash = rowAt(rows, 0).transactionHash
    const act = universe.chain.find(hash)?.tx.act
    if (act?.kind !== 'redeem') throw new Error('not a redemption')
    const own = rows.filter(({ transactionHash }) => transactionHash === hash)
    expect(own).toHaveLength(act.amounts.filter((amount) => amount > 0).length)
    for (const { outcomeIndex, size, usdcSize } of own) {
      const share = act.payouts[outcomeIndex] / (act.payouts[0] + act.payouts[1])
      expect(usdcSize).toBeCloseTo(size * share, 5)
    }
  })

  test('deposits and withdrawals on request alone', async () => {
    const { address } = busiest(universe, 'deposit')
    const usual = await get(`/activity?user=${address}&limit=500`)
    expect(usual.some(({ type }) => type === 'DEPOSIT')).toBe(false)
    const query = 'type=DEPOSIT,WITHDRAWAL&excludeDepositsWithdrawals=false'
    const [row] = await get(`/activity?user=${address}&${query}`)
    expect(row).toMatchObject({ side: '', asset: '', conditionId: '', outcomeIndex: 999 })
    expect(row?.usdcSize).toBeGreaterThan(0)
  })

  test('other orders', async () => {
    const { address } = busiest(universe, 'split')
    const list = (query: string) => get(`/activity?user=${address}&limit=500&${query}`)
    const newest = await list('')
    expect(await list('sortDirection=ASC')).toEqual(newest.toReversed())
    const cash = (await list('sortBy=CASH')).map(({ usdcSize }) => usdcSize)
    expect(cash).toEqual(cash.toSorted((a, b) => b - a))
    const bought = await list('side=BUY')
    expect(bought.every(({ side }) => side === 'BUY')).toBe(true)
  })

  test.each(['type=PARTY', 'offset=10001', 'sortBy=NAME'])('400: %s', async (query) => {
    const path = `/activity?user=0x${'1'.repeat(40)}&${query}`
    expect(await world.refusal(path)).toEqual({ status: 400, error: expect.any(String) })
  })
})

describe('markets', () => {
  test('holders: the largest first, both outcomes', async () => {
    const rows = await get(`/holders?market=${market.conditionId}`)
    expect(rows.map(({ token }) => token)).toEqual(market.tokens.map(({ decimal }) => decimal))
    for (const { token, holders } of rows) {
      const found = universe.catalogue.token(token)
      const held = found === undefined ? [] : [...universe.settledActs.holders(found).values()]
      const most = held
        .filter((amount) => amount >= 1e6)
        .sort((a, b) => b - a)
        .slice(0, 20)
      expect(holders.map(({ amount }) => Math.round(amount * 1e6))).toEqual(most)
    }
    expect(await world.refusal('/holders')).toEqual({ status: 400, error: expect.any(String) })
  })

  test('open interest of one market and of all', async () => {
    const openInterest = universe.settledActs.outstanding(market, 0)
    expect(await get(`/oi?market=${market.conditionId}`)).toEqual([
      { market: market.conditionId, value: openInterest / 1e6 },
    ])
    const [all] = await get('/oi')
    expect(all?.market).toBe('GLOBAL')
    expect(all?.value).toBeGreaterThan(openInterest / 1e6)
  })

  test('open interest counts sets that were never traded, and after the result what is still claimed', async () => {
    const { settledActs, catalogue, wallets } = universe
    const interestOf = async ({ conditionId }: Market) =>
      rowAt(await get(`/oi?market=${conditionId}`), 0).value
    const splits = wallets.flatMap((wallet) =>
      settledActs.ofWallet(wallet).flatMap(({ tx }) => (tx.act.kind === 'split' ? [tx.act.market] : [])),
    )
    const untraded = splits.find(
      (each) => settledActs.ofMarket(each).length === 0 && settledActs.outstanding(each, 0) > 0,
    )
    if (untraded === undefined) throw new Error('everything that was split was traded too')
    expect(await interestOf(untraded)).toBe(settledActs.outstanding(untraded, 0) / 1e6)

    const markets = catalogue.events().flatMap((event) => event.markets)
    const lost = markets.find(
      (each) => universe.payouts(each)?.[0] === 0 && settledActs.outstanding(each, 0) > 0,
    )
    if (lost === undefined) throw new Error('no wallet holds a first outcome that lost')
    expect(await interestOf(lost)).toBe(settledActs.outstanding(lost, 1) / 1e6)
  })

  test('live volume of an event', async () => {
    const row = rowAt(await get(`/live-volume?id=${market.event.id}`), 0)
    const volumes = row.markets.map(({ value }) => value)
    expect(volumes).toContain(universe.settledActs.volume(market) / 1e6)
    expect(row.total).toBeCloseTo(
      volumes.reduce((sum, value) => sum + value, 0),
      5,
    )
  })

  test('traded counts markets', async () => {
    const wallet = busiest(universe, 'match')
    const acts = universe.settledActs.ofWallet(wallet).map(({ tx }) => tx.act)
    const markets = new Set(acts.flatMap((act) => (act.kind === 'match' ? [act.of] : [])))
    expect(await get<Row>(`/traded?user=${wallet.address}`)).toEqual({
      user: wallet.address,
      traded: markets.size,
    })
  })

  test('all holders of a market', async () => {
    const path = `/v1/market-positions?market=${market.conditionId}`
    const { positions } = rowAt(await get(`${path}&status=OPEN&sortBy=TOKENS`), 0)
    const sizes = positions.map(({ size }) => size)
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    const [largest] = positions
    const own = await get(`${path}&user=${largest?.proxyWallet}`)
    expect(own[0]?.positions).toEqual([largest])
  })
})

describe('boards', () => {
  test('ranks are texts, and go down', async () => {
    const rows = await get('/v1/leaderboard?timePeriod=ALL&limit=50')
    expect(rows).toHaveLength(50)
    expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, index) => String(index + 1)))
    const profits = rows.map(({ pnl }) => pnl)
    expect(profits).toEqual(profits.toSorted((a, b) => b - a))
    const volumes = (await get('/v1/leaderboard?timePeriod=ALL&orderBy=VOL')).map(({ vol }) => vol)
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
  })

  test('the P&L of all time is that of the positions, open and closed', async () => {
    // The first exchange took fees in shares, and gifts are shares too: neither is booked.
    const isPlain = ({ proxyWallet }: Row) => {
      const wallet = universe.walletByAddress(proxyWallet)
      if (wallet === undefined || wallet.createdMs < START_MS) return false
      return universe.settledActs.ofWallet(wallet).every(({ tx }) => tx.act.kind !== 'transfer')
    }
    const best = rowAt((await get('/v1/leaderboard?timePeriod=ALL&limit=50')).filter(isPlain), 0)
    const user = best.proxyWallet
    const open = await get(`/positions?user=${user}&sizeThreshold=0&limit=500`)
    const closed = await get(`/closed-positions?user=${user}&limit=50`)
    const held = new Set(open.map(({ asset }) => asset))
    const gone = closed.filter(({ asset }) => !held.has(asset))
    const total =
      open.reduce((sum, row) => sum + row.cashPnl + row.realizedPnl, 0) +
      gone.reduce((sum, row) => sum + row.realizedPnl, 0)
    expect(best.pnl).toBeCloseTo(total, 2)
  })

  test('a wallet keeps its rank when it is asked for alone', async () => {
    const rows = await get('/v1/leaderboard?timePeriod=DAY&category=CRYPTO')
    const fifth = rows[4]
    const query = `timePeriod=DAY&category=CRYPTO&user=${fifth?.proxyWallet}`
    expect(await get(`/v1/leaderboard?${query}`)).toEqual([fifth])
  })

  test('apps by volume, in sum and day by day', async () => {
    const first = rowAt(await get('/v1/builders/leaderboard?timePeriod=ALL'), 0)
    expect(first).toEqual({
      rank: '1',
      builder: expect.any(String),
      builderCode: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      volume: expect.any(Number),
      activeUsers: expect.any(Number),
      verified: expect.any(Boolean),
      builderLogo: expect.any(String),
    })
    const days = await get('/v1/builders/volume?timePeriod=ALL')
    const ofFirst = days.filter(({ builderCode }) => builderCode === first.builderCode)
    expect(ofFirst.reduce((sum, { volume }) => sum + volume, 0)).toBeCloseTo(first.volume, 4)
    expect(days[0]?.dt).toBe(new Date(START_MS).toISOString())
  })

  test.each(['timePeriod=YEAR', 'orderBy=NAME', 'category=COOKING', 'offset=1001'])(
    '400: %s',
    async (query) => {
      const refusal = await world.refusal(`/v1/leaderboard?${query}`)
      expect(refusal).toEqual({ status: 400, error: expect.any(String) })
    },
  )
})
