import { Registry } from 'prom-client'
import { openSimulator, SIM_CREDENTIALS, type Simulator } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { type Config, loadConfig } from '../src/config.js'
import { systemClock } from '../src/lib/clock.js'
import { createLog } from '../src/log.js'
import { createUpstreamMetrics } from '../src/upstreams/transport/metrics.js'
import { Upstreams } from '../src/upstreams/upstreams.js'

const HOUR_MS = 3_600_000
const TICK_MS = 20

export type SimulatedUpstreams = Awaited<ReturnType<typeof openSimulatedUpstreams>>

/** The configuration that points every connector at the simulator. */
export function simulatedConfig({ upstreams }: Pick<Simulator, 'upstreams'>): Config {
  const { liveV2, chainlink } = SIM_CREDENTIALS
  return loadConfig({
    AUSPEX_POLYGON_URL: upstreams.polygon_http,
    AUSPEX_POLYGON_WS_URL: upstreams.polygon_ws,
    AUSPEX_GAMMA_URL: upstreams.gamma,
    AUSPEX_CLOB_URL: upstreams.clob,
    AUSPEX_CLOB_WS_URL: upstreams.clob_ws,
    AUSPEX_DATA_API_URL: upstreams.data_api,
    AUSPEX_SITE_URL: upstreams.site,
    AUSPEX_RTDS_WS_URL: upstreams.rtds,
    AUSPEX_LIVE_V2_WS_URL: upstreams.live_v2,
    AUSPEX_CHAINLINK_URL: upstreams.chainlink,
    AUSPEX_CHAINLINK_WS_URL: upstreams.chainlink_ws,
    AUSPEX_CLOB_API_KEY: liveV2.apiKey,
    AUSPEX_CLOB_SECRET: liveV2.secret,
    AUSPEX_CLOB_PASSPHRASE: liveV2.passphrase,
    AUSPEX_CHAINLINK_API_KEY: chainlink.apiKey,
    AUSPEX_CHAINLINK_SECRET: chainlink.secret,
  }).config
}

/** A universe of an hour that lives on in real time, and the production connectors reading it. */
export async function openSimulatedUpstreams() {
  const startMs = Math.floor((Date.now() - HOUR_MS) / 1000) * 1000
  const universe = new Universe({ seed: 3, startMs })
  universe.advance(Date.now())
  const simulator = await openSimulator(universe)
  const ticking = setInterval(() => universe.advance(Date.now()), TICK_MS)
  const config = simulatedConfig(simulator)
  const upstreams = new Upstreams(config, {
    metrics: createUpstreamMetrics(new Registry()),
    clock: systemClock,
    log: createLog('silent', process.stderr),
  })
  return {
    simulator,
    config,
    upstreams,
    close: async () => {
      clearInterval(ticking)
      await upstreams.close()
      await simulator.close()
    },
  }
}
