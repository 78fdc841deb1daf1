import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClobHost } from './clob/host.js'
import { createDataApiHost } from './data-api/host.js'
import { createGammaHost } from './gamma/host.js'
import { Faults } from './server/faults.js'
import { type Host, openHost } from './server/host.js'
import type { Market } from './universe/market.js'
import { Universe } from './universe/universe.js'

const HOUR_MS = 3_600_000
/** Three hours before a question ends in a draw. */
const START_MS = Date.UTC(2026, 10, 12, 18)

const universe = new Universe({ seed: 4, startMs: START_MS, intensity: 2 })
let hosts: { gamma: Host; clob: Host; dataApi: Host }
let market: Market

beforeAll(async () => {
  universe.advance(START_MS + 6 * HOUR_MS)
  const faults = new Faults()
  hosts = {
    gamma: await openHost('gamma', faults, createGammaHost(universe)),
    clob: await openHost('clob', faults, createClobHost(universe)),
    dataApi: await openHost('data_api', faults, createDataApiHost(universe)),
  }
  const drawn = universe.catalogue
    .events()
    .flatMap(({ markets }) => markets)
    .find((each) => universe.payouts(each)?.join() === '1,1')
  market = drawn ?? expect.fail('no question ended in a draw')
})
afterAll(() => Promise.all(Object.values(hosts).map((host) => host.close())))

async function get(host: Host, path: string): Promise<unknown> {
  const reply = await fetch(`${host.url}${path}`)
  return reply.json()
}

test('Gamma shows a draw as closed, at half a dollar for each outcome', async () => {
  const shown = await get(hosts.gamma, `/markets/slug/${market.slug}`)
  expect(shown).toMatchObject({ closed: true, outcomePrices: '["0.5", "0.5"]' })
})

test('CLOB shows a draw as such, without a winner', async () => {
  const { tokens, ...shown } = (await get(hosts.clob, `/markets/${market.conditionId}`)) as {
    tokens: { winner: boolean; price: number }[]
  }
  expect(shown).toMatchObject({ closed: true, is_50_50_outcome: true })
  expect(tokens).toMatchObject([
    { winner: false, price: 0.5 },
    { winner: false, price: 0.5 },
  ])
})

test('the Data API values both outcomes at a half', async () => {
  const [holder] = market.tokens.flatMap((token) => [...universe.settledActs.holders(token).keys()])
  const wallet = holder ?? expect.fail('every holder has redeemed already')
  const path = `/positions?user=${wallet.address}&market=${market.conditionId}&sizeThreshold=0`
  const rows = (await get(hosts.dataApi, path)) as object[]
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toMatchObject({ curPrice: 0.5, redeemable: true })
})
