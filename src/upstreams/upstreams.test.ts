import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { type Environment, loadConfig } from '../config/config.js'
import { systemClock } from '../core/clock.js'
import { createLog } from '../lib/log.js'
import { createUpstreamMetrics } from './transport/metrics.js'
import { Upstreams } from './upstreams.js'

const LIVE_V2 = { AUSPEX_CLOB_API_KEY: 'a', AUSPEX_CLOB_SECRET: 'b', AUSPEX_CLOB_PASSPHRASE: 'c' }
const CHAINLINK = { AUSPEX_CHAINLINK_API_KEY: 'a', AUSPEX_CHAINLINK_SECRET: 'b' }

test.each<[Environment, string[]]>([
  [{ AUSPEX_RTDS_WS_URL: 'off' }, []],
  [{}, ['rtds']],
  [{ ...LIVE_V2, AUSPEX_CLOB_SECRET: '' }, ['rtds']],
  [{ ...LIVE_V2, ...CHAINLINK }, ['live_v2', 'rtds', 'chainlink']],
])('a source of prices that lacks its credentials, or is off, is not made: %o', (environment, names) => {
  const metrics = createUpstreamMetrics(new Registry())
  const log = createLog('silent', process.stderr)
  const { config } = loadConfig(environment)
  const sources = new Upstreams(config, { metrics, clock: systemClock, log }).priceSources()
  expect(sources.map(({ name }) => name)).toEqual(names)
})
