import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('the leaderboard, best first', async () => {
  const leaders = await data.listLeaderboard(10)
  expect(leaders.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const gains = leaders.map(({ pnl }) => pnl)
  expect(gains).toEqual(gains.toSorted((a, b) => b - a))
  for (const { userId } of leaders) expect(userId).toMatch(/^0x[0-9a-f]{40}$/)
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
    ...{ verified: true, volume: '0', activeUsers: 0 },
    logo: 'https://builders.example/quietdesk.png',
  })
})

test('a refusal of the Data API is an error with its message', async () => {
  const refused = data.listLeaderboard(-1)
  await expect(refused).rejects.toMatchObject({ status: 400, retryable: false })
})
