import { setImmediate as nextIteration } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openTestNode, type TestNode } from '../../../sim/polygon/test-node.js'
import { Faults } from '../../../sim/server/faults.js'
import { openHost } from '../../../sim/server/host.js'
import { systemClock } from '../../core/clock.js'
import type { Timing } from '../../lib/timing.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { PolygonClient, type PolygonOptions } from './client.js'
import { LogDecoder } from './decode.js'
import { questionIdOf } from './decode-oracle.js'
import { createBloomTest, WATCHED } from './filter.js'
import type { ChainLog } from './log.js'
import type { BlockRange } from './log-range.js'
import { askBlock, askBlockNumber, askLogs, askReceiptLogs, type RpcRequest } from './requests.js'
import { RpcError } from './rpc-error.js'

const decoder = new LogDecoder()

let node: TestNode
let range: BlockRange
let allLogs: ChainLog[]

beforeAll(async () => {
  node = await openTestNode()
  const toBlock = node.universe.chain.head.number
  range = { fromBlock: toBlock - 99, toBlock }
  const client = createClient(node.host.url)
  allLogs = await ask(client, askLogs(range, WATCHED))
  await client.close()
})
afterEach(() => node.faults.set({ upstream: '*', mode: 'off' }))
afterAll(() => node.close())

describe('a node', () => {
  test('returns blocks by number and name', async () => {
    const client = openClient()
    const { chain } = node.universe
    await client.checkChain()
    expect(await client.getBlockNumber()).toBe(chain.head.number)
    const latest = await client.getBlock('latest')
    expect(latest).toEqual({
      number: chain.head.number,
      hash: chain.hashOf(chain.head),
      parentHash: chain.parentHashOf(chain.head),
      timestampSec: chain.head.timestampSec,
      logsBloom: expect.stringMatching(/^0x[0-9a-f]{512}$/),
      txCount: chain.head.transactions.length,
    })
    expect(await client.getBlock(chain.head.number)).toEqual(latest)
  })

  test('undefined for what the node does not have', async () => {
    const client = openClient()
    const nowhere = `0x${'12'.repeat(32)}`
    expect(await client.getBlock(range.toBlock + 1_000)).toBeUndefined()
    expect(await ask(client, askReceiptLogs(nowhere))).toBeUndefined()
  })

  test('gives the same logs by range, by hash, and by receipts', async () => {
    const client = openClient()
    const block = node.findBlock(2)
    const hash = node.universe.chain.hashOf(block)
    const logs = await ask(client, askLogs({ blockHash: hash }))
    expect(logs.length).toBeGreaterThan(0)
    const only = { fromBlock: block.number, toBlock: block.number }
    expect(await ask(client, askLogs(only))).toEqual(logs)
    expect(await ask(client, askReceiptLogs(hash))).toEqual(logs)
  })

  test('has the code of contracts, in the order of the addresses', async () => {
    const { wallets, nowMs } = node.universe
    const created = wallets.filter(({ createdMs }) => createdMs <= nowMs)
    const contract = created.find(({ kind }) => kind === 'deposit')
    const key = created.find(({ kind }) => kind === 'eoa')
    const codes = await openClient().getCodes([contract?.address ?? '', key?.address ?? ''])
    // The owner of a deposit wallet ends its code.
    const owner = contract?.owner.slice(2) ?? ''
    expect(codes).toEqual([expect.stringMatching(new RegExp(`^0x[0-9a-f]+${owner}$`)), '0x'])
  })

  test('answers a batch item by item', async () => {
    const client = openClient()
    const [number, block, refused, missing] = await client.batch([
      askBlockNumber(),
      askBlock(range.fromBlock),
      askLogs({ blockHash: 'none' }),
      askBlock(range.toBlock + 1_000),
    ])
    expect(number).toEqual({ ok: true, value: range.toBlock })
    expect(block).toMatchObject({ ok: true, value: { number: range.fromBlock } })
    expect(refused).toEqual({ ok: false, error: expect.any(RpcError) })
    expect(missing).toEqual({ ok: true, value: undefined })
  })

  test('answers more requests than fit into one batch', async () => {
    const requests = Array.from({ length: 230 }, (_, index) => askBlock(range.toBlock - index))
    const outcomes = await openClient().batch(requests)
    expect(outcomes.map((each) => each.ok && each.value?.number)).toEqual(
      requests.map((_, index) => range.toBlock - index),
    )
  })

  test('every log decodes', () => {
    const { events, broken } = decoder.decodeAll(allLogs)
    expect(broken).toEqual([])
    expect(events).toHaveLength(allLogs.length)
    expect(events.filter(({ kind }) => kind === 'unknown')).toEqual([])
    const settled = node.universe.settledActs.matches.filter(
      ({ block }) => block.number >= range.fromBlock && block.number <= range.toBlock,
    )
    const matches = settled.map(({ tx }) => (tx.act.kind === 'match' ? tx.act : undefined))
    const fills = events.filter((event) => event.kind === 'fill')
    expect(fills.filter(({ isTaker }) => isTaker)).toMatchObject(
      matches.map((match) => ({
        maker: match?.taker.order.wallet.address,
        side: match?.taker.order.side,
        tokenId: `0x${match?.taker.order.token.word}`,
        usd: BigInt(match?.taker.usd ?? -1),
        shares: BigInt(match?.taker.shares ?? -1),
        fee: BigInt(match?.taker.fee ?? -1),
      })),
    )
    expect(fills.filter(({ isTaker }) => !isTaker)).toHaveLength(
      matches.reduce((count, match) => count + (match?.makers.length ?? 0), 0),
    )
  })
})

describe('what follows from logs', () => {
  test('the bloom of every block admits its logs, and that of a block without any nothing', async () => {
    const mayHold = createBloomTest(WATCHED)
    const numbers = Array.from({ length: 100 }, (_, index) => range.fromBlock + index)
    const outcomes = await openClient().batch(numbers.map(askBlock))
    for (const outcome of outcomes) {
      const { number, logsBloom = '' } = (outcome.ok && outcome.value) || {}
      const logs = allLogs.filter(({ at }) => at.blockNumber === number)
      expect(mayHold(logsBloom)).toBe(logs.length > 0)
      for (const { at, topics } of logs)
        for (const item of [at.address, ...topics])
          expect(createBloomTest({ address: [item] })(logsBloom)).toBe(true)
    }
  })

  test('the adapter and the oracle speak of the same question', () => {
    const { events } = decoder.decodeAll(allLogs)
    const questions = events.filter((event) => event.kind === 'questionInitialized')
    const requests = events.filter((event) => event.kind === 'requestPrice')
    expect(requests.length).toBeGreaterThan(0)
    expect(requests.map(({ ancillaryData }) => questionIdOf(ancillaryData))).toEqual(
      questions.map(({ questionId }) => questionId),
    )
  })
})

describe('a range of blocks', () => {
  test.each([
    ['as the node allows it', undefined],
    ['ten blocks at a time', 'range-too-large'],
    ['block by block', 'too-many-results'],
  ] as const)('is read whole and in order, %s', async (_how, mode) => {
    if (mode !== undefined) node.faults.set({ upstream: 'polygon', mode })
    const { pages, logs } = await readAll(openClient())
    expect(logs).toEqual(allLogs)
    expect(pages[0]?.fromBlock).toBe(range.fromBlock)
    expect(pages.at(-1)?.toBlock).toBe(range.toBlock)
    for (const [index, { fromBlock }] of pages.entries())
      if (index > 0) expect(fromBlock).toBe((pages[index - 1]?.toBlock ?? 0) + 1)
    for (const { toBlock, last } of pages) expect(last.number).toBe(toBlock)
  })

  test.each(['429', '500', 'garbage', 'truncated', 'drop'] as const)(
    'loses nothing while every third answer is hit by: %s',
    async (mode) => {
      node.faults.set({ upstream: 'polygon', mode, rate: 0.34 })
      node.faults.set({ upstream: 'polygon', mode: 'range-too-large' })
      expect((await readAll(openClient())).logs).toEqual(allLogs)
    },
  )

  test('is requested in smaller pieces when the answer takes too long', async () => {
    node.faults.set({ upstream: 'polygon', mode: 'slow', delayMs: 900 })
    const { toBlock } = range
    const two = { fromBlock: toBlock - 1, toBlock }
    const pages = await collect(openClient({ timeoutMs: 1_500 }).eachLogs(two))
    expect(pages.map((page) => [page.fromBlock, page.toBlock])).toEqual([
      [toBlock - 1, toBlock - 1],
      [toBlock, toBlock],
    ])
  })

  test('ends with the error of a block that cannot be had', async () => {
    node.faults.set({ upstream: 'polygon', mode: '500' })
    await expect(readAll(openClient())).rejects.toMatchObject({ status: 500, retryable: true })
  })

  test('is given up when the signal aborts or the reader leaves', async () => {
    const client = openClient()
    const aborted = AbortSignal.abort(new Error('enough'))
    await expect(client.eachLogs(range, aborted).next()).rejects.toThrow('enough')
    node.faults.set({ upstream: 'polygon', mode: 'range-too-large' })
    for await (const page of client.eachLogs(range)) {
      expect(page.fromBlock).toBe(range.fromBlock)
      break
    }
  })
})

describe('a node that fails', () => {
  test.each(['429', '500', 'slow', 'garbage', 'truncated', 'drop', 'half-open'] as const)(
    'is reported as worth another try, and serves again when it is over: %s',
    async (mode) => {
      const client = openClient({ timeoutMs: 100 })
      node.faults.set({ upstream: 'polygon', mode, delayMs: 1_000 })
      await expect(client.getBlockNumber()).rejects.toMatchObject({ retryable: true })
      node.faults.set({ upstream: 'polygon', mode: 'off' })
      expect(await client.getBlockNumber()).toBe(range.toBlock)
    },
  )

  test('and repeats old answers is not believed', async () => {
    const client = openClient()
    await client.getBlockNumber()
    node.faults.set({ upstream: 'polygon', mode: 'stale' })
    const [number, outcome] = await Promise.allSettled([client.getBlockNumber(), client.getBlock(7)])
    if (number.status === 'fulfilled') expect(number.value).toBe(range.toBlock)
    expect(outcome.status === 'fulfilled' ? outcome.value : undefined).toBeUndefined()
  })
})

describe('answers that must not be trusted', () => {
  const block = { number: '0x5', hash: hashOf(5), parentHash: hashOf(4), timestamp: '0x1' }
  const log = {
    address: `0x${'1'.repeat(40)}`,
    topics: [],
    data: '0x',
    blockNumber: '0x5',
    blockHash: hashOf(5),
    transactionHash: hashOf(9),
    transactionIndex: '0x0',
    logIndex: '0x0',
  }
  const five = { fromBlock: 5, toBlock: 5 }

  test.each([
    ['a log of another block', [{ ...log, blockNumber: '0x6' }]],
    ['two versions of a block', [log, { ...log, logIndex: '0x1', blockHash: hashOf(6) }]],
    ['a log that comes twice', [log, log]],
    ['a log without a block hash', [{ ...log, blockHash: null }]],
    ['a hash that is none', [{ ...log, transactionHash: '0x12' }]],
    ['a log that is reverted, or not', [{ ...log, removed: 'true' }]],
    ['no list', { logs: [] }],
  ])('refused: %s', async (_what, result) => {
    const client = await openScripted(() => ({ result }))
    await expect(ask(client, askLogs(five))).rejects.toMatchObject({
      name: 'AnswerError',
      retryable: true,
      message: expect.stringContaining('eth_getLogs'),
    })
  })

  test.each([
    ['the receipt of another block', { blockHash: hashOf(6), logs: [] }],
    ['a log of another block in a receipt', { logs: [{ ...log, blockHash: hashOf(6) }] }],
    ['a log of another transaction', { logs: [{ ...log, transactionHash: hashOf(8) }] }],
  ])('refused: %s', async (_what, changes) => {
    const receipt = { transactionHash: hashOf(9), blockHash: hashOf(5), ...changes }
    const client = await openScripted(() => ({ result: [receipt] }))
    const answer = ask(client, askReceiptLogs(hashOf(5)))
    await expect(answer).rejects.toMatchObject({ name: 'AnswerError', retryable: true })
  })

  test('a block may leave out its bloom, but not give another thing for it', async () => {
    const bare = await openScripted(() => ({ result: block }))
    expect((await bare.getBlock(5))?.logsBloom).toBeUndefined()
    const short = await openScripted(() => ({ result: { ...block, logsBloom: '0x00' } }))
    await expect(short.getBlock(5)).rejects.toThrow('logsBloom')
  })

  test('refused: another block than the requested one', async () => {
    const client = await openScripted(() => ({ result: { ...block, number: '0x6' } }))
    await expect(client.getBlock(5)).rejects.toThrow('block 0x5')
  })

  test('refused: the answer to another question, and none', async () => {
    const client = await openScripted(() => ({ id: 77, result: '0x1' }))
    await expect(client.getBlockNumber()).rejects.toThrow('the answer is to 77')
    const [outcome] = await client.batch([askBlockNumber()])
    expect(outcome).toMatchObject({ ok: false, error: { retryable: true } })
  })

  test('logs that come in disorder are put in order', async () => {
    const result = [{ ...log, logIndex: '0x1' }, log]
    const client = await openScripted(() => ({ result }))
    expect((await ask(client, askLogs(five))).map(({ at }) => at.logIndex)).toEqual([0, 1])
  })

  test('a node of another chain is refused', async () => {
    const client = await openScripted(() => ({ result: '0x1' }))
    await expect(client.checkChain()).rejects.toMatchObject({ retryable: false })
  })

  test('a page whose first block is not there is requested again', async () => {
    let attempts = 0
    const client = await openScripted(({ method, params }) => {
      if (method === 'eth_getLogs') {
        attempts += 1
        return { result: [] }
      }
      const isThere = params[0] !== '0x4' || attempts > 1
      return { result: isThere ? { ...block, number: params[0] } : null }
    })
    const range = { fromBlock: 4, toBlock: 5 }
    const pages = await collect(client.eachLogs(range))
    expect(pages).toMatchObject([{ ...range, first: { number: 4 }, last: { number: 5 } }])
    expect(attempts).toBe(2)
  })

  test('a replica that lags gets the request again', async () => {
    let attempts = 0
    const client = await openScripted(({ method }) => {
      if (method === 'eth_getLogs') attempts += 1
      const hasCome = attempts > 2
      if (method === 'eth_getLogs') return { result: hasCome ? [log] : [] }
      return { result: hasCome ? block : null }
    })
    const pages = await collect(client.eachLogs(five))
    expect(pages).toMatchObject([{ ...five, last: { number: 5 }, logs: [{ topics: [] }] }])
  })

  test('a request that a node refuses for good is not sent again', async () => {
    let calls = 0
    const client = await openScripted(() => {
      calls += 1
      return { error: { code: 3, message: 'execution reverted', data: '0x' } }
    })
    await expect(client.getBlockNumber()).rejects.toMatchObject({
      code: 3,
      fault: 'refused',
      retryable: false,
    })
    expect(calls).toBe(1)
  })

  test.each([
    ['is busy', { error: { code: -32_005, message: 'rate limit' } }],
    ['fails', { error: { code: -32_603, message: 'internal error' } }],
    ['answers with the wrong shape', { result: { half: 'an answer' } }],
  ])('a node that %s for ten minutes gets less than one request a second', async (_how, answer) => {
    let calls = 0
    const timing = instantTiming()
    const count = () => {
      calls += 1
      return answer
    }
    const client = await openScripted(count, { timing })
    while (timing.now() < 600_000) {
      await expect(client.getBlockNumber()).rejects.toMatchObject({ retryable: true })
      await timing.sleep(1_000, new AbortController().signal)
    }
    expect(calls).toBeLessThan(60)
    await expect(client.getBlockNumber()).rejects.toThrow('not called: it keeps failing')
  })

  test('a node that repeats its key gives nothing away', async () => {
    const answer = () => ({ error: { code: -32_000, message: 'no such key: 0123456789abcdef' } })
    const client = await openScripted(answer, { path: '/v2/0123456789abcdef' })
    await expect(client.getBlockNumber()).rejects.toThrow('no such key: ********')
  })

  test('a batch that is refused as a whole is refused item by item', async () => {
    const client = await openScripted(() => ({ error: { code: -32600, message: 'batch too large' } }), {
      batches: 'whole',
    })
    const outcomes = await client.batch([askBlockNumber(), askBlockNumber()])
    expect(outcomes.map((each) => each.ok || each.error.message)).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('batch too large')),
    )
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function ask<T>(client: PolygonClient, request: RpcRequest<T>): Promise<T> {
  const [outcome] = await client.batch([request])
  if (!outcome.ok) throw outcome.error
  return outcome.value as T
}

async function readAll(client: PolygonClient) {
  const pages = await collect(client.eachLogs({ ...range, filter: WATCHED }))
  return { pages, logs: pages.flatMap(({ logs }) => logs) }
}

function createClient(url: string, changes: Partial<PolygonOptions> = {}): PolygonClient {
  const metrics = createUpstreamMetrics(new Registry())
  return new PolygonClient({
    url,
    metrics,
    clock: systemClock,
    timing: instantTiming(),
    ...changes,
  })
}

function openClient(changes?: Partial<PolygonOptions>): PolygonClient {
  const client = createClient(node.host.url, changes)
  onTestFinished(() => client.close())
  return client
}

type Call = { id: number; method: string; params: readonly unknown[] }

/** A client of a node that answers what the test wants. */
async function openScripted(
  answer: (call: Call) => object,
  { batches = 'each', path = '', timing = instantTiming() } = {},
): Promise<PolygonClient> {
  const reply = (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...answer(call) })
  const host = await openHost('polygon', new Faults(), {
    http({ body }) {
      const calls: Call | Call[] = JSON.parse(body)
      const answers = Array.isArray(calls) ? calls.map(reply) : reply(calls)
      const isWhole = Array.isArray(calls) && batches === 'whole'
      return { status: 200, body: isWhole ? { ...reply(calls[0] as Call), id: null } : answers }
    },
  })
  const client = createClient(host.url + path, { timing })
  onTestFinished(async () => {
    await client.close()
    await host.close()
  })
  return client
}

/** A timing whose sleeps pass at once. */
function instantTiming(): Timing {
  let nowMs = 0
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      await nextIteration()
      signal.throwIfAborted()
      nowMs += ms
    },
  }
}

function hashOf(seed: number): string {
  return `0x${seed.toString(16).padStart(64, '0')}`
}
