import type { Log } from '../../lib/log.js'
import { formatSeconds } from '../../lib/progress.js'
import type { Timing } from '../../lib/timing.js'

const EVERY_MS = 30_000

type Stretch = { startMs: number; startBlock: number; shownMs: number; shownBlock: number }

/** Tells the log how the follower comes nearer to the head: at once, every 30 seconds, and when it is there. */
export class CatchUpLog {
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
