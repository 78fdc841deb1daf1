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
  const answers = findings.map(({ upstream, ok, answer }) => [upstream, ok, answer])
  expect(answers).toEqual([
    ['polygon', true, expect.stringMatching(/^block \d+$/)],
    ['gamma', true, expect.stringMatching(/^[a-z0-9-]+$/)],
    ['clob', true, expect.stringMatching(/^20\d\d-/)],
    ['data_api', true, expect.stringMatching(/^0x[0-9a-f]{40}$/)],
    ['site', true, expect.stringMatching(/^BTC \d+/)],
    ['polygon_ws', true, expect.stringMatching(/^block \d+$/)],
    ['clob_ws', true, expect.stringMatching(/^book of \d+ tokens$/)],
    ['rtds', true, expect.stringMatching(/^\w+ [\d.]+$/)],
    ['live_v2', true, expect.stringMatching(/^\w+ [\d.]+$/)],
    ['chainlink', true, expect.stringMatching(/^\w+ [\d.]+$/)],
  ])
})

test('one that is down is named, the others are not affected', async () => {
  simulated.simulator.faults.set({ upstream: 'data_api', mode: '500' })
  const findings = await check()
  const failed = findings.filter(({ ok }) => !ok)
  expect(failed).toEqual([
    expect.objectContaining({ upstream: 'data_api', answer: expect.stringMatching(/500/) }),
  ])
})
