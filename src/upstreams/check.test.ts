import { afterAll, beforeAll, expect, test } from 'vitest'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { openSimulatedUpstreams, type SimulatedUpstreams } from '../../test/simulated-upstreams.js'
import type { Environment } from '../config/config.js'
import { checkUpstreams } from './check.js'

let simulated: SimulatedUpstreams
beforeAll(async () => {
  simulated = await openSimulatedUpstreams()
})
afterAll(() => simulated.close())

const check = () => checkUpstreams(simulated.config, new JumpingTiming())

/** Checks other addresses, with all faults of the simulator off. */
async function checkWith(changes: Environment) {
  simulated.simulator.faults.set({ upstream: '*', mode: 'off' })
  const { config, upstreams } = simulated.reconnect(changes)
  await upstreams.close()
  return await checkUpstreams(config, new JumpingTiming())
}

test('every upstream answers, each with a fact of its own', async () => {
  const findings = await check()
  const answers = findings.map(({ upstream, state, answer }) => [upstream, state, answer])
  expect(answers).toEqual([
    ['polygon', 'ok', expect.stringMatching(/^block \d+$/)],
    ['gamma', 'ok', expect.stringMatching(/^[a-z0-9-]+$/)],
    ['clob', 'ok', expect.stringMatching(/^20\d\d-/)],
    ['data_api', 'ok', expect.stringMatching(/^\d+ builders$/)],
    ['site', 'ok', expect.stringMatching(/^BTC \d+/)],
    ['searxng', 'ok', expect.stringMatching(/^\d+ results$/)],
    ['x_api', 'ok', expect.stringMatching(/^user \d+$/)],
    ['polygon_ws', 'ok', expect.stringMatching(/^block \d+$/)],
    ['clob_ws', 'ok', expect.stringMatching(/^book of \d+ tokens$/)],
    ['rtds', 'ok', expect.stringMatching(/^\w+ [\d.]+$/)],
    ['live_v2', 'ok', expect.stringMatching(/^\w+ [\d.]+$/)],
    ['chainlink', 'ok', expect.stringMatching(/^\w+ [\d.]+$/)],
    ['sports_ws', 'ok', 'connected; no game is live'],
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
  const findings = await checkWith({
    AUSPEX_CHAINLINK_SECRET: '',
    AUSPEX_RTDS_WS_URL: 'off',
    AUSPEX_SPORTS_WS_URL: 'off',
    AUSPEX_POLYGON_URL: '',
    AUSPEX_POLYGON_WS_URL: '',
    AUSPEX_SEARXNG_URL: '',
    AUSPEX_X_BEARER_TOKEN: '',
  })
  const off = findings.filter(({ state }) => state !== 'ok')
  expect(off.map(({ upstream, state, answer }) => [upstream, state, answer])).toEqual([
    ['polygon', 'off', 'AUSPEX_POLYGON_URL is not set'],
    ['searxng', 'off', 'AUSPEX_SEARXNG_URL is not set'],
    ['x_api', 'off', 'AUSPEX_X_BEARER_TOKEN is not set'],
    ['polygon_ws', 'off', 'AUSPEX_POLYGON_WS_URL is not set'],
    ['rtds', 'off', 'AUSPEX_RTDS_WS_URL is off'],
    ['chainlink', 'off', 'AUSPEX_CHAINLINK_API_KEY and _SECRET are not set'],
    ['sports_ws', 'off', 'AUSPEX_SPORTS_WS_URL is off'],
  ])
})

test('the cause of a failure is shown: no such name, no listener, no TLS', async () => {
  const { port } = new URL(simulated.config.gammaUrl)
  const findings = await checkWith({
    AUSPEX_DATA_API_URL: 'http://nowhere.invalid',
    AUSPEX_SITE_URL: 'http://localhost:1',
    AUSPEX_CLOB_URL: `https://127.0.0.1:${port}`,
    AUSPEX_POLYGON_WS_URL: 'ws://localhost:1',
    AUSPEX_RTDS_WS_URL: 'ws://nowhere.invalid',
    AUSPEX_LIVE_V2_WS_URL: `wss://127.0.0.1:${port}`,
  })
  const failed = findings.filter(({ state }) => state === 'failed')
  expect(failed.map(({ upstream, answer }) => [upstream, answer])).toEqual([
    ['clob', expect.stringMatching(/SSL|TLS|EPROTO/)],
    ['data_api', expect.stringMatching(/ENOTFOUND|EAI_AGAIN/)],
    ['site', expect.stringMatching(/ECONNREFUSED/)],
    ['polygon_ws', expect.stringMatching(/^unreachable: .*ECONNREFUSED/)],
    ['rtds', expect.stringMatching(/^unreachable: .*(ENOTFOUND|EAI_AGAIN)/)],
    ['live_v2', expect.stringMatching(/^unreachable: .*(SSL|TLS|EPROTO|wrong version)/)],
  ])
})
