import { setImmediate as breathe } from 'node:timers/promises'
import { chooseSamples, type Samples } from './samples.js'
import { openSimulator, type Simulator } from './simulator.js'
import { openState, writeState } from './state-file.js'
import { type SimTime, simulatedMs } from './time.js'
import { Universe } from './universe/universe.js'

const TICK_MS = 100
/** Events whose token ids are derived ahead of need: all at once would hold up the first request. */
const DERIVED_PER_TICK = 150
const SAVE_MS = 5_000
const SLICE_MS = 30 * 60_000

/** Of combos there are enough that some were redeemed in any history of hours: who tries the API finds each kind of thing. */
export const WHOLE_WORLD = { hasGames: true, hasReorgs: true, comboShare: 0.05 }

type RunOptions = {
  seed: number
  historyMs: number
  /** Simulated seconds per real second. */
  speed: number
  intensity: number
  /** Where to keep what a restart needs to continue the same universe. */
  statePath: string | undefined
  onProgress: (share: number) => void
  /** The hosts are open; the history of the universe is only beginning. */
  onOpen: (opened: Pick<Running, 'simulator' | 'time'>) => void
}

export type Running = {
  simulator: Simulator
  samples: Samples
  /** The newest block when the history was simulated. */
  headBlock: number
  time: SimTime
  stop(): Promise<void>
}

/** Opens the hosts, generates the history, and lets time pass. */
export async function runSimulator(options: RunOptions): Promise<Running> {
  const { speed, statePath } = options
  const state = openState(options, statePath)
  const universe = new Universe({
    ...state,
    ...WHOLE_WORLD,
    presentMs: state.startMs + state.historyMs,
  })
  const time: SimTime = { startedMs: Date.now(), aheadMs: state.aheadMs, speed }
  const nowMs = () => simulatedMs(time, Date.now())
  const simulator = await openSimulator(universe, true)
  options.onOpen({ simulator, time })
  await liveHistory(universe, nowMs, options.onProgress)
  simulator.awake()
  const samples = chooseSamples(universe)
  const headBlock = universe.chain.head.number

  const ticking = setInterval(() => {
    universe.advance(nowMs())
    universe.catalogue.deriveTokens(DERIVED_PER_TICK)
  }, TICK_MS)
  const save = () => {
    if (statePath === undefined) return
    const aheadMs = nowMs() - Date.now()
    writeState(statePath, { ...state, aheadMs, reorgs: universe.reorgs })
  }
  save()
  const saving = setInterval(save, SAVE_MS)
  // A reader that followed the replacement must find the same blocks after a crash.
  universe.on('reorg', save)
  return {
    simulator,
    samples,
    headBlock,
    time,
    stop: async () => {
      clearInterval(ticking)
      clearInterval(saving)
      save()
      await simulator.close()
    },
  }
}

/** In slices, so that signals and progress get through. */
async function liveHistory(
  universe: Universe,
  nowMs: () => number,
  onProgress: (share: number) => void,
): Promise<void> {
  const { startMs } = universe
  // Time goes on meanwhile. Progress is measured by what was to do at first.
  const spanMs = nowMs() - startMs
  for (let toMs = startMs; toMs < nowMs(); toMs += SLICE_MS) {
    universe.advance(toMs)
    onProgress(Math.min(1, (toMs - startMs) / spanMs))
    await breathe()
  }
  universe.advance(nowMs())
  onProgress(1)
}
