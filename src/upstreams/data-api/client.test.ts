import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDataApiHost } from '../../../sim/data-api/host.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { DataApiClient } from './client.js'

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 13, startMs: START_MS })

let host: Host
let data: DataApiClient
let user: string
const asked: string[] = []

beforeAll(async () => {
  universe.advance(START_MS + 150 * 60_000)
  const busiest = universe.wallets.toSorted(
    (a, b) => universe.tape.ofWallet(b).length - universe.tape.ofWallet(a).length,
  )[0]
  user = busiest?.address ?? ''
  const { http } = createDataApiHost(universe)
  host = await openHost('data_api', new Faults(), {
    http: (request) => {
      asked.push(request.url)
      return http?.(request) ?? { status: 404, body: '' }
    },
  })
  const metrics = createUpstreamMetrics(new Registry())
  data = new DataApiClient({ url: host.url, metrics, clock: { now: () => universe.nowMs } })
})
afterAll(async () => {
  await data.close()
  await host.close()
})

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('trades', () => {
  test('of a wallet: all pages together are what v2 lists', async () => {
    const filter = { user, takerOnly: false }
    const [v1, v2] = await Promise.all([
      collect(data.eachTrade(filter)),
      collect(data.eachTradeV2(filter)),
    ])
    expect(v1.length).toBeGreaterThan(20)
    const key = (trade: (typeof v1)[number]) =>
      [trade.transactionHash, trade.asset, trade.side, trade.size, trade.price].join()
    expect(v2.map(key).toSorted()).toEqual(v1.map(key).toSorted())
    const times = v1.map(({ timestampSec }) => timestampSec)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  })

  test('of all wallets, filtered and cut', async () => {
    const amountMin = { of: 'CASH' as const, amount: 50 }
    const trades = await data.listTrades({ takerOnly: true, side: 'BUY', amountMin, limit: 40 })
    expect(trades).toHaveLength(40)
    for (const { side, size, price } of trades) {
      expect(side).toBe('BUY')
      expect(size * price).toBeGreaterThanOrEqual(49.99)
    }
  })

  test('fresh ones are asked for under an address of their own', async () => {
    asked.length = 0
    await data.listTrades({ takerOnly: true, limit: 1, fresh: true })
    expect(asked[0]).toMatch(/^\/trades\?takerOnly=true&limit=1&_=\d{10}$/)
  })
})

describe('positions', () => {
  test('closed ones, page after page', async () => {
    const sort = { sortBy: 'TIMESTAMP' as const, sortDirection: 'DESC' as const }
    const closed = await collect(data.eachClosedPosition({ user, ...sort }))
    const first = await data.listClosedPositions({ user, ...sort, limit: 5 })
    expect(closed.length).toBeGreaterThan(0)
    expect(first).toEqual(closed.slice(0, 5))
    expect(closed.every(({ proxyWallet }) => proxyWallet === user)).toBe(true)
  })

  test('open ones, in both versions', async () => {
    const v1 = await collect(data.eachPosition({ user, sizeThreshold: 0 }))
    const v2 = await collect(data.eachPositionV2({ user }))
    expect(v1.length).toBeGreaterThan(0)
    const sizes = new Map(v1.map(({ asset, size }) => [asset, size]))
    for (const { tokenId, currentSize } of v2) expect(sizes.get(tokenId)).toBeCloseTo(currentSize)
  })

  test('and their value', async () => {
    expect(await data.getValue(user)).toBeGreaterThanOrEqual(0)
    expect(await data.getValue(`0x${'1'.repeat(40)}`)).toBe(0)
  })
})

test('the activity of a wallet by kind', async () => {
  const all = await collect(data.eachActivity({ user }))
  const trades = await data.listActivity({ user, types: ['TRADE'], limit: 500 })
  expect(all.length).toBeGreaterThanOrEqual(trades.length)
  expect(trades.every(({ type, side }) => type === 'TRADE' && side !== undefined)).toBe(true)
})

test('the holders of both tokens of a market', async () => {
  const act = universe.tape.matches.at(-1)?.tx.act
  const conditionId = act?.kind === 'match' ? act.of.conditionId : ''
  const tokens = await data.listHolders([conditionId])
  expect(tokens.length).toBeGreaterThan(0)
  for (const { token, holders } of tokens) {
    expect(universe.catalogue.token(token)?.of.conditionId).toBe(conditionId)
    const amounts = holders.map(({ amount }) => amount)
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a))
  }
})

test('the leaderboard, best first', async () => {
  const filter = { timePeriod: 'ALL' as const, orderBy: 'PNL' as const }
  const leaders = await collect(data.eachLeader(filter))
  expect(leaders.length).toBeGreaterThan(100)
  expect(leaders.map(({ rank }) => rank)).toEqual(leaders.map((_, index) => index + 1))
  expect(await data.listLeaderboard({ ...filter, limit: 3, offset: 2 })).toEqual(
    leaders.slice(2, 5),
  )
})

test('a refusal of the Data API is an error with its message', async () => {
  const beyond = data.listTrades({ takerOnly: true, offset: 10_001 })
  await expect(beyond).rejects.toMatchObject({ status: 400, retryable: false })
  await expect(beyond).rejects.toThrow('max historical trades offset of 10000 exceeded')
})
