import { simulatedEnvironment } from '../../../demo/simulator.js'
import { openSimulator } from '../../../sim/simulator.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestApp } from '../../../test/test-app.js'
import { storeEntries } from '../../catalogue/store.js'
import { loadConfig } from '../../config/config.js'
import { systemTiming } from '../../lib/timing.js'
import { HoldingProxy } from '../test-holding-proxy.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
/** Some games are settled by then. The world stands a minute after the next one is over. */
const HISTORY_MS = 6 * 3_600_000
/** Longer than the longest rest of a breaker. */
const REST_MS = 120_000

export type GamesWorld = Awaited<ReturnType<typeof openGamesWorld>>

/**
 * The production application on a simulated universe with games. Calls of Gamma pass a proxy that
 * counts them and answers instead of Gamma where a test says so; waits between tries are short.
 */
export async function openGamesWorld() {
  const universe = new Universe({ seed: 5, startMs: START_MS, hasGames: true, intensity: 0.1 })
  universe.advance(START_MS + HISTORY_MS)
  const whistles = universe.games().map(({ endMs }) => endMs)
  const nextMs = Math.min(...whistles.filter((endMs) => endMs > universe.nowMs))
  universe.advance(nextMs + 60_000)
  const simulator = await openSimulator(universe)
  const gammaProxy = await HoldingProxy.open()
  const upstreams = { ...simulator.upstreams, gamma: gammaProxy.forwardTo(simulator.upstreams.gamma) }
  const { config } = loadConfig(simulatedEnvironment(upstreams))
  let restedMs = 0
  const timing = {
    now: () => systemTiming.now() + restedMs,
    sleep: (ms: number, signal: AbortSignal) => systemTiming.sleep(Math.min(ms, 5), signal),
  }
  const t = await createTestApp({ config, timing })
  t.clock.set(universe.nowMs)
  const { key } = await t.createCaller('enterprise')
  const get = (url: string) => t.app.inject({ url, headers: { 'x-api-key': key, host: 'here.test' } })
  return {
    ...t,
    universe,
    gammaProxy,
    get,
    key,
    faults: simulator.faults,
    /** Ends all faults, and waits out the cool-down of the breaker. */
    endFaults: async () => {
      gammaProxy.answerInstead = () => undefined
      simulator.faults.set({ upstream: 'gamma', mode: 'off' })
      restedMs += REST_MS
      await t.ctx.upstreams.gamma.listMarketTypes()
    },
    /** Stores an event as the catalogue does. */
    storeEvent: async (id: string) => {
      const event = await t.ctx.upstreams.gamma.getEvent(id)
      const events = event === undefined ? [] : [event]
      await storeEntries(t.domains.catalogue, { events })
    },
    close: async () => {
      await t.ctx.upstreams.close()
      await t.close()
      await gammaProxy.close()
      await simulator.close()
    },
  }
}
