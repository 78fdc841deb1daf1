// Fast: answers are cut out of rendered blocks, tick by tick nothing is touched (`npm run bench ticks`,
// see rendered-blocks.ts). Plain twin: `showTicks` in ../ticks/test-tick-app.ts.

import { setImmediate as nextIteration } from 'node:timers/promises'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import { EARLIEST_MS } from '../../upstreams/prices/parse-fields.js'
import type { PriceKind, Seconds } from '../../upstreams/prices/source.js'
import { type LiveTicks, type StreamTick, selectBlocks, selectLive } from '../archive/queries.js'
import { type CoinSymbol, streamIds, type TickSource } from '../streams.js'
import { type RenderedBlock, type RenderedBlocks, renderBlock } from './rendered-blocks.js'
import { BLOCK_SEC, slotOf, TickBlock, tickBlockOf } from './tick-block.js'

/** Without a source: of all sources. */
export type TickRange = Seconds & {
  symbol: CoinSymbol
  kind: PriceKind
  source?: TickSource | undefined
  limit: number
}

/** Neighbouring ticks as JSON, each with a comma before it. */
export type Slice = { bytes: Buffer; count: number }

/** There are no ticks from before, nor from so far ahead: such times are neither read nor cached. */
const FIRST_SEC = EARLIEST_MS / 1000
const AHEAD_SEC = 60
/** By then a block is packed, also by a clock that is a little slower than ours. */
const PACKED_SEC = 10 * 60

/** How many blocks, about a megabyte, are yielded before the event loop runs other work. */
const BLOCKS_PER_ITERATION = 8
/** How many blocks are read at once: two hours. */
const BLOCKS_PER_READ = 24

/**
 * The first `limit` ticks of a range, in the order of time, in slices of five minutes. What was not
 * rendered before is rendered one block per iteration of the event loop, about a millisecond each.
 */
export async function* readSlices(
  sql: Sql,
  cache: RenderedBlocks,
  range: TickRange,
  nowMs: number,
): AsyncGenerator<Slice> {
  const fromSec = Math.max(range.fromSec, FIRST_SEC)
  const toSec = Math.min(range.toSec, Math.floor(nowMs / 1000) + AHEAD_SEC)
  if (fromSec > toSec) return
  const bounded = { ...range, fromSec, toSec }
  const reader = new BlockReader(sql, cache, bounded, await readLive(sql, cache, bounded, nowMs))
  let left = range.limit
  for (let block = tickBlockOf(fromSec); block <= tickBlockOf(toSec) && left > 0; block++) {
    const rendered = reader.recall(block) ?? (await reader.read(block))
    const slice = cut(rendered, block, bounded, left)
    left -= slice.count
    if (slice.count > 0) yield slice
    // Cached blocks come without waiting, so the loop yields to other requests in between.
    if (block % BLOCKS_PER_ITERATION === 0) await nextIteration()
  }
}

/** A range that was packed long ago has no live ticks: late ones show a second later. */
async function readLive(
  sql: Sql,
  cache: RenderedBlocks,
  range: TickRange,
  nowMs: number,
): Promise<LiveTicks> {
  // The process that packs may have a clock that is ahead of ours.
  const finalBlock = tickBlockOf(nowMs / 1000 - PACKED_SEC)
  const known = cache.stateAt(nowMs)
  if (known !== undefined && tickBlockOf(range.toSec) < Math.min(known.packedUntil, finalBlock)) {
    return { ...known, ticks: [] }
  }
  const { symbol, kind, source } = range
  const live = await selectLive(sql, streamIds(symbol, kind, source), range)
  cache.follow(live, nowMs)
  return { ...live, packedUntil: Math.min(live.packedUntil, finalBlock) }
}

class BlockReader {
  readonly #sql: Sql
  readonly #cache: RenderedBlocks
  readonly #range: TickRange
  readonly #live: LiveTicks
  readonly #liveByBlock: ReadonlyMap<number, StreamTick[]>
  /** Read and not rendered yet, up to the block before `#readUntil`. */
  #ahead = new Map<number, Map<number, TickBlock>>()
  #readUntil = 0

  constructor(sql: Sql, cache: RenderedBlocks, range: TickRange, live: LiveTicks) {
    this.#sql = sql
    this.#cache = cache
    this.#range = range
    this.#live = live
    this.#liveByBlock = groupBy(live.ticks, ({ sec }) => tickBlockOf(sec))
  }

  /** `undefined`: it must be read. */
  recall(block: number): RenderedBlock | undefined {
    return this.#isFinal(block) ? this.#cache.get(this.#keyOf(block)) : undefined
  }

  async read(block: number): Promise<RenderedBlock> {
    if (block >= this.#readUntil) await this.#readAhead(block)
    else await nextIteration()
    const { symbol, kind } = this.#range
    const byStream = this.#ahead.get(block) ?? new Map<number, TickBlock>()
    this.#ahead.delete(block)
    for (const tick of this.#liveByBlock.get(block) ?? []) {
      const ticks = byStream.get(tick.stream) ?? new TickBlock()
      ticks.put(slotOf(tick.sec), tick)
      byStream.set(tick.stream, ticks)
    }
    const rendered = renderBlock(symbol, kind, block, byStream)
    if (this.#isFinal(block)) this.#cache.set(this.#keyOf(block), rendered, this.#live.revision)
    return rendered
  }

  /** Reads from this block on to the next one that is cached. */
  async #readAhead(first: number): Promise<void> {
    const { symbol, kind, source, toSec } = this.#range
    const end = Math.min(tickBlockOf(toSec), first + BLOCKS_PER_READ - 1)
    let last = first
    while (last < end && this.recall(last + 1) === undefined) last++
    const rows = await selectBlocks(this.#sql, streamIds(symbol, kind, source), first, last)
    this.#ahead = new Map()
    for (const { block, stream, columns } of rows) {
      const byStream = this.#ahead.get(block) ?? new Map<number, TickBlock>()
      this.#ahead.set(block, byStream.set(stream, new TickBlock(columns)))
    }
    this.#readUntil = last + 1
  }

  /** Whether all of the block is packed, so that it can change only with the revision of the archive. */
  #isFinal(block: number): boolean {
    return block < this.#live.packedUntil && !this.#liveByBlock.has(block)
  }

  #keyOf(block: number): string {
    const { symbol, kind, source = '' } = this.#range
    return `${symbol} ${kind} ${source} ${block}`
  }
}

/** The part of a block that is within the range, `most` ticks at most. */
function cut(
  { bytes, starts, ticksBefore }: RenderedBlock,
  block: number,
  { fromSec, toSec }: TickRange,
  most: number,
): Slice {
  const startSec = block * BLOCK_SEC
  const first = ticksBefore[Math.max(0, fromSec - startSec)] ?? 0
  const last = ticksBefore[Math.min(BLOCK_SEC, toSec + 1 - startSec)] ?? 0
  const count = Math.min(Math.max(0, last - first), most)
  return { bytes: bytes.subarray(starts[first], starts[first + count]), count }
}
