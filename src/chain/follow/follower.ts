import { partitionEnd, REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { messageOf } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import type { Log } from '../../lib/log.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import { UpstreamError } from '../../upstreams/transport/errors.js'
import { type BatchLimits, eachBatch } from './batches.js'
import { findFork, NoForkError } from './fork.js'
import { HeadWatch, type OpenSocket } from './heads.js'
import type { Batch, Batches, Booked, Line } from './line.js'
import { checkLinks, NotLinkedError, toTapeBlock } from './links.js'
import { type ReadBlock, readBlocks } from './read-blocks.js'
import { blocksFrom, doubt, readHeads } from './read-heads.js'
import type { FollowStatus } from './status.js'

export type FollowerOptions = {
  polygon: PolygonClient
  openSocket: OpenSocket
  line: Line
  /** Where an empty line begins. */
  startBlock: number
  status: FollowStatus
  log: Log
  /** After every batch of the catch-up. */
  onProgress?: ((progress: Progress) => void) | undefined
  timing?: Timing | undefined
  batchLimits?: BatchLimits | undefined
}

/** How far a catch-up has come: `block` is booked, `toBlock` is as far as it goes for now. */
export type Progress = {
  fromBlock: number
  toBlock: number
  block: number
  headBlock: number
  /** Booked since `fromBlock`. */
  logs: number
}

/** Blocks near the head that are booked together while we are behind. */
const BLOCKS_TOGETHER = 16
const BACKOFF = { baseMs: 200, maxMs: 5_000 }
const RETRY_AFTER_MS_MAX = 60_000
/** What somebody has to mend is looked at again that often. */
const STOPPED_MS = 30_000

/**
 * Fills a line with the blocks of a node, without a hole and each of them once.
 *
 *   catching up  more than 256 blocks behind the head: large batches that no reorganisation touches.
 *   live         the blocks after that, each of them checked against its parent. One that has
 *                another parent than the last booked block: back to the fork, and on from there.
 *   stopped      the fork is too deep or the node is of another chain. Nothing is booked.
 *
 * Faults of the node are waited out. What the line throws ends the run: only whoever made the line
 * can tell what it has kept.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #timing: Timing
  readonly #heads: HeadWatch
  #isChainChecked = false
  #failures = 0

  constructor(options: FollowerOptions) {
    const { polygon, openSocket, timing = systemTiming } = options
    this.#options = options
    this.#timing = timing
    this.#heads = new HeadWatch({ polygon, openSocket, timing })
  }

  /** Ends when the signal aborts; batches that are read by then are booked first. */
  async run(signal: AbortSignal): Promise<void> {
    const { line, status } = this.#options
    status.onCursor(line.cursor)
    status.enter('catching_up')
    await withLinked([signal], async (linked) => {
      this.#heads.start(linked.signal)
      try {
        while (!signal.aborted) await this.#tryTurn(signal)
      } finally {
        linked.abort()
      }
    })
    status.enter('idle')
  }

  async #tryTurn(signal: AbortSignal): Promise<void> {
    const { status, log } = this.#options
    try {
      await this.#turn(signal)
      this.#failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (isPermanent(error)) {
        log.error({ err: error }, 'chain is not followed')
        status.stop(messageOf(error))
        await this.#sleep(STOPPED_MS, signal)
      } else if (error instanceof UpstreamError) {
        this.#failures += 1
        log.debug({ err: error }, 'reading the chain failed')
        status.onFault(error.message)
        const waitMs = Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
        await this.#sleep(Math.max(waitMs, backoffMs(BACKOFF, this.#failures)), signal)
      } else throw error
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { polygon, line, status } = this.#options
    if (!this.#isChainChecked) await checkChain(polygon, signal)
    this.#isChainChecked = true
    const head = await this.#heads.next(signal)
    status.onHead(head)
    if (!(await this.#approach(head, signal))) return
    this.#heads.done(head)
    const booked = line.cursor?.block ?? 0
    if (head.number < booked) status.onFault(`the node is at block ${head.number} of ${booked}`)
    else status.onArrived()
    if (status.phase !== 'live' && head.number === booked) status.enter('live')
  }

  /** Takes one step. `true`: as far as this head goes there is nothing left to do. */
  async #approach(head: Head, signal: AbortSignal): Promise<boolean> {
    const { line, startBlock } = this.#options
    const { cursor } = line
    const next = cursor === undefined ? startBlock : cursor.block + 1
    if (head.number >= next) {
      const toBlock = head.number - REORG_BLOCKS_MAX
      if (next <= toBlock && (await this.#hasBlock(head.number, signal)))
        await this.#catchUp(head, next, signal)
      else await this.#bookBlocks(head, next, signal)
      return (line.cursor?.block ?? 0) >= head.number
    }
    // A node below the line lags behind, or has yet to show that another chain got as far.
    if (cursor === undefined || head.number < cursor.block || head.hash === cursor.hash) return true
    return !(await this.#unwind(signal))
  }

  /** A head that the node itself cannot show must not decide how much is safe from reorganisations. */
  async #hasBlock(number: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#options.polygon.getBlock(number, signal)) !== undefined
  }

  async #catchUp(head: Head, fromBlock: number, signal: AbortSignal): Promise<void> {
    const { polygon, line, status, onProgress, batchLimits: limits } = this.#options
    status.enter('catching_up')
    const { number: headBlock } = head
    const toBlock = headBlock - REORG_BLOCKS_MAX
    const range = { fromBlock, toBlock, previousHash: line.cursor?.hash }
    let logs = 0
    const onBooked = (booked: Booked) => {
      logs += booked.logs
      onProgress?.({ fromBlock, toBlock, block: booked.toBlock, headBlock, logs })
    }
    await this.#orUnwind(signal, () =>
      withLinked([signal], async (linked) => {
        const options = { limits, timing: this.#timing }
        try {
          const batches = eachBatch(polygon, range, linked.signal, options)
          await this.#append(batches, signal, onBooked)
        } finally {
          linked.abort()
        }
      }),
    )
  }

  async #bookBlocks(head: Head, fromBlock: number, signal: AbortSignal): Promise<void> {
    const { polygon, line, status } = this.#options
    // What fails together may work alone.
    const count = this.#failures > 0 ? 1 : BLOCKS_TOGETHER
    const end = Math.min(head.number, fromBlock + count - 1, partitionEnd(fromBlock))
    const blocks = await readBlocks(
      polygon,
      { fromBlock, toBlock: end },
      { announced: head, onReceipts: (result) => status.onReceipts(result), signal },
    )
    await this.#orUnwind(signal, async () => {
      checkLinks(
        blocks.map(({ head }) => ({ first: head, last: head })),
        line.cursor?.hash,
      )
      await this.#append([toBatch(blocks)], signal)
    })
  }

  async #append(
    batches: Batches,
    signal: AbortSignal,
    onBooked?: (booked: Booked) => void,
  ): Promise<void> {
    const { line, status } = this.#options
    await line.append(untilAborted(batches, signal), (booked) => {
      status.onBooked(booked)
      status.onCursor(line.cursor)
      onBooked?.(booked)
    })
  }

  /** Does what needs the next block to follow the line; goes back to the fork when it does not. */
  async #orUnwind(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof NotLinkedError)) throw error
      if (!(await this.#unwind(signal))) throw doubt(error.message)
    }
  }

  /** Takes back what the node no longer has. `false`: it has all of it. */
  async #unwind(signal: AbortSignal): Promise<boolean> {
    const { polygon, line, status, log } = this.#options
    const { cursor } = line
    if (cursor === undefined) return false
    const fork = await findFork(line, cursor, (fromBlock, toBlock) =>
      readHeads(polygon, blocksFrom(fromBlock, toBlock), signal),
    )
    const depth = cursor.block - fork
    if (depth === 0) return false
    signal.throwIfAborted()
    await line.rewind(fork)
    log.info({ fork, depth }, 'chain was reorganised')
    status.onReorg(depth)
    status.onCursor(line.cursor)
    return true
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#timing.sleep(ms, signal).catch(() => undefined)
  }
}

/** Waiting alone mends neither a lost fork nor a node of another chain. */
const isPermanent = (error: unknown): boolean =>
  error instanceof NoForkError || error instanceof WrongNodeError

class WrongNodeError extends Error {
  override name = 'WrongNodeError'
}

async function checkChain(polygon: PolygonClient, signal: AbortSignal): Promise<void> {
  try {
    await polygon.checkChain(signal)
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error
    throw new WrongNodeError(`${error.message}. Set another node`, { cause: error })
  }
}

async function* untilAborted(batches: Batches, signal: AbortSignal): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    signal.throwIfAborted()
    yield batch
  }
}

const toBatch = (blocks: readonly ReadBlock[]): Batch => ({
  fromBlock: blocks[0]?.head.number ?? 0,
  toBlock: blocks.at(-1)?.head.number ?? 0,
  logs: blocks.flatMap(({ logs }) => logs),
  refused: blocks.flatMap(({ refused }) => refused),
  blocks: blocks.map(({ head }) => toTapeBlock(head)),
  isNearHead: true,
})
