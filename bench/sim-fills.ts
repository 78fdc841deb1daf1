import { encodeAct } from '../sim/contracts/encode.js'
import { Universe } from '../sim/universe/universe.js'
import type { Bench } from './lib/bench.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
/** The real exchange at its busiest, and more. */
const INTENSITY = 100
const ROUND_MS = 10 * 60_000
const FILLS_PER_SEC_MIN = 20_000

export const simFills: Bench = {
  name: 'sim-fills',
  promise: 'simulated fills, from nothing to encoded logs, against the limit',
  ratioMin: 1,
  unit: 'fills/s',
  async prepare() {
    const universe = new Universe({ seed: 1, startMs: START_MS, intensity: INTENSITY })
    let nowMs = START_MS + ROUND_MS
    universe.advance(nowMs)
    return {
      ours: async () => {
        nowMs += ROUND_MS
        return liveOn(universe, nowMs)
      },
      yardstick: async () => FILLS_PER_SEC_MIN,
      close: async () => undefined,
    }
  },
}

function liveOn(universe: Universe, toMs: number): number {
  const startedAt = performance.now()
  const from = universe.chain.head.number
  universe.advance(toMs)
  let fills = 0
  for (let number = from + 1; number <= universe.chain.head.number; number++) {
    for (const { act } of universe.chain.block(number)?.transactions ?? []) {
      encodeAct(act)
      if (act.kind === 'match') fills += 1 + act.makers.length
    }
  }
  return fills / ((performance.now() - startedAt) / 1000)
}
