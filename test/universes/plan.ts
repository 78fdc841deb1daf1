import { REORG_DEPTH_MAX } from '../../sim/universe/universe.js'
import { randomFrom } from '../random.js'
import { NEAR_KINDS, type StepKind, UPSTREAM_KINDS } from './steps.js'

/** What is done to a universe at a moment. `pick` decides the details: which process, how deep, how long. */
export type Step = { atMs: number; kind: StepKind; pick: number }

/** Everything that decides how a universe goes, but for the races of its processes. */
export type Plan = {
  seed: number
  /** How much is traded; about a fill in 5 s of the universe at 1. */
  intensity: number
  comboShare: number
  /** How much of the past the chain has when the services start. */
  historyMs: number
  /** Seconds of the universe in one of ours. */
  speed: number
  /** Whether the services follow prices, order books and scores: they are much work, and decide no money. */
  hasPrices: boolean
  /** The roles of each service process. */
  processes: readonly string[]
  hasRedis: boolean
  /**
   * The services begin this many blocks before the head, below any reorganisation, and a command reads the rest at the end;
   * absent: at the first block.
   */
  blocksAtStart?: number
  /** The heap of each process, where it is small. */
  heapMb?: number
  /** The database is that of an earlier version: the first service to start brings it up to date. */
  isUpgraded: boolean
  /** Faults end in the middle for a while, and what the services say then is compared too. */
  isComparedMidway: boolean
  /** Settings of the services beside their addresses. */
  settings: Readonly<Record<string, string>>
  /** The steps begin when all processes are ready; else with their start. */
  beginsReady: boolean
  /** When the steps end, from their beginning on. */
  stretchMs: number
  /** In the order of their moments. */
  steps: readonly Step[]
}

const ALL = 'ingest,api,stream,worker'
/** Each has all roles in it. One process alone, as most people run it, twice. */
const TOPOLOGIES: readonly (readonly string[])[] = [
  [ALL],
  [ALL],
  [ALL, ALL],
  ['ingest,worker', 'api,stream'],
  ['ingest,api,stream', 'ingest,worker', 'api,stream,worker'],
]
const SETTINGS: readonly Readonly<Record<string, string>>[] = [
  {},
  { AUSPEX_DATABASE_CONNECTIONS: '4' },
  { AUSPEX_CACHE_MB: '1' },
  // A node that allows few calls: reading falls behind, and catches up.
  { AUSPEX_POLYGON_CALLS_PER_SECOND: '40' },
  { AUSPEX_RETENTION_DAYS: '1', AUSPEX_TICK_RETENTION_DAYS: '1' },
]

const REORGS: readonly StepKind[] = ['reorg', 'reorg', 'deep reorg']
/** A reorganisation, to which all must agree, is every eighth step; most others are about the processes and clients themselves. */
const KINDS = [
  REORGS,
  NEAR_KINDS,
  NEAR_KINDS,
  NEAR_KINDS,
  NEAR_KINDS,
  UPSTREAM_KINDS,
  UPSTREAM_KINDS,
  UPSTREAM_KINDS,
]

const MINUTE_MS = 60_000

export type PlanOptions = { stretchMs: number }

/** The same plan for the same seed and options. */
export function drawPlan(seed: number, { stretchMs }: PlanOptions): Plan {
  const below = randomFrom(seed * 7_919)
  const pickOf = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const startsLate = below(4) === 0
  const count = Math.round(stretchMs / 1_000) + below(Math.round(stretchMs / 500))
  const steps = Array.from({ length: count }, () => ({
    atMs: below(stretchMs),
    kind: pickOf(pickOf(KINDS)),
    pick: below(1_000_000),
  }))
  return {
    seed,
    intensity: 3 + below(10),
    comboShare: pickOf([0.02, 0.1, 0.3]),
    historyMs: (2 + below(5)) * MINUTE_MS,
    speed: pickOf([2, 4]),
    hasPrices: below(4) === 0,
    processes: pickOf(TOPOLOGIES),
    hasRedis: below(3) === 0,
    ...(below(5) === 0 && { heapMb: 160 }),
    ...(startsLate && { blocksAtStart: REORG_DEPTH_MAX + 12 + below(60) }),
    settings: pickOf(SETTINGS),
    beginsReady: below(3) > 0,
    isUpgraded: below(5) === 0,
    isComparedMidway: !startsLate && below(5) === 0,
    stretchMs,
    steps: steps.sort((a, b) => a.atMs - b.atMs),
  }
}

/** How often each kind comes, the most frequent first. */
export function showKinds(steps: readonly Step[]): string {
  const counts = new Map<StepKind, number>()
  for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const kinds = [...counts].sort(([, a], [, b]) => b - a)
  return kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')
}
