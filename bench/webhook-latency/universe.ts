import { openSimulator, type UpstreamUrls } from '../../sim/simulator.js'
import { Universe } from '../../sim/universe/universe.js'
import type { Wallet } from '../../sim/universe/wallet.js'

// A busy universe in a process of its own. It lives at a fixed time of day, because how much is traded
// depends on it, unless the bench gives the start as an argument. The last two arguments make bursts of trades.

/** What the bench has to know of it. */
export type UniverseReady = {
  upstreams: UpstreamUrls
  /** From the real time to that of the universe. */
  offsetMs: number
  headBlock: number
  /** Takers, the busiest kinds last. */
  takers: string[]
  builders: string[]
  /** Of topics, which last. */
  conditions: string[]
}

const HISTORY_MS = 60_000
const TICK_MS = 20
const BLOCKS_BEFORE = 5

const [intensity = 1, startMs = Date.UTC(2026, 10, 12, 14), everyBlocks = 0, factor = 1] = process.argv
  .slice(2)
  .map(Number)
const nowMs = startMs + HISTORY_MS
const bursts = everyBlocks > 0 ? { everyBlocks, factor } : undefined
const universe = new Universe({ seed: 1, startMs, presentMs: startMs, intensity, bursts })
universe.advance(nowMs)
const simulator = await openSimulator(universe)
const offsetMs = nowMs - Date.now()
setInterval(() => universe.advance(Date.now() + offsetMs), TICK_MS)
process.on('disconnect', () => process.exit())

const isTaker = ({ character }: Wallet) => character !== 'maker'
const topics = universe.catalogue.events().filter(({ window }) => window === undefined)
const ready: UniverseReady = {
  upstreams: simulator.upstreams,
  offsetMs,
  headBlock: universe.chain.head.number - BLOCKS_BEFORE,
  takers: universe.wallets.filter(isTaker).map(({ address }) => address),
  builders: universe.builders.map(({ code }) => code),
  conditions: topics.flatMap(({ markets }) => markets.map(({ conditionId }) => conditionId)),
}
process.send?.(ready)
