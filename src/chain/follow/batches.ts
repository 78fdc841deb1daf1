import { partitionEnd } from '../../core/blocks.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog, LogPlace } from '../../upstreams/polygon/log.js'
import type { BlockRange, LogPage } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import type { Batch } from './line.js'
import { checkLinks, checkPlace, toTapeBlock } from './links.js'
import { doubt, readHeads } from './read-heads.js'

type BatchRange = BlockRange & {
  /** Of the block before the range; `undefined` when nothing is known of it. */
  previousHash: string | undefined
}

export type BatchLimits = { bytesMax: number; waitMsMax: number }

type BatchOptions = { limits?: BatchLimits | undefined; timing?: Timing | undefined }

/** Small, because several are in memory at once. */
const LIMITS: BatchLimits = { bytesMax: 6 * 1024 * 1024, waitMsMax: 2_000 }

/**
 * Reads a range that no reorganisation can touch any more, as many blocks at a time as are worth a
 * transaction. Every stretch that was read at once is proven to follow the one before it, and no
 * batch reaches into two partitions.
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
    for await (const gathered of new Gathering(limits, timing).each(pages)) {
      const batch = await seal(polygon, gathered, previous, signal)
      previous = batch.blocks.at(-1)?.hash
      yield batch
    }
    next = part.toBlock + 1
  }
}

/** Puts pages together until they are enough. */
class Gathering {
  readonly #limits: BatchLimits
  readonly #timing: Timing
  #pages: LogPage[] = []
  #bytes = 0
  #sinceMs = 0

  constructor(limits: BatchLimits, timing: Timing) {
    this.#limits = limits
    this.#timing = timing
  }

  /** What was gathered before a fault is handed out first: the next attempt begins behind it. */
  async *each(pages: AsyncIterable<LogPage>): AsyncGenerator<LogPage[]> {
    let fault: { error: unknown } | undefined
    try {
      for await (const page of pages) {
        this.#add(page)
        if (this.#isFull()) yield this.#take()
      }
    } catch (error) {
      fault = { error }
    }
    if (this.#pages.length > 0) yield this.#take()
    if (fault !== undefined) throw fault.error
  }

  #add(page: LogPage): void {
    if (this.#pages.length === 0) this.#sinceMs = this.#timing.now()
    this.#pages.push(page)
    for (const log of page.logs) this.#bytes += bytesOf(log)
  }

  #isFull(): boolean {
    const { bytesMax, waitMsMax } = this.#limits
    return this.#bytes >= bytesMax || this.#timing.now() - this.#sinceMs >= waitMsMax
  }

  #take(): LogPage[] {
    const pages = this.#pages
    this.#pages = []
    this.#bytes = 0
    return pages
  }
}

/** What a log takes in memory, roughly: its objects, and texts of one byte per character. */
const bytesOf = ({ topics, data }: ChainLog) => 300 + 90 * topics.length + data.length

/** Proves that the pages follow each other, and reads the headers of logs that have no time. */
async function seal(
  polygon: PolygonClient,
  pages: readonly LogPage[],
  previousHash: string | undefined,
  signal: AbortSignal,
): Promise<Batch> {
  checkLinks(pages, previousHash)
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
    blocks: [...heads.values()].sort((a, b) => a.number - b.number).map(toTapeBlock),
    isNearHead: false,
  }
}

function dateLog(at: LogPlace, head: Head | undefined): void {
  checkPlace(at, at.blockNumber)
  if (head === undefined) return
  if (head.hash !== at.blockHash) throw doubt(`block ${head.number} changed while it was read`)
  at.timestampSec = head.timestampSec
}
