import { partitionEnd } from '../../core/blocks.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog, LogPlace } from '../../upstreams/polygon/log.js'
import type { BlockRange, LogPage } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import type { Batch } from './block-sink.js'
import { checkLogPosition, checkParents, inconsistentAnswer, readHeads, toBatchBlock } from './headers.js'

export type BatchRange = BlockRange & {
  /** Hash of the block before the range; `undefined` when it is not booked. */
  previousHash: string | undefined
}

export type BatchLimits = { bytesMax: number; waitMsMax: number }

export type BatchOptions = { limits?: BatchLimits | undefined; timing?: Timing | undefined }

/** Small, because several batches are in memory at once. */
const LIMITS: BatchLimits = { bytesMax: 6 * 1024 * 1024, waitMsMax: 2_000 }

/**
 * Reads a range below the reach of reorganisations, in batches that are large enough for one
 * transaction. The headers of each page of logs prove that it follows the page before it. No batch
 * spans two partitions.
 */
export async function* eachBatch(
  polygon: PolygonClient,
  { fromBlock, toBlock, previousHash }: BatchRange,
  signal: AbortSignal,
  { limits = LIMITS, timing = systemTiming }: BatchOptions = {},
): AsyncGenerator<Batch> {
  let previous = previousHash
  for (let next = fromBlock; next <= toBlock; ) {
    const part = { fromBlock: next, toBlock: Math.min(partitionEnd(next), toBlock) }
    const pages = polygon.eachLogs({ ...part, filter: WATCHED }, signal)
    for await (const group of groupPages(pages, limits, timing)) {
      const batch = await toBatch(polygon, group, previous, signal)
      previous = batch.blocks.at(-1)?.hash
      yield batch
    }
    next = part.toBlock + 1
  }
}

/**
 * Collects pages until they reach the size or the age of a batch. Yields the pages from before a
 * fault, then throws: the next attempt starts after them.
 */
async function* groupPages(
  pages: AsyncIterable<LogPage>,
  { bytesMax, waitMsMax }: BatchLimits,
  timing: Timing,
): AsyncGenerator<LogPage[]> {
  let group: LogPage[] = []
  let bytes = 0
  let sinceMs = 0
  let fault: { error: unknown } | undefined
  try {
    for await (const page of pages) {
      if (group.length === 0) sinceMs = timing.now()
      group.push(page)
      for (const log of page.logs) bytes += bytesOf(log)
      if (bytes < bytesMax && timing.now() - sinceMs < waitMsMax) continue
      yield group
      group = []
      bytes = 0
    }
  } catch (error) {
    fault = { error }
  }
  if (group.length > 0) yield group
  if (fault !== undefined) throw fault.error
}

/** Approximate memory of a log: its objects, and strings of one byte per character. */
const bytesOf = ({ topics, data }: ChainLog) => 300 + 90 * topics.length + data.length

/** Checks that the pages follow each other, and reads the headers for logs without a timestamp. */
async function toBatch(
  polygon: PolygonClient,
  pages: readonly LogPage[],
  previousHash: string | undefined,
  signal: AbortSignal,
): Promise<Batch> {
  checkParents(pages, previousHash)
  const logs = pages.flatMap((page) => page.logs.filter(({ removed }) => !removed))
  const outermost = pages.flatMap(({ first, last }) => [first, last])
  const heads = new Map<number, Head>(outermost.map((head) => [head.number, head]))
  const undated = logs.filter(({ at }) => at.timestampSec === undefined)
  const missing = new Set(undated.map(({ at }) => at.blockNumber).filter((n) => !heads.has(n)))
  for (const head of await readHeads(polygon, [...missing], signal)) heads.set(head.number, head)
  for (const { at } of logs) dateLog(at, heads.get(at.blockNumber))
  return {
    fromBlock: pages[0]?.fromBlock ?? 0,
    toBlock: pages.at(-1)?.toBlock ?? 0,
    logs,
    blocks: [...heads.values()].sort((a, b) => a.number - b.number).map(toBatchBlock),
    isNearHead: false,
  }
}

function dateLog(at: LogPlace, head: Head | undefined): void {
  checkLogPosition(at, at.blockNumber)
  if (head === undefined) return
  if (head.hash !== at.blockHash) throw inconsistentAnswer(`block ${head.number} changed while it was read`)
  at.timestampSec = head.timestampSec
}
