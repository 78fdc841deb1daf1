import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { attributeBatch } from '../src/chain/attribute/attribute-batch.js'
import { type BatchFacts, createBatchFacts } from '../src/chain/facts/registry.js'
import { type FollowWorld, fastTiming, type Lie, openWorld } from '../src/chain/follow/test-follow.js'
import { toBatchBlock } from '../src/chain/read/headers.js'
import { unpackFacts } from '../src/chain/read/pack-facts.js'
import { ThreadReader } from '../src/chain/read/thread-reader.js'
import { systemClock } from '../src/core/clock.js'
import { PolygonClient } from '../src/upstreams/polygon/client.js'
import { WATCHED } from '../src/upstreams/polygon/filter.js'
import { AnswerError, RpcError } from '../src/upstreams/polygon/rpc-error.js'
import { createUpstreamMetrics } from '../src/upstreams/transport/metrics.js'

/** A thread cannot run sources: this is the file that the service runs. */
const THREAD = pathToFileURL(join(import.meta.dirname, '../dist/src/chain/read/reader-thread.js'))

let world: FollowWorld
beforeAll(async () => {
  world = await openWorld({ seed: 17, historyMs: 10 * 60_000 })
})
afterAll(() => world.close())

function open(pools = new Set<string>()) {
  const metrics = createUpstreamMetrics(new Registry())
  const limits = { callsPerSecond: 1_000, timing: fastTiming }
  const polygon = new PolygonClient({ url: world.host.url, metrics, clock: systemClock, ...limits })
  const reader = new ThreadReader(pools, THREAD)
  onTestFinished(async () => {
    world.lies.lie = undefined
    await reader.close()
    await polygon.close()
  })
  const { number: head } = world.universe.chain.head
  const range = { fromBlock: head - 200, toBlock: head, filter: WATCHED }
  const parse: ThreadReader['parse'] = (body, asked) => reader.parse(body, asked)
  return { polygon, reader, range, pages: () => polygon.eachLogsElsewhere(range, parse) }
}

async function readInThread({ reader, pages }: ReturnType<typeof open>): Promise<BatchFacts[]> {
  const read: BatchFacts[] = []
  for await (const page of pages())
    read.push(unpackFacts(createBatchFacts(), await reader.attribute(page, [])))
  return read
}

async function readHere({ polygon, range }: ReturnType<typeof open>): Promise<BatchFacts[]> {
  const read: BatchFacts[] = []
  for await (const { logs, first, last } of polygon.eachLogs(range)) {
    const heads = new Map([first, last].map((head) => [head.number, toBatchBlock(head)]))
    read.push(attributeBatch({ logs, blocks: [...heads.values()] }))
  }
  return read
}

const joinPages = (pages: readonly BatchFacts[]) => ({
  fills: pages.flatMap(({ fills }) => fills),
  transfers: pages.flatMap(({ transfers }) => transfers),
  splits: pages.flatMap(({ splits }) => splits),
})

/** Lies about logs alone. */
const onLogs =
  (lie: (logs: Record<string, unknown>[]) => unknown): Lie =>
  ({ method }, answer) =>
    method === 'eth_getLogs' ? { result: lie(answer.result as Record<string, unknown>[]) } : answer

test('a thread reads the same facts', async () => {
  const opened = open()
  const facts = joinPages(await readInThread(opened))
  expect(facts.fills.length).toBeGreaterThan(50)
  expect(facts).toEqual(joinPages(await readHere(opened)))
})

test.each<[what: string, Lie, new (...args: never[]) => Error]>([
  ['refuses', ({ method }, answer) => (method === 'eth_getLogs' ? REFUSAL : answer), RpcError],
  ['sends logs twice', onLogs((logs) => [...logs, ...logs]), AnswerError],
  ['sends nonsense', onLogs(() => [{ address: 7 }]), AnswerError],
])('a node that %s has the same error as without a thread', async (_what, lie, kind) => {
  const opened = open()
  world.lies.lie = lie
  const here = await readHere(opened).catch((error: unknown) => error)
  const error = await readInThread(opened).catch((fault: unknown) => fault)
  expect(error).toBeInstanceOf(kind)
  expect(error).toEqual(here)
})

const REFUSAL = { error: { code: -32_602, message: 'no' } }

test('logs of another block than the header names are refused', async () => {
  const { reader, pages } = open()
  const { value: page } = await pages().next()
  const head = { ...page.first, number: page.fromBlock + 1, hash: `0x${'ab'.repeat(32)}` }
  const others = Array.from({ length: 16 }, (_, index) => ({ ...head, number: page.fromBlock + 1 + index }))
  await expect(reader.attribute(page, others)).rejects.toThrow('changed while it was read')
})

test('an error of our own ends the thread and is told', async () => {
  const { reader, pages } = open()
  const { value: page } = await pages().next()
  await expect(reader.attribute({ ...page, number: 99 }, [])).rejects.toThrow('page 99 is not there')
})

test('what is asked of a thread that has died fails, also later', async () => {
  const { reader, pages } = open()
  const { value: page } = await pages().next()
  const asked = reader.attribute(page, [])
  await reader.close()
  await Promise.allSettled([asked])
  await expect(reader.attribute(page, [])).rejects.toThrow('has ended')
})
