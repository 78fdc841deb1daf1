import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataApiHost } from '../../../sim/data-api/host.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import type { Wallet } from '../../../sim/universe/wallet.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { DataApiClient } from './client.js'

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 13, startMs: START_MS })

let host: Host
let data: DataApiClient

beforeAll(async () => {
  universe.advance(START_MS + 30 * 60_000)
  host = await openHost('data_api', new Faults(), createDataApiHost(universe))
  const metrics = createUpstreamMetrics(new Registry())
  data = new DataApiClient({ url: host.url, metrics, clock: { now: () => universe.nowMs } })
})
afterAll(async () => {
  await data.close()
  await host.close()
})

/** The wallet that traded most: all of its rows are several pages. */
function busiest(): Wallet {
  const counts = universe.wallets.map((wallet): [Wallet, number] => [
    wallet,
    universe.settledActs.ofWallet(wallet).length,
  ])
  const [most] = counts.sort(([, a], [, b]) => b - a)
  return most?.[0] ?? expect.fail()
}

async function collect<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

test('the trades of a wallet, the newest first, between two times', async () => {
  const { address } = busiest()
  const all = await collect(data.eachTrades(address, { fromSec: 0, toSec: 2 ** 31 }))
  expect(all.length).toBeGreaterThan(20)
  const times = all.map(({ timeSec }) => timeSec)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  const [toSec = 0, fromSec = 0] = [times[5], times[15]]
  const some = await collect(data.eachTrades(address, { fromSec, toSec }))
  expect(some).toEqual(all.filter(({ timeSec }) => timeSec >= fromSec && timeSec <= toSec))
})

test('the positions of a wallet: every one is open or closed', async () => {
  const { address } = busiest()
  const open = await collect(data.eachPositions(address, 'OPEN'))
  expect(open.length).toBeGreaterThan(5)
  expect(open.every(({ status, size }) => status !== 'CLOSED' && Number(size) > 0)).toBe(true)
  const closed = await collect(data.eachPositions(address, 'CLOSED'))
  expect(closed.every(({ status, bought }) => status === 'CLOSED' && Number(bought) > 0)).toBe(true)
  const tokens = [...open, ...closed].map(({ token }) => token)
  expect(new Set(tokens).size).toBe(tokens.length)
})

test('a wallet that the platform does not know has nothing', async () => {
  const unknownWallet = `0x${'9'.repeat(40)}`
  expect(await collect(data.eachPositions(unknownWallet, 'OPEN'))).toEqual([])
  expect(await collect(data.eachTrades(unknownWallet, { fromSec: 0, toSec: 2 ** 31 }))).toEqual([])
})

test('all builders, the largest first, also one that never traded and one without a name', async () => {
  const builders = await data.listBuilders()
  expect(builders.map(({ rank }) => rank)).toEqual(builders.map((_, index) => index + 1))
  expect(new Set(builders.map(({ code }) => code))).toEqual(
    new Set(universe.builders.map(({ code }) => code)),
  )
  const unnamed = builders.find(({ code, name }) => name === code)
  expect(unnamed).toMatchObject({ logo: undefined, verified: false })
  expect(builders.find(({ name }) => name === 'quietdesk')).toMatchObject({
    verified: true,
    volume: '0',
    activeUsers: 0,
    logo: 'https://builders.example/quietdesk.png',
  })
})

test('a refusal of the Data API is an error with its message', async () => {
  const refused = collect(data.eachPositions('0x12', 'OPEN'))
  await expect(refused).rejects.toMatchObject({ status: 400, retryable: false })
})
