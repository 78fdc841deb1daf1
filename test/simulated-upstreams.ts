import { Registry } from 'prom-client'
import { simulatedEnvironment } from '../demo/simulator.js'
import { openSimulator } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { type Environment, loadConfig } from '../src/config/config.js'
import { systemClock } from '../src/core/clock.js'
import { createLog } from '../src/lib/log.js'
import { createUpstreamMetrics } from '../src/upstreams/transport/metrics.js'
import { Upstreams } from '../src/upstreams/upstreams.js'

const HOUR_MS = 3_600_000
const TICK_MS = 20

export type SimulatedUpstreams = Awaited<ReturnType<typeof openSimulatedUpstreams>>

/** A universe of an hour that lives on in real time, and the production connectors reading it. */
export async function openSimulatedUpstreams() {
  const startMs = Math.floor((Date.now() - HOUR_MS) / 1000) * 1000
  const universe = new Universe({ seed: 3, startMs })
  universe.advance(Date.now())
  const simulator = await openSimulator(universe)
  const ticking = setInterval(() => universe.advance(Date.now()), TICK_MS)
  const log = createLog('silent', process.stderr)
  /** Connectors of their own, with some variables set differently. */
  const reconnect = (changes: Environment = {}) => {
    const { config } = loadConfig({ ...simulatedEnvironment(simulator.upstreams), ...changes })
    const metrics = createUpstreamMetrics(new Registry())
    return { config, upstreams: new Upstreams(config, { metrics, clock: systemClock, log }) }
  }
  const { config, upstreams } = reconnect()
  return {
    simulator,
    config,
    upstreams,
    reconnect,
    close: async () => {
      clearInterval(ticking)
      await upstreams.close()
      await simulator.close()
    },
  }
}
