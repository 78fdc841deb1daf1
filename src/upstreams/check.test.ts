import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSimulatedUpstreams, type SimulatedUpstreams } from '../../test/simulated-upstreams.js'
import { checkUpstreams } from './check.js'

let simulated: SimulatedUpstreams
beforeAll(async () => {
  simulated = await openSimulatedUpstreams()
})
afterAll(() => simulated.close())

const check = () => checkUpstreams(simulated.upstreams, simulated.config)

test('every upstream answers, each with a fact of its own', async () => {
  const findings = await check()
  const answers = findings.map(({ upstream, state, answer }) => [upstream, state, answer])
  expect(answers).toEqual([
    ['polygon', 'ok', expect.stringMatching(/^block \d+$/)],
    ['gamma', 'ok', expect.stringMatching(/^[a-z0-9-]+$/)],
    ['clob', 'ok', expect.stringMatching(/^20\d\d-/)],
    ['data_api', 'ok', expect.stringMatching(/^0x[0-9a-f]{40}$/)],
    ['site', 'ok', expect.stringMatching(/^BTC \d+/)],
    ['polygon_ws', 'ok', expect.stringMatching(/^block \d+$/)],
    ['clob_ws', 'ok', expect.stringMatching(/^book of \d+ tokens$/)],
    ['rtds', 'ok', expect.stringMatching(/^\w+ [\d.]+$/)],
    ['live_v2', 'ok', expect.stringMatching(/^\w+ [\d.]+$/)],
    ['chainlink', 'ok', expect.stringMatching(/^\w+ [\d.]+$/)],
  ])
})

test('one that is down is named, the others are not affected', async () => {
  simulated.simulator.faults.set({ upstream: 'data_api', mode: '500' })
  const findings = await check()
  const failed = findings.filter(({ state }) => state !== 'ok')
  expect(failed).toEqual([
    {
      upstream: 'data_api',
      state: 'failed',
      answer: expect.stringMatching(/500/),
      tookMs: expect.any(Number),
    },
  ])
})

test('one that has no credentials, or that the operator turned off, is off and fails nothing', async () => {
  const { config, upstreams } = simulated.reconnect({
    AUSPEX_CHAINLINK_SECRET: '',
    AUSPEX_RTDS_WS_URL: 'off',
  })
  simulated.simulator.faults.set({ upstream: '*', mode: 'off' })
  const findings = await checkUpstreams(upstreams, config)
  await upstreams.close()
  const off = findings.filter(({ state }) => state !== 'ok')
  expect(off.map(({ upstream, state, answer }) => [upstream, state, answer])).toEqual([
    ['rtds', 'off', 'AUSPEX_RTDS_WS_URL is off'],
    ['chainlink', 'off', 'AUSPEX_CHAINLINK_API_KEY and _SECRET are not set'],
  ])
})
