import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished } from 'vitest'
import { createPolygonHost } from '../../../sim/polygon/host.js'
import { Faults } from '../../../sim/server/faults.js'
import type { HostParts } from '../../../sim/server/handlers.js'
import { openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { until } from '../../../test/until.js'
import { sumMetric } from '../../../test/upstream-socket.js'
import { type Clock, systemClock } from '../../core/clock.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import { PolygonClient } from '../../upstreams/polygon/client.js'
import { WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { PolygonSocket } from '../../upstreams/polygon/socket.js'
import { createUpstreamMetrics } from '../../upstreams/transport/metrics.js'
import type { BlockSink } from './block-sink.js'
import { Follower, type FollowerOptions } from './follower.js'
import { createFollowMetrics, FollowStatus } from './status.js'
import { MemorySink } from './test-sink.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
/** A sink starts this far below the head unless a test says otherwise. */
const BLOCKS = 30

/** An hour passes in half a minute. */
const SPEED = 100
export const fastTiming: Timing = {
  now: () => performance.now() * SPEED,
  sleep: (ms, signal) => systemTiming.sleep(ms / SPEED, signal),
}

export type RpcCall = { id: number; method: string; params: readonly unknown[] }
/** Changes the answer to a call. */
export type Lie = (call: RpcCall, answer: RpcAnswer) => RpcAnswer
export type RpcAnswer = { result?: unknown; error?: { code: number; message: string } }

export type FollowWorld = Awaited<ReturnType<typeof openWorld>>

/** A universe with a short history, its node, and what it takes to follow it. */
export async function openWorld({ seed = 11, startMs = START_MS, historyMs = 60_000, intensity = 1 } = {}) {
  const universe = new Universe({ seed, startMs, intensity })
  universe.advance(startMs + historyMs)
  const faults = new Faults()
  const lies: { lie: Lie | undefined } = { lie: undefined }
  const parts = lying(createPolygonHost(universe, faults), lies)
  const host = await openHost('polygon', faults, parts)
  const makeBlock = () => {
    const { number } = universe.chain.head
    while (universe.chain.head.number === number) universe.advance(universe.nowMs + 1_000)
  }
  const close = () => host.close()
  return { universe, faults, lies, host, makeBlock, close }
}

type Changes = Partial<Omit<FollowerOptions, 'openSocket' | 'sink'>> & {
  hasSocket?: boolean
  clock?: Clock
}

/** Starts a follower with a sink in memory; it is stopped when the test ends. */
export function follow(world: FollowWorld, changes: Changes & { sink?: MemorySink } = {}) {
  const { sink = new MemorySink(), ...options } = changes
  return followInto(world, sink, options)
}

/** The same for any sink. */
export function followInto<AnySink extends BlockSink>(
  world: Pick<FollowWorld, 'universe'> & { host: { url: string; wsUrl: string } },
  sink: AnySink,
  changes: Changes = {},
) {
  const { hasSocket = true, clock = systemClock, ...options } = changes
  const { chain } = world.universe
  const registry = new Registry()
  const metrics = createUpstreamMetrics(new Registry())
  const log = pino({ level: 'silent' })
  const shared = { metrics, clock: systemClock, log }
  const polygon = new PolygonClient({
    ...shared,
    url: world.host.url,
    timing: fastTiming,
    timeoutMs: 1_000,
  })
  const status = new FollowStatus(clock, createFollowMetrics(registry))
  const timings = { handshakeMs: 500, stableMs: 60_000, backoff: { baseMs: 2, maxMs: 20 } }
  const socketOptions = { ...shared, url: world.host.wsUrl, timings, silentAfterMs: 300 }
  const controller = new AbortController()
  const running = new Follower({
    polygon,
    openSocket: (listener) => (hasSocket ? new PolygonSocket(socketOptions, listener) : undefined),
    sink,
    startBlock: chain.head.number - BLOCKS,
    status,
    log,
    timing: fastTiming,
    ...options,
  }).run(controller.signal)
  running.catch(() => undefined)
  const stop = () => {
    controller.abort()
    return running
  }
  onTestFinished(async () => {
    await stop().catch(() => undefined)
    await polygon.close()
  })
  const metric = (name: string, labels?: Record<string, string>) => sumMetric(registry, name, labels)
  /** Waits until the cursor is the head of the chain. */
  const arrive = () => until(() => sink.cursor?.hash === chain.hashOf(chain.head) && status.phase === 'live')
  return { sink, status, polygon, running, stop, metric, arrive }
}

/** Asks the node of a world. The test closes it. */
export function openClient({ url }: Pick<FollowWorld['host'], 'url'>): PolygonClient {
  const metrics = createUpstreamMetrics(new Registry())
  return new PolygonClient({ url, metrics, clock: systemClock, timing: fastTiming })
}

/** All watched logs of the chain as it is now, from a block on. */
async function readChain({ universe, host }: FollowWorld, fromBlock: number): Promise<string[]> {
  const client = openClient(host)
  const toBlock = universe.chain.head.number
  const logs: ChainLog[] = []
  for await (const page of client.eachLogs({ fromBlock, toBlock, filter: WATCHED })) logs.push(...page.logs)
  await client.close()
  return logs.map(placeOf)
}

/** The sink has every log of the chain once, and no other. */
export async function expectSame(world: FollowWorld, sink: MemorySink): Promise<void> {
  const fromBlock = sink.batches[0]?.fromBlock ?? 0
  expect(sink.logs.map(placeOf)).toEqual(await readChain(world, fromBlock))
  expect(sink.logs.length).toBeGreaterThan(0)
  expect(sink.refused).toEqual([])
}

const placeOf = ({ at, topics, data }: ChainLog): string =>
  [at.blockHash, at.logIndex, at.timestampSec, at.txHash, topics, data].join()

function lying(parts: HostParts, lies: { lie: Lie | undefined }): HostParts {
  const { http } = parts
  if (http === undefined) return parts
  return {
    ...parts,
    async http(request) {
      const reply = await http(request)
      const { lie } = lies
      if (lie === undefined) return reply
      const calls: RpcCall | RpcCall[] = JSON.parse(request.body)
      const answers = JSON.parse(String(reply.body))
      const body = Array.isArray(calls)
        ? calls.map((call, index) => ({ ...answers[index], ...spoil(lie, call, answers[index]) }))
        : spoil(lie, calls, answers)
      return { ...reply, body }
    },
  }
}

function spoil(lie: Lie, call: RpcCall, answer: RpcAnswer) {
  const changed = lie(call, answer)
  return changed === answer ? answer : { jsonrpc: '2.0', id: call.id, ...changed }
}
