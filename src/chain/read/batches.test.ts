import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Faults } from '../../../sim/server/faults.js'
import { openHost } from '../../../sim/server/host.js'
import { PARTITION_BLOCKS } from '../../core/blocks.js'
import { systemClock } from '../../core/clock.js'
import { PolygonClient } from '../../upstreams/polygon/client.js'
import { AnswerError } from '../../upstreams/polygon/rpc-error.js'
import { createUpstreamMetrics } from '../../upstreams/transport/metrics.js'
import { fastTiming, type RpcCall } from '../follow/test-follow.js'
import type { Batch } from './batch.js'
import { type BatchLimits, eachBatch } from './batches.js'
import { ParentMismatchError } from './headers.js'

const NO_LIMITS: BatchLimits = { bytesMax: Number.POSITIVE_INFINITY, waitMsMax: 60_000_000 }
const DATA_CHARACTERS = 2_000

const hashOf = (block: number) => `0x${block.toString().padStart(64, '0')}`
const OTHER_HASH = `0x${'f'.repeat(64)}`
const hex = (value: number) => `0x${value.toString(16)}`

type Chain = { failsFrom?: number; brokenAt?: number; changedAt?: number; logIndex?: number }

/** A node whose every tenth block has a log. */
async function openChain({
  failsFrom = Number.POSITIVE_INFINITY,
  brokenAt,
  changedAt,
  logIndex = 0,
}: Chain = {}) {
  const header = (number: number) => ({
    number: hex(number),
    hash: hashOf(number),
    parentHash: number === brokenAt ? OTHER_HASH : hashOf(number - 1),
    timestamp: hex(number * 2),
    transactions: [],
  })
  const logOf = (number: number) => ({
    address: `0x${'1'.repeat(40)}`,
    topics: [],
    data: `0x${'0'.repeat(DATA_CHARACTERS)}`,
    blockNumber: hex(number),
    blockHash: number === changedAt ? OTHER_HASH : hashOf(number),
    transactionHash: hashOf(number),
    transactionIndex: '0x0',
    logIndex: hex(logIndex),
  })
  const answer = ({ id, method, params }: RpcCall) => {
    if (method === 'eth_getBlockByNumber') return { jsonrpc: '2.0', id, result: header(Number(params[0])) }
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
    if (Number(toBlock) >= failsFrom) return { jsonrpc: '2.0', id, error: { code: 3, message: 'lost' } }
    const numbers = Array.from(
      { length: Number(toBlock) - Number(fromBlock) + 1 },
      (_, index) => Number(fromBlock) + index,
    )
    return { jsonrpc: '2.0', id, result: numbers.filter((n) => n % 10 === 0).map(logOf) }
  }
  const host = await openHost('polygon', new Faults(), {
    http: ({ body }) => ({ status: 200, body: JSON.parse(body).map(answer) }),
  })
  const metrics = createUpstreamMetrics(new Registry())
  const polygon = new PolygonClient({ url: host.url, metrics, clock: systemClock, timing: fastTiming })
  onTestFinished(async () => {
    await polygon.close()
    await host.close()
  })
  const batches: Batch[] = []
  /** What was read before it ended, in `batches`. */
  const read = async (fromBlock: number, toBlock: number, limits = NO_LIMITS) => {
    const range = { fromBlock, toBlock, previousHash: hashOf(fromBlock - 1) }
    const signal = new AbortController().signal
    for await (const batch of eachBatch(polygon, range, signal, { limits, timing: fastTiming }))
      batches.push(batch)
    return batches
  }
  return { read, batches }
}

const rangesOf = (batches: readonly Batch[]) => batches.map(({ fromBlock, toBlock }) => [fromBlock, toBlock])

describe('batches', () => {
  test('have the logs with their times, and the headers of every page', async () => {
    const { read } = await openChain()
    const [batch, ...more] = await read(1_001, 1_900)
    expect(more).toEqual([])
    expect(batch?.logs.map(({ at }) => [at.blockNumber, at.timestampSec])).toEqual(
      Array.from({ length: 90 }, (_, index) => [1_010 + index * 10, 2_020 + index * 20]),
    )
    const numbers = batch?.blocks.map(({ number }) => number) ?? []
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers).toEqual(expect.arrayContaining([1_001, 1_016, 1_017, 1_900]))
    expect(batch?.blocks.at(-1)).toEqual({
      number: 1_900,
      hash: hashOf(1_900),
      parentHash: hashOf(1_899),
      timeSec: 3_800,
      txCount: 0,
    })
  })

  test('do not span two partitions', async () => {
    const { read } = await openChain()
    const edge = 3 * PARTITION_BLOCKS
    expect(rangesOf(await read(edge - 100, edge + 50))).toEqual([
      [edge - 100, edge - 1],
      [edge, edge + 50],
    ])
  })

  test('are closed when they are large or old enough', async () => {
    const large = await openChain()
    const small: BatchLimits = { ...NO_LIMITS, bytesMax: 30 * DATA_CHARACTERS }
    const batches = await large.read(1, 2_000, small)
    expect(batches.length).toBeGreaterThan(2)
    expect(batches.flatMap(({ logs }) => logs)).toHaveLength(200)
    for (const [index, { fromBlock }] of batches.entries())
      expect(fromBlock).toBe(index === 0 ? 1 : (batches[index - 1]?.toBlock ?? 0) + 1)
    const old = await openChain()
    expect((await old.read(1, 2_000, { ...NO_LIMITS, waitMsMax: 0 })).length).toBeGreaterThan(2)
  })

  test('have the pages from before a fault', async () => {
    const { read, batches } = await openChain({ failsFrom: 500 })
    await expect(read(1, 1_000)).rejects.toThrow('lost')
    expect(rangesOf(batches)).toEqual([[1, 480]])
  })

  test('are refused when they do not follow what is booked', async () => {
    const { read, batches } = await openChain({ brokenAt: 1 })
    await expect(read(1, 1_000)).rejects.toThrow(ParentMismatchError)
    expect(batches).toEqual([])
  })

  test('are refused when their pages do not follow each other', async () => {
    const { read, batches } = await openChain({ brokenAt: 17 })
    await expect(read(1, 1_000)).rejects.toThrow(AnswerError)
    expect(batches).toEqual([])
  })

  test('are refused when the index of a log is too large for a seq', async () => {
    const { read } = await openChain({ logIndex: 2 ** 20 })
    await expect(read(1, 100)).rejects.toThrow('says that it is log 1048576 of block 10')
  })

  test('are refused when log and header name different hashes of a block', async () => {
    const { read, batches } = await openChain({ changedAt: 210 })
    await expect(read(1, 1_000)).rejects.toThrow('block 210 changed while it was read')
    expect(batches).toEqual([])
  })
})
