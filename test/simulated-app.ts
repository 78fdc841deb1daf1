import { simulatedEnvironment } from '../demo/simulator.js'
import { openSimulator, type UpstreamUrls } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { bookFrom } from '../src/chain/backfill/test-world.js'
import { loadConfig } from '../src/config/config.js'
import type { Timing } from '../src/lib/timing.js'
import { createTestApp } from './test-app.js'

const START_MS = Date.UTC(2026, 10, 14, 12)

type SimulatedAppOptions = {
  isBooked?: boolean
  hasGames?: boolean
  /** Of calls to upstreams. */
  timing?: Timing
  /** Where the upstreams are reached, when that is not at the simulator itself. */
  reroute?: (urls: UpstreamUrls) => UpstreamUrls
}

export type SimulatedApp = Awaited<ReturnType<typeof openSimulatedApp>>

/**
 * The production application whose upstreams are the simulator's. The clock stands at the end of a
 * history of half an hour, which is in the database when it `isBooked`.
 */
export async function openSimulatedApp(options: SimulatedAppOptions = {}) {
  const { isBooked = false, hasGames = false, timing, reroute = (urls) => urls } = options
  const universe = new Universe({ seed: 5, startMs: START_MS, hasGames })
  universe.advance(START_MS + 30 * 60_000)
  const simulator = await openSimulator(universe)
  const { config } = loadConfig(simulatedEnvironment(reroute(simulator.upstreams)))
  const node = { universe, host: { url: simulator.upstreams.polygon_http } }
  const t = isBooked
    ? await createTestApp({ config, timing, database: await bookFrom(node, universe.chain.firstNumber) })
    : await createTestApp({ config, timing })
  t.clock.set(universe.nowMs)
  const { key } = await t.createCaller('enterprise')
  const get = (url: string) => t.app.inject({ url, headers: { 'x-api-key': key } })
  const close = async () => {
    await t.ctx.upstreams.close()
    await t.close()
    await simulator.close()
  }
  return { ...t, universe, key, faults: simulator.faults, get, close }
}
