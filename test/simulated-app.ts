import { simulatedEnvironment } from '../demo/simulator.js'
import { openSimulator } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { bookFrom } from '../src/chain/backfill/test-world.js'
import { loadConfig } from '../src/config/config.js'
import { createTestApp } from './test-app.js'

const START_MS = Date.UTC(2026, 10, 14, 12)

export type SimulatedApp = Awaited<ReturnType<typeof openSimulatedApp>>

/**
 * The production application whose upstreams are the simulator's. The clock stands at the end of a
 * history of half an hour, which is in the database when it `isBooked`.
 */
export async function openSimulatedApp({ isBooked = false, hasGames = false } = {}) {
  const universe = new Universe({ seed: 5, startMs: START_MS, hasGames })
  universe.advance(START_MS + 30 * 60_000)
  const simulator = await openSimulator(universe)
  const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
  const node = { universe, host: { url: simulator.upstreams.polygon_http } }
  const t = isBooked
    ? await createTestApp({ config, database: await bookFrom(node, universe.chain.firstNumber) })
    : await createTestApp({ config })
  t.clock.set(universe.nowMs)
  const { key } = await t.createCaller('enterprise')
  const get = (url: string) => t.app.inject({ url, headers: { 'x-api-key': key } })
  const close = async () => {
    await t.ctx.upstreams.close()
    await t.close()
    await simulator.close()
  }
  return { ...t, universe, faults: simulator.faults, get, close }
}
