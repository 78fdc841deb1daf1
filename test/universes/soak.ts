import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../../bench/lib/compare.js'
import { residentBytes } from '../../bench/lib/processes.js'
import { randomFrom } from '../random.js'
import type { LoadMessage } from './clients/load-child.js'
import type { Asked } from './clients/load-client.js'
import { type Plan, type Step, showKinds } from './plan.js'
import { judge, MARGIN_BLOCKS, type Outcome } from './run.js'
import { NEAR_KINDS, runStep, type StepKind, UPSTREAM_KINDS } from './steps.js'
import { openWorld, type World, type WorldOptions } from './world.js'

const MINUTE_MS = 60_000
/** About 50 fills a second, as many as the venue has. */
const INTENSITY = 250
const FAULT_EVERY_MS = 4_000
const DATABASE_KILL_EVERY_MS = 5 * MINUTE_MS
const SAMPLE_MS = 5_000
/** Promises: how much longer answers may take than undisturbed, and how much more memory the end may have than the second quarter. */
const SLOWER_MAX = 2
const GROWTH_MAX = 1.15
const SLOWEST_SHOWN = 10

/** Faults of everything around the service, and of its clients. The database is killed too, but seldom. */
const BACKGROUND = [
  ...UPSTREAM_KINDS,
  ...NEAR_KINDS.filter((kind) => /^(reorg|client|receiver|change|revoke)/.test(kind)),
]

const soakPlan = (seed: number): Plan => ({
  seed,
  intensity: INTENSITY,
  comboShare: 0.1,
  historyMs: 2 * MINUTE_MS,
  speed: 1,
  hasPrices: true,
  processes: ['ingest,api,stream,worker'],
  hasRedis: false,
  settings: {},
  beginsReady: true,
  isUpgraded: false,
  isComparedMidway: false,
  stretchMs: 0,
  steps: [],
})

/**
 * One service at the venue's rate for a long time: undisturbed for a quarter of it, then with faults in the background. Says what
 * took longer, grew or failed, and compares everything at the end as a universe does.
 */
export async function soak(minutes: number, seed: number, options: WorldOptions): Promise<Outcome> {
  const plan = soakPlan(seed)
  const world = await openWorld(plan, options)
  try {
    return await soakWorld(world, plan, minutes)
  } finally {
    await world.close()
  }
}

async function soakWorld(world: World, plan: Plan, minutes: number): Promise<Outcome> {
  const [service] = world.services
  if (service === undefined || !(await service.untilReady())) throw new Error('the service does not start')
  await world.webhooks.createHooks()
  const hooksFrom = world.universe.chain.head.number + MARGIN_BLOCKS
  const load = startLoad({ url: service.url, key: world.keys.compareKey })
  const memoryMb: number[] = []
  const sampling = setInterval(() => {
    if (service.pid !== undefined) memoryMb.push(Math.round(residentBytes(service.pid) / 2 ** 20))
  }, SAMPLE_MS)
  const quietMs = (minutes * MINUTE_MS) / 4
  await delay(quietMs)
  const disturbedFrom = Date.now()
  const steps = await disturbUntil(world, performance.now() + 3 * quietMs, randomFrom(plan.seed))
  clearInterval(sampling)
  const asked = await load.end()
  console.log(`faults: ${showKinds(steps)}`)
  const problems = [...compareTimes(asked, disturbedFrom), ...findFailures(asked), ...compareMemory(memoryMb)]
  const fills = world.streams[0]?.messages.filter(({ type }) => type === 'trade').length ?? 0
  const judged = await judge(world, { ...plan, steps }, { hooksFrom, problems })
  return { problems: judged, fills, pages: asked.length }
}

/** A client in a process of its own: here it would wait for the simulator. */
function startLoad(service: { url: string; key: string }) {
  const child = fork(resolve(import.meta.dirname, 'clients/load-child.js'))
  const send = (message: LoadMessage) => child.send(message)
  send(service)
  return {
    end: async (): Promise<readonly Asked[]> => {
      send('enough')
      const [asked] = await once(child, 'message')
      return asked
    },
  }
}

/** Returns the steps that it has done. */
async function disturbUntil(world: World, endMs: number, below: (bound: number) => number): Promise<Step[]> {
  const steps: Step[] = []
  const running: Promise<void>[] = []
  const startedAt = performance.now()
  const begin = (kind: StepKind) => {
    const step = { atMs: performance.now() - startedAt, kind, pick: below(1_000_000) }
    steps.push(step)
    running.push(runStep(world, step))
  }
  let nextKill = startedAt + DATABASE_KILL_EVERY_MS / 2
  while (performance.now() < endMs) {
    begin(BACKGROUND[below(BACKGROUND.length)] ?? 'reorg')
    if (performance.now() >= nextKill) {
      begin('kill the database')
      nextKill += DATABASE_KILL_EVERY_MS
    }
    await delay(FAULT_EVERY_MS)
  }
  await Promise.all(running)
  return steps
}

/** Of answers that were given: those of the seconds without a database are refused, and count among the failures. */
function compareTimes(asked: readonly Asked[], disturbedFrom: number): string[] {
  const answered = asked.filter(({ status }) => status === 200)
  const quiet = p99(answered.filter(({ atMs }) => atMs < disturbedFrom))
  const disturbed = p99(answered.filter(({ atMs }) => atMs >= disturbedFrom))
  console.log(
    `${answered.length} answers, p99 ${quiet.toFixed(0)} ms undisturbed, ${disturbed.toFixed(0)} ms with faults`,
  )
  const slowest = answered.filter(({ atMs }) => atMs >= disturbedFrom).sort((a, b) => b.ms - a.ms)
  for (const { path, ms, atMs } of slowest.slice(0, SLOWEST_SHOWN)) {
    console.log(
      `  ${ms.toFixed(0)} ms, ${((atMs - disturbedFrom) / 1_000).toFixed(0)} s after the first fault: ${path}`,
    )
  }
  return disturbed <= SLOWER_MAX * quiet
    ? []
    : [`p99 is ${disturbed.toFixed(0)} ms with faults and ${quiet.toFixed(0)} ms without`]
}

/** No 5xx but 503 with `retry-after`, and no request without an answer. */
function findFailures(asked: readonly Asked[]): string[] {
  const refused = asked.filter(({ status }) => status === 503)
  console.log(`${refused.length} requests refused with 503`)
  const failed = asked.filter(
    ({ status, hasRetryAfter }) => status === 0 || (status >= 500 && !(status === 503 && hasRetryAfter)),
  )
  return failed
    .slice(0, 5)
    .map(({ path, status, ms }) => `${path} answered ${status} after ${ms.toFixed(0)} ms`)
}

/** Medians of the second and of the last quarter: the first one still warms up. */
function compareMemory(memoryMb: readonly number[]): string[] {
  const quarter = Math.max(1, Math.floor(memoryMb.length / 4))
  const early = median(memoryMb.slice(quarter, 2 * quarter))
  const late = median(memoryMb.slice(-quarter))
  console.log(
    `memory: ${early} MB in the second quarter, ${late} MB in the last, ${Math.max(...memoryMb)} MB at most`,
  )
  return late <= GROWTH_MAX * early ? [] : [`memory grew from ${early} to ${late} MB`]
}

const median = (values: readonly number[]): number => percentile(values, 0.5)

const p99 = (asked: readonly Asked[]): number =>
  percentile(
    asked.map(({ ms }) => ms),
    0.99,
  )
