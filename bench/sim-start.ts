import assert from 'node:assert'
import { Universe } from '../sim/universe/universe.js'
import type { Bench } from './lib/bench.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const HISTORY_MS = 3 * 86_400_000
const SECONDS_MAX = 5
const FILLS_MIN = 50_000
const WALLETS_MIN = 2_000

export const simStart: Bench = {
  name: 'sim-start',
  promise: `three days of history (${FILLS_MIN.toLocaleString('en-US')} fills or more) against ${SECONDS_MAX} s`,
  ratioMin: 1,
  unit: 'histories/hour',
  async prepare() {
    let seed = 0
    return {
      ours: async () => 3_600 / generate(++seed),
      yardstick: async () => 3_600 / SECONDS_MAX,
      close: async () => undefined,
    }
  },
}

function generate(seed: number): number {
  const startedAt = performance.now()
  const universe = new Universe({ seed, startMs: NOW_MS - HISTORY_MS })
  universe.advance(NOW_MS)
  const seconds = (performance.now() - startedAt) / 1000
  const fills = universe.settledActs.matches.flatMap(({ tx: { act } }) => [act.taker, ...act.makers])
  const wallets = new Set(fills.map(({ order }) => order.wallet))
  assert(fills.length >= FILLS_MIN && wallets.size >= WALLETS_MIN, 'the history is as rich as promised')
  return seconds
}
