import { partitionEnd } from '../../core/blocks.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { WATCHED } from '../../upstreams/polygon/filter.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { LogPage } from '../../upstreams/polygon/page.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import type { AttributedLogs, Batch } from './batch.js'
import { dateLogs, sizeOfLogs, toKnownHeads, undatedBlocks } from './dates.js'
import { checkParents, inconsistentAnswer, readHeads, toBatchBlock } from './headers.js'
import { hasReaderThread, ThreadReader } from './thread-reader.js'

export type BatchRange = BlockRange & {
  /** Hash of the block before the range; `undefined` when it is not booked. */
  previousHash: string | undefined
}

export type BatchLimits = { bytesMax: number; waitMsMax: number }

export type BatchOptions = {
  limits?: BatchLimits | undefined
  timing?: Timing | undefined
  /**
   * The market makers that are known: with them a thread of its own can attribute the logs. Absent, or
   * where there is no thread: the batches have logs.
   */
  pools?: ReadonlySet<string> | undefined
}

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
  { limits = LIMITS, timing = systemTiming, pools }: BatchOptions = {},
): AsyncGenerator<Batch> {
  const reader = pools !== undefined && hasReaderThread() ? new ThreadReader(pools) : undefined
  let previous = previousHash
  try {
    for (let next = fromBlock; next <= toBlock; ) {
      const part = { fromBlock: next, toBlock: Math.min(partitionEnd(next), toBlock) }
      const pages =
        reader === undefined ? eachPage(polygon, part, signal) : eachPageOf(reader, polygon, part, signal)
      for await (const group of groupPages(pages, limits, timing)) {
        const batch = await toBatch(polygon, group, previous, signal)
        previous = batch.blocks.at(-1)?.hash
        yield batch
      }
      next = part.toBlock + 1
    }
  } finally {
    await reader?.close()
  }
}

/** A page with its logs, or with their facts. */
type ReadPage = LogPage & {
  /** The headers that were read for logs without a time, beside the first and the last one. */
  heads: Head[]
  bytes: number
  attributed?: AttributedLogs
}

async function* eachPage(
  polygon: PolygonClient,
  range: BlockRange,
  signal: AbortSignal,
): AsyncGenerator<ReadPage> {
  for await (const page of polygon.eachLogs({ ...range, filter: WATCHED }, signal)) {
    const logs = page.logs.filter(({ removed }) => !removed)
    yield { ...page, logs, heads: [], bytes: sizeOfLogs(logs) }
  }
}

/** The same, parsed and attributed in a worker thread. */
async function* eachPageOf(
  reader: ThreadReader,
  polygon: PolygonClient,
  range: BlockRange,
  signal: AbortSignal,
): AsyncGenerator<ReadPage> {
  const parse: ThreadReader['parse'] = (body, request) => reader.parse(body, request)
  for await (const page of polygon.eachLogsElsewhere({ ...range, filter: WATCHED }, parse, signal)) {
    const heads = await readHeads(polygon, page.undated, signal)
    const facts = await reader.attribute(page, heads)
    yield { ...page, logs: [], heads, attributed: { logs: page.logs.length, facts: [facts] } }
  }
}

/**
 * Collects pages until they reach the size or the age of a batch. Yields the pages from before a
 * fault, then throws: the next attempt starts after them.
 */
async function* groupPages(
  pages: AsyncIterable<ReadPage>,
  { bytesMax, waitMsMax }: BatchLimits,
  timing: Timing,
): AsyncGenerator<ReadPage[]> {
  let group: ReadPage[] = []
  let bytes = 0
  let sinceMs = 0
  let fault: { error: unknown } | undefined
  try {
    for await (const page of pages) {
      if (group.length === 0) sinceMs = timing.now()
      group.push(page)
      bytes += page.bytes
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

/** Checks that the pages follow each other, and reads the headers for logs without a timestamp. */
async function toBatch(
  polygon: PolygonClient,
  pages: readonly ReadPage[],
  previousHash: string | undefined,
  signal: AbortSignal,
): Promise<Batch> {
  checkParents(pages, previousHash)
  const logs = pages.flatMap((page) => page.logs)
  const heads = toKnownHeads(pages.flatMap((page) => [page.first, page.last, ...page.heads]))
  for (const head of await readHeads(polygon, undatedBlocks(logs, heads), signal))
    heads.set(head.number, head)
  const contradiction = dateLogs(logs, heads)
  if (contradiction !== undefined) throw inconsistentAnswer(contradiction)
  return {
    fromBlock: pages[0]?.fromBlock ?? 0,
    toBlock: pages.at(-1)?.toBlock ?? 0,
    logs,
    attributed: joinAttributed(pages),
    blocks: [...heads.values()].sort((a, b) => a.number - b.number).map(toBatchBlock),
    isNearHead: false,
  }
}

function joinAttributed(pages: readonly ReadPage[]): AttributedLogs | undefined {
  const parts = pages.flatMap(({ attributed }) => attributed ?? [])
  if (parts.length === 0) return undefined
  return { logs: parts.reduce((sum, { logs }) => sum + logs, 0), facts: parts.flatMap(({ facts }) => facts) }
}
