import { setTimeout as delay } from 'node:timers/promises'
import type { FaultOrder } from '../../sim/server/fault-order.js'
import type { Answer } from '../webhooks/receiver.js'
import type { ServiceClock } from './faults/service-clock.js'
import {
  type ClientTarget,
  hangInAnswer,
  hangInBody,
  openUnreadSocket,
  type SlowClient,
} from './faults/slow-clients.js'
import type { World } from './world.js'

type Run = (world: World, pick: number) => Promise<void>

const HOUR_MS = 3_600_000

/** Faults of the node, which every answer comes from. Each ends by itself. */
const NODE_FAULTS: readonly Omit<FaultOrder, 'upstream'>[] = [
  { mode: '500', rate: 0.4, seconds: 1.5 },
  { mode: '429', rate: 0.4, seconds: 1.5 },
  { mode: 'slow', rate: 0.3, delayMs: 300, seconds: 1.5 },
  { mode: 'garbage', rate: 0.2, seconds: 1.5 },
  { mode: 'truncated', rate: 0.2, seconds: 1.5 },
  { mode: 'drop', seconds: 0.5 },
  { mode: 'half-open', seconds: 1 },
  { mode: 'silent', seconds: 1.5 },
  { mode: 'duplicate', rate: 0.5, seconds: 2 },
  { mode: 'missed-heads', seconds: 2 },
  { mode: 'range-too-large', seconds: 1.5 },
  { mode: 'too-many-results', rate: 0.5, seconds: 1.5 },
  { mode: 'reordered', rate: 0.5, seconds: 2 },
  { mode: 'missing-logs', seconds: 2 },
  { mode: 'doubled-logs', seconds: 2 },
  { mode: 'contradicting-logs', seconds: 2 },
  { mode: 'head-back', blocks: 20, seconds: 2 },
  { mode: 'two-nodes', blocks: 5, seconds: 2 },
]

/** Faults of everything else: what it sends is shown, but decides no money. */
const OTHER_FAULTS: readonly FaultOrder[] = [
  { upstream: 'gamma', mode: '500', rate: 0.5, seconds: 2 },
  { upstream: 'gamma', mode: 'slow', rate: 0.5, delayMs: 500, seconds: 2 },
  { upstream: 'gamma', mode: 'garbage', rate: 0.3, seconds: 2 },
  { upstream: 'gamma', mode: 'truncated', rate: 0.3, seconds: 2 },
  { upstream: 'gamma', mode: 'half-open', rate: 0.3, seconds: 1 },
  { upstream: 'clob', mode: '500', rate: 0.5, seconds: 2 },
  { upstream: 'clob', mode: 'garbage', rate: 0.3, seconds: 2 },
  { upstream: 'clob_ws', mode: 'drop', seconds: 0.5 },
  { upstream: 'clob_ws', mode: 'garbage', rate: 0.2, seconds: 1 },
  { upstream: 'clob_ws', mode: 'duplicate', rate: 0.5, seconds: 2 },
  { upstream: 'rtds', mode: 'drop', seconds: 0.5 },
  { upstream: 'rtds', mode: 'garbage', rate: 0.2, seconds: 1 },
  { upstream: 'live_v2', mode: 'drop', seconds: 1 },
  { upstream: 'data_api', mode: '500', seconds: 2 },
  { upstream: 'data_api', mode: 'truncated', rate: 0.5, seconds: 2 },
  { upstream: 'sports_ws', mode: 'drop', seconds: 0.5 },
]

/** One that never answers is left to tests of its own: each of its deliveries would take a run ten seconds. */
const RECEIVER_FAULTS: readonly Answer[] = [500, 301, 'reset', 'close', { status: 200, delayMs: 2_000 }]

const upstreamSteps = [
  ...NODE_FAULTS.map((fault): FaultOrder => ({ upstream: 'polygon', ...fault })),
  ...OTHER_FAULTS,
].map((order) => [
  `${order.upstream} ${order.mode}`,
  async ({ simulator }: World) => simulator.faults.set(order),
]) as readonly [string, Run][]

const NEAR_STEPS: Readonly<Record<string, Run>> = {
  reorg: async ({ universe }, pick) => universe.reorg(1 + (pick % 6)),
  'deep reorg': async ({ universe }, pick) => universe.reorg(7 + (pick % 122)),

  'kill a process': async ({ services }, pick) => {
    const service = pickFrom(services, pick)
    await service?.kill()
    await delay(pick % 700)
    service?.start()
  },
  'kill all processes': async ({ services }, pick) => {
    await Promise.all(services.map((service) => service.kill()))
    await delay(pick % 700)
    for (const service of services) service.start()
  },
  'restart a process': async ({ services }, pick) => {
    const service = pickFrom(services, pick)
    await service?.stop()
    service?.start()
  },
  'pause a process': async ({ services }, pick) => {
    const service = pickFrom(services, pick)
    service?.pause()
    await delay(200 + (pick % 3_000))
    service?.resume()
  },

  'kill the database': async ({ database }, pick) => {
    await database.kill()
    await delay(pick % 1_000)
    await database.start()
  },
  'pause the database': async ({ database }, pick) => {
    database.pause()
    await delay(200 + (pick % 2_000))
    database.resume()
  },
  'cut connections': async ({ proxy }) => proxy.cutAll(),
  'cut before commits': async ({ proxy }) => cutCommits(proxy, 'before'),
  'cut after commits': async ({ proxy }) => cutCommits(proxy, 'after'),
  'fill the disk': async ({ database }, pick) => {
    if (!database.canFillDisk) return
    database.fillDisk()
    await delay(200 + (pick % 1_000))
    database.freeDisk()
    // A database that could not write its log has ended.
    await database.start()
  },

  // The step sets the clock right soon after: until then the service refuses prices that come from the future.
  'clock an hour ahead': ({ clocks }, pick) => jumpAndBack(pickFrom(clocks, pick), HOUR_MS, pick),
  'clock an hour back': ({ clocks }, pick) => jumpAndBack(pickFrom(clocks, pick), -HOUR_MS, pick),

  'client vanishes': async ({ streams }, pick) => pickFrom(streams, pick)?.vanish(),
  'client reads nothing': (world, pick) => beSlow(world, pick, openUnreadSocket),
  'client hangs in its request': (world, pick) =>
    beSlow(world, pick, (target) => hangInBody(target, '/v3/webhooks')),
  'client hangs in the answer': (world, pick) =>
    beSlow(world, pick, (target) => hangInAnswer(target, '/v3/trades?limit=300', 20)),
  'receiver fails': async ({ webhooks }, pick) => {
    webhooks.answer = RECEIVER_FAULTS[pick % RECEIVER_FAULTS.length] ?? 500
    await delay(300 + (pick % 700))
    webhooks.answer = 200
  },
  'change a webhook': async ({ webhooks }, pick) => webhooks.change(pick),
  'revoke a key': async ({ keyHolder }, pick) => keyHolder.revokeOne(pick),
  'read blocks again': async ({ command }) => {
    // It may fail beside other faults: the next one, or none, finds the same database.
    await command('backfill', '--again')
  },

  'kill redis': async ({ redis }, pick) => {
    await redis?.kill()
    await delay(pick % 1_000)
    await redis?.start()
  },
  'pause redis': async ({ redis }, pick) => {
    redis?.pause()
    await delay(200 + (pick % 1_500))
    redis?.resume()
  },
}

const STEPS: Readonly<Record<string, Run>> = { ...NEAR_STEPS, ...Object.fromEntries(upstreamSteps) }

/** Those of a process that is away do nothing. */
async function beSlow(world: World, pick: number, open: (target: ClientTarget) => Promise<SlowClient>) {
  const url = pickFrom(world.urlsOf('api'), pick) ?? ''
  const client = await open({ url, key: world.keys.slowKey }).catch(() => undefined)
  await delay(500 + (pick % 3_000))
  client?.close()
}

/** Several: one of them may be that of a block. */
function cutCommits(proxy: World['proxy'], moment: 'before' | 'after'): void {
  for (let count = 0; count < 5; count++) void proxy.cutDuringCommit(moment)
}

async function jumpAndBack(clock: ServiceClock | undefined, ms: number, pick: number): Promise<void> {
  clock?.jump(ms)
  await delay(300 + (pick % 3_000))
  clock?.jump(-ms)
}

export type StepKind = keyof typeof STEPS & string

/** Steps that are done to upstreams, and to the chain, processes, database and clients. */
export const UPSTREAM_KINDS: readonly StepKind[] = upstreamSteps.map(([kind]) => kind)
export const NEAR_KINDS: readonly StepKind[] = Object.keys(NEAR_STEPS)

/**
 * Does it, and resolves when what it has broken is whole again. The caller begins other steps before it awaits this one:
 * until then Node.js would end the process at the error of a step, as at any error without a handler.
 */
export function runStep(world: World, { kind, pick }: { kind: StepKind; pick: number }): Promise<void> {
  const done = STEPS[kind]?.(world, pick) ?? Promise.resolve()
  done.catch(() => undefined)
  return done
}

const pickFrom = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length]
