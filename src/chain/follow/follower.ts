import { partitionEnd, REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { withLinked } from '../../lib/abort.js'
import type { Log } from '../../lib/log.js'
import { formatSeconds } from '../../lib/progress.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import type { Batch } from '../read/batch.js'
import { type BatchLimits, eachBatch } from '../read/batches.js'
import {
  blockNumbers,
  checkParents,
  inconsistentAnswer,
  ParentMismatchError,
  readHeads,
} from '../read/headers.js'
import type { Batches, BlockSink } from './block-sink.js'
import { checkNodeChain, WrongNodeError } from './check-node-chain.js'
import { findFork, NoForkError } from './fork.js'
import { HeadWatch, type OpenSocket } from './head-watch.js'
import { explainFault, MissingHistoryError } from './missing-history.js'
import { joinBlocks, readBlocks } from './read-blocks.js'
import type { FollowStatus } from './status.js'

export type FollowerOptions = {
  polygon: PolygonClient
  openSocket: OpenSocket
  sink: BlockSink
  /** The first block to book into an empty sink. */
  startBlock: number
  status: FollowStatus
  log: Log
  timing?: Timing | undefined
  batchLimits?: BatchLimits | undefined
}

/** Blocks near the head that are booked in one batch while the follower is behind. */
const BLOCKS_TOGETHER = 16
const BACKOFF = { baseMs: 200, maxMs: 5_000 }
const RETRY_AFTER_MS_MAX = 60_000
/** How often the follower retries after an error that an operator has to fix. */
const STOPPED_MS = 30_000

/**
 * Hands the blocks of a node to a sink, in order, without a gap, each of them once.
 *
 *   catching up  The cursor is more than 256 blocks behind the head: large batches, which no
 *                reorganisation reaches.
 *                -> live when the cursor reaches the head.
 *   live         Single blocks, each checked against its parent. When the parent is not the last
 *                booked block, the blocks above the fork are reverted in the sink and continues from there.
 *                -> catching up when the head is again more than 256 blocks ahead.
 *   stopped      The fork is too deep, or the node serves another chain or has not the next block
 *                and only newer ones. Nothing is booked.
 *                -> catching up or live when a retry succeeds.
 *
 * Faults of the node are retried. An error of the sink ends the run: only the caller that opened the
 * sink can find out what it has committed.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #timing: Timing
  readonly #heads: HeadWatch
  readonly #catchUpLog: CatchUpLog
  #isNodeChecked = false
  #isReported = false
  #failures = 0

  constructor(options: FollowerOptions) {
    const { polygon, openSocket, timing = systemTiming } = options
    this.#options = options
    this.#timing = timing
    this.#heads = new HeadWatch({ polygon, openSocket, timing })
    this.#catchUpLog = new CatchUpLog(options.log, timing)
  }

  /** Returns when the signal aborts; batches that the sink has received by then are booked first. */
  async run(signal: AbortSignal): Promise<void> {
    const { sink, status } = this.#options
    status.onCursor(sink.cursor)
    status.enter('catching_up')
    await withLinked([signal], async (linked) => {
      this.#heads.start(linked.signal)
      try {
        while (!signal.aborted) await this.#tryStep(signal)
      } finally {
        linked.abort()
      }
    })
    status.enter('idle')
  }

  async #tryStep(signal: AbortSignal): Promise<void> {
    const { status, log } = this.#options
    try {
      await this.#step(signal)
      this.#failures = 0
      if (status.problem === undefined) this.#onFollowed()
      else this.#reportOnce(status.problem)
    } catch (fault) {
      const error = await this.#explain(fault, signal)
      if (signal.aborted) return
      // The address may lead to another node now.
      this.#isNodeChecked = false
      if (isPermanent(error)) {
        this.#stop(error)
        await this.#sleep(STOPPED_MS, signal)
      } else if (error instanceof UpstreamError) {
        this.#failures += 1
        log.debug({ err: error }, 'reading the chain failed')
        status.onFault(error.message)
        if (status.problem !== undefined) this.#reportOnce(status.problem)
        const waitMs = Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
        await this.#sleep(Math.max(waitMs, backoffMs(BACKOFF, this.#failures)), signal)
      } else throw error
    }
  }

  /** The error itself, unless the node lacks the next block for good. */
  async #explain(error: unknown, signal: AbortSignal): Promise<unknown> {
    const { polygon, sink, startBlock } = this.#options
    const next = sink.cursor === undefined ? startBlock : sink.cursor.block + 1
    const explained = await explainFault(polygon, next, error, signal)
    if (!(explained instanceof MissingHistoryError)) return explained
    const { message, firstBlock } = explained
    const advice =
      sink.cursor === undefined
        ? `Set AUSPEX_FROM_BLOCK to ${firstBlock} or later, or set a node that has older blocks`
        : 'Set a node that has older blocks (AUSPEX_POLYGON_URL)'
    return new WrongNodeError(`${message}. ${advice}`, { cause: explained })
  }

  #stop({ message }: Error): void {
    this.#reportOnce(message)
    this.#options.status.enter('stopped', message)
  }

  /** The retries will most likely fail alike: the log gets one line for all of them. */
  #reportOnce(reason: string): void {
    if (!this.#isReported) this.#options.log.error({ reason }, 'chain is not followed')
    this.#isReported = true
  }

  #onFollowed(): void {
    if (this.#isReported) this.#options.log.info('chain is followed again')
    this.#isReported = false
  }

  async #step(signal: AbortSignal): Promise<void> {
    const { polygon, sink, status } = this.#options
    const head = await this.#heads.next(signal)
    status.onHead(head)
    const isBehind = head.number < (sink.cursor?.block ?? 0)
    if (isBehind || !this.#isNodeChecked) await checkNodeChain(polygon, sink, head.number, signal)
    this.#isNodeChecked = true
    if (!(await this.#approach(head, signal))) return
    this.#heads.done(head)
    const booked = sink.cursor?.block ?? 0
    if (head.number < booked) this.#onBehind(head.number, booked)
    else if (sink.cursor === undefined) this.#onEarly(head.number)
    else status.onArrived()
    if (status.phase === 'live' || head.number !== booked) return
    status.enter('live')
    this.#catchUpLog.onArrived(booked)
  }

  /** A node that starts is behind for a moment. One that stays far behind is not in sync, or another. */
  #onBehind(headBlock: number, booked: number): void {
    const { status } = this.#options
    status.onFault(`the node is at block ${headBlock} of ${booked}`)
    if (status.problem === undefined || booked - headBlock <= REORG_BLOCKS_MAX) return
    throw new WrongNodeError(
      `the node is at block ${headBlock}, and block ${booked} is booked. Wait until the node is in ` +
        'sync, or set the node that the database was filled from',
    )
  }

  /** The first block may be one of tomorrow by mistake: nothing is booked until the node has it. */
  #onEarly(headBlock: number): void {
    const { status, startBlock } = this.#options
    status.onFault(
      `the node is at block ${headBlock}, and the first block to book is ${startBlock}. Set ` +
        'AUSPEX_FROM_BLOCK to a block that the node has, or wait until it has this one',
      { isLasting: startBlock - headBlock > REORG_BLOCKS_MAX },
    )
  }

  /** Takes one step towards the head. `true`: nothing is left to do for this head. */
  async #approach(head: Head, signal: AbortSignal): Promise<boolean> {
    const { sink, startBlock } = this.#options
    const { cursor } = sink
    const next = cursor === undefined ? startBlock : cursor.block + 1
    if (head.number >= next) {
      const toBlock = head.number - REORG_BLOCKS_MAX
      if (this.#options.status.phase !== 'live') this.#catchUpLog.onProgress(next - 1, head.number)
      if (next <= toBlock && (await this.#hasBlock(head.number, signal)))
        await this.#catchUp(head, next, signal)
      else await this.#bookBlocks(head, next, signal)
      return (sink.cursor?.block ?? 0) >= head.number
    }
    // A node below the cursor lags behind, or its other chain is not yet as high as the booked one.
    if (cursor === undefined || head.number < cursor.block || head.hash === cursor.hash) return true
    return !(await this.#revertToFork(signal))
  }

  /** A head that the node cannot return must not decide which blocks are below reorganisations. */
  async #hasBlock(number: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#options.polygon.getBlock(number, signal)) !== undefined
  }

  async #catchUp(head: Head, fromBlock: number, signal: AbortSignal): Promise<void> {
    const { polygon, sink, status, batchLimits: limits } = this.#options
    status.enter('catching_up')
    const toBlock = head.number - REORG_BLOCKS_MAX
    const range = { fromBlock, toBlock, previousHash: sink.cursor?.hash }
    await this.#orRevert(signal, () =>
      withLinked([signal], async (linked) => {
        const options = { limits, timing: this.#timing, pools: sink.pools }
        try {
          const batches = eachBatch(polygon, range, linked.signal, options)
          await this.#append(batches, signal)
        } finally {
          linked.abort()
        }
      }),
    )
  }

  async #bookBlocks(head: Head, fromBlock: number, signal: AbortSignal): Promise<void> {
    const { polygon, sink, status } = this.#options
    // After a failure blocks are read one by one: the fault may concern only one of them.
    const count = this.#failures > 0 ? 1 : BLOCKS_TOGETHER
    const end = Math.min(head.number, fromBlock + count - 1, partitionEnd(fromBlock))
    const blocks = await readBlocks(
      polygon,
      { fromBlock, toBlock: end },
      { announced: head, onReceipts: (result) => status.onReceipts(result), signal },
    )
    await this.#orRevert(signal, async () => {
      checkParents(
        blocks.map(({ head }) => ({ first: head, last: head })),
        sink.cursor?.hash,
      )
      await this.#append([joinBlocks(blocks)], signal)
    })
  }

  async #append(batches: Batches, signal: AbortSignal): Promise<void> {
    const { sink, status } = this.#options
    await sink.append(untilAborted(batches, signal), (booked) => {
      status.onBooked(booked)
      status.onCursor(sink.cursor)
      const { phase, head } = status
      if (phase === 'catching_up') this.#catchUpLog.onProgress(booked.toBlock, head?.block ?? 0)
    })
  }

  /** Runs `work`; when the next block does not follow the cursor, reverts the blocks above the fork. */
  async #orRevert(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ParentMismatchError)) throw error
      if (!(await this.#revertToFork(signal))) throw inconsistentAnswer(error.message)
    }
  }

  /** Reverts the booked blocks that the node no longer has. `false`: it has all of them. */
  async #revertToFork(signal: AbortSignal): Promise<boolean> {
    const { polygon, sink, status, log } = this.#options
    const { cursor } = sink
    if (cursor === undefined) return false
    const fork = await findFork(sink, cursor, (fromBlock, toBlock) =>
      readHeads(polygon, blockNumbers(fromBlock, toBlock), signal),
    )
    const depth = cursor.block - fork
    if (depth === 0) return false
    signal.throwIfAborted()
    await sink.revert(fork)
    log.info({ fork, depth }, 'chain was reorganised')
    status.onReorg(depth)
    status.onCursor(sink.cursor)
    return true
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#timing.sleep(ms, signal).catch(() => undefined)
  }
}

/** An operator has to fix these. */
const isPermanent = (error: unknown): error is NoForkError | WrongNodeError =>
  error instanceof NoForkError || error instanceof WrongNodeError

async function* untilAborted(batches: Batches, signal: AbortSignal): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    signal.throwIfAborted()
    yield batch
  }
}

const EVERY_MS = 30_000

type Stretch = { startMs: number; startBlock: number; shownMs: number; shownBlock: number }

/** Tells the log how the follower comes nearer to the head: at once, every 30 seconds, and when it is there. */
class CatchUpLog {
  readonly #log: Log
  readonly #timing: Timing
  /** `undefined`: the follower is at the head, or has not booked yet. */
  #stretch: Stretch | undefined

  constructor(log: Log, timing: Timing) {
    this.#log = log
    this.#timing = timing
  }

  /** `block`: the last booked one, or the one before the first. */
  onProgress(block: number, headBlock: number): void {
    const nowMs = this.#timing.now()
    const blocksLeft = headBlock - block
    if (this.#stretch === undefined) {
      this.#stretch = { startMs: nowMs, startBlock: block, shownMs: nowMs, shownBlock: block }
      this.#log.info({ block, headBlock, blocksLeft }, 'catching up')
      return
    }
    const { shownMs, shownBlock } = this.#stretch
    if (nowMs - shownMs < EVERY_MS) return
    const perSecond = ((block - shownBlock) / (nowMs - shownMs)) * 1_000
    const eta = perSecond > 0 ? formatSeconds(blocksLeft / perSecond) : 'unknown'
    const rate = { blocksPerSecond: Math.round(perSecond), eta }
    this.#log.info({ block, headBlock, blocksLeft, ...rate }, 'catching up')
    Object.assign(this.#stretch, { shownMs: nowMs, shownBlock: block })
  }

  /** The follower has booked the newest block of the node. */
  onArrived(block: number): void {
    const { startMs = this.#timing.now(), startBlock = block } = this.#stretch ?? {}
    const seconds = Math.round((this.#timing.now() - startMs) / 1_000)
    this.#log.info({ block, blocks: block - startBlock, seconds }, 'caught up')
    this.#stretch = undefined
  }
}
