import { pino } from 'pino'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPolygonHost } from '../../../sim/polygon/host.js'
import type { FaultMode } from '../../../sim/server/fault-order.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { countReconnects, sumMetric } from '../../../test/upstream-socket.js'
import { systemClock } from '../../core/clock.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { decodeMatchOrders } from './calldata.js'
import { PolygonClient } from './client.js'
import { LogDecoder } from './decode.js'
import { WATCHED } from './filter.js'
import type { HeadGap } from './head-track.js'
import type { ChainLog } from './log.js'
import type { Head, PendingTransaction } from './parse.js'
import { askLogs } from './requests.js'
import { PolygonSocket, type PolygonSocketOptions } from './socket.js'

const decoder = new LogDecoder()

const START_MS = Date.UTC(2026, 10, 14, 12)
const BLOCK_MS = 2_000
const FAST = { handshakeMs: 500, stableMs: 60_000, backoff: { baseMs: 2, maxMs: 20 } }

let universe: Universe
beforeAll(() => {
  universe = new Universe({ seed: 11, startMs: START_MS })
  universe.advance(START_MS + 60_000)
})

const makeBlock = () => universe.advance(universe.nowMs + BLOCK_MS)

describe('a socket to a node', () => {
  test('gives every head, and the matches before they are in a block', async () => {
    const { heads, pending, gaps } = await follow()
    await until(() => pending.length >= 5 && heads.length >= 20)
    const first = heads[0]?.number ?? 0
    expect(heads.map(({ number }) => number)).toEqual(heads.map((_, index) => first + index))
    expect(gaps).toEqual([])
    const logs = await readLogs(heads)
    for (const tx of pending) {
      const announced = decodeMatchOrders(tx.to, tx.input)
      const { events } = decoder.decodeAll(logs.filter(({ at }) => at.txHash === tx.hash))
      const fills = events.filter((event) => event.kind === 'fill')
      if (fills.length === 0) continue
      expect(fills.map(({ maker, usd, shares }) => [maker, usd, shares])).toEqual(
        [...(announced?.makers ?? []), announced?.taker].map((fill) => [
          fill?.order.maker,
          fill?.usd,
          fill?.shares,
        ]),
      )
    }
  })

  test('reports the heads that were left out', async () => {
    const { heads, gaps, faults, metric, reconnects } = await follow()
    await until(() => heads.length >= 2)
    faults.set({ upstream: 'polygon', mode: 'missed-heads' })
    await until(() => gaps.length >= 3)
    expect(uncovered(heads, gaps)).toEqual([])
    for (const { fromBlock, toBlock } of gaps) expect(toBlock).toBe(fromBlock)
    expect(await metric('auspex_upstream_gaps_total')).toBe(gaps.length)
    expect(await reconnects()).toBe(0)
  })

  test.each(['stale', 'skew', 'range-too-large', 'too-many-results'] as const)(
    'is not touched by: %s',
    async (mode) => {
      const { heads, gaps, faults, reconnects } = await follow()
      await until(() => heads.length >= 2)
      faults.set({ upstream: 'polygon', mode })
      await until(() => heads.length >= 12)
      expect(uncovered(heads, gaps)).toEqual([])
      expect([gaps, await reconnects()]).toEqual([[], 0])
    },
  )

  test('a reorganisation gives other blocks', async () => {
    const { heads, gaps } = await follow()
    const allHeadsAreHere = () => expect(heads.at(-1)?.number).toBe(universe.chain.head.number)
    await until(() => heads.length >= 30)
    await vi.waitFor(allHeadsAreHere)
    const before = heads.length
    universe.reorg(5)
    await until(() => heads.length >= before + 6)
    await vi.waitFor(allHeadsAreHere)
    const replaced = heads.slice(before, before + 5)
    expect(replaced.map(({ number }) => number)).toEqual(
      heads.slice(before - 5, before).map(({ number }) => number),
    )
    expect(gaps).toEqual([])
    const { chain } = universe
    const last = replaced.at(-1)
    expect(last?.hash).not.toBe(heads[before - 1]?.hash)
    expect(heads.at(-1)?.hash).toBe(chain.hashOf(chain.head))
  })

  test('what comes twice is passed on once', async () => {
    const { heads, pending, faults } = await follow()
    faults.set({ upstream: 'polygon', mode: 'duplicate' })
    await until(() => heads.length >= 15 && pending.length >= 3)
    expect(new Set(heads.map(({ hash }) => hash)).size).toBe(heads.length)
    expect(new Set(pending.map(({ hash }) => hash)).size).toBe(pending.length)
  })

  test.each([
    ['drop', 1],
    ['half-open', 1],
    ['silent', 1],
    ['slow', 1],
    ['garbage', 1],
    ['truncated', 1],
    ['garbage', 0.4],
    ['truncated', 0.3],
    ['500', 1],
    ['429', 1],
  ] as [FaultMode, number][])(
    'after a while of %s (rate %d) every block was seen or is reported missing',
    async (mode, rate) => {
      const { heads, gaps, faults, reconnects } = await follow({ silentAfterMs: 300 })
      await until(() => heads.length >= 3)
      faults.set({ upstream: 'polygon', mode, rate, delayMs: 400 })
      // What breaks new connections only must meet one.
      if (mode === '500' || mode === '429') faults.set({ upstream: 'polygon', mode: 'drop', seconds: 0.05 })
      await until(async () => (await reconnects()) >= 1 || gaps.length > 5)
      faults.set({ upstream: 'polygon', mode: 'off' })
      const before = heads.length
      await until(() => gaps.length > 0 && heads.length >= before + 5)
      expect(uncovered(heads, gaps)).toEqual([])
      expect(await reconnects()).toBeLessThan(100)
    },
  )

  test('a reader that waits gets everything in order', async () => {
    const release: (() => void)[] = []
    const { heads } = await follow({}, () => new Promise((resolve) => release.push(resolve)))
    await until(() => release.length === 1)
    for (let count = 0; count < 5; count++) makeBlock()
    expect(heads).toHaveLength(1)
    await until(() => {
      release.at(-1)?.()
      return heads.length >= 6
    })
    const first = heads[0]?.number ?? 0
    expect(heads.map(({ number }) => number)).toEqual(heads.map((_, index) => first + index))
  })
})

describe('a node that refuses', () => {
  test('to show pending transactions is followed all the same', async () => {
    const node = await openRefusing('newPendingTransactions')
    await vi.waitFor(() => expect(node.heads).toEqual([expect.objectContaining({ number: 5 })]))
    expect(node.connections()).toBe(1)
  })

  test('to announce heads is left', async () => {
    const node = await openRefusing('newHeads')
    await vi.waitFor(async () => expect(await node.metric('auspex_upstream_socket_connected')).toBe(0))
    await vi.waitFor(() => expect(node.connections()).toBe(1))
    expect(node.heads).toEqual([])
  })
})

type Seen = { heads: Head[]; pending: PendingTransaction[]; gaps: HeadGap[] }

function listen(wsUrl: string, changes: Partial<PolygonSocketOptions>, onHead: () => void | Promise<void>) {
  const registry = new Registry()
  const seen: Seen = { heads: [], pending: [], gaps: [] }
  const controller = new AbortController()
  const options = {
    url: wsUrl,
    clock: systemClock,
    metrics: createUpstreamMetrics(registry),
    log: pino({ level: 'silent' }),
    timings: FAST,
    ...changes,
  }
  const socket = new PolygonSocket(options, {
    onHead: (head) => {
      seen.heads.push(head)
      return onHead()
    },
    onPending: (tx) => void seen.pending.push(tx),
    onGap: (gap) => void seen.gaps.push(gap),
  })
  socket.start(controller.signal)
  onTestFinished(() => controller.abort())
  const metric = (name: string) => sumMetric(registry, name)
  return { ...seen, socket, metric, reconnects: () => countReconnects(registry) }
}

async function follow(
  changes: Partial<PolygonSocketOptions> = {},
  onHead: () => void | Promise<void> = () => undefined,
) {
  const faults = new Faults()
  const host = await openHost('polygon', faults, createPolygonHost(universe, faults))
  onTestFinished(() => host.close())
  return { ...listen(host.wsUrl, changes, onHead), faults }
}

/** A node that has one block and refuses one kind of subscription. */
async function openRefusing(refused: string) {
  let connections = 0
  const header = { number: '0x5', hash: hashOf(5), parentHash: hashOf(4), timestamp: '0x1' }
  const host: Host = await openHost('polygon', new Faults(), {
    connect(peer) {
      connections += 1
      peer.onText((text) => {
        const { id, params } = JSON.parse(text)
        const error = { code: -32601, message: `no "${params[0]}" subscription` }
        const answer = params[0] === refused ? { error } : { result: `0x${id}` }
        peer.send({ jsonrpc: '2.0', id, ...answer })
        if (params[0] === 'newHeads' && refused !== 'newHeads') {
          const news = { subscription: `0x${id}`, result: header }
          peer.send({ jsonrpc: '2.0', method: 'eth_subscription', params: news })
        }
      })
    },
  })
  onTestFinished(() => host.close())
  return { ...listen(host.wsUrl, {}, () => undefined), connections: () => connections }
}

/** Lives on until the condition holds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitFor(
    async () => {
      if (await condition()) return
      makeBlock()
      throw new Error('not yet')
    },
    { timeout: 60_000, interval: 5 },
  )
}

async function readLogs(heads: readonly Head[]): Promise<ChainLog[]> {
  const faults = new Faults()
  const host = await openHost('polygon', faults, createPolygonHost(universe, faults))
  const metrics = createUpstreamMetrics(new Registry())
  const client = new PolygonClient({
    url: host.url,
    metrics,
    clock: systemClock,
    callsPerSecond: 10_000,
  })
  try {
    const requests = heads.map(({ hash }) => askLogs({ blockHash: hash }, WATCHED))
    const outcomes = await client.batch(requests)
    return outcomes.flatMap((outcome) => (outcome.ok ? outcome.value : []))
  } finally {
    await client.close()
    await host.close()
  }
}

function uncovered(heads: readonly Head[], gaps: readonly HeadGap[]): number[] {
  const numbers = new Set(heads.map(({ number }) => number))
  const missing: number[] = []
  for (let number = Math.min(...numbers); number <= Math.max(...numbers); number++)
    if (!numbers.has(number) && !isIn(gaps, number)) missing.push(number)
  return missing
}

const isIn = (gaps: readonly HeadGap[], number: number) =>
  gaps.some(({ fromBlock, toBlock }) => number >= fromBlock && number <= toBlock)

function hashOf(seed: number): string {
  return `0x${seed.toString(16).padStart(64, '0')}`
}
