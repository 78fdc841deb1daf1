import type { Clock } from '../../core/clock.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import type { Booked, Cursor } from './line.js'
import type { FollowMetrics } from './metrics.js'

/**
 * `idle`: nothing is followed. `standby`: another process follows. `catching_up`: history is read.
 * `live`: blocks are booked as they come. `stopped`: nothing is booked, which is tried again.
 */
export type FollowPhase = 'idle' | 'standby' | 'catching_up' | 'live' | 'stopped'

/** Faults that pass sooner are nobody's concern. */
const PROBLEM_AFTER_MS = 30_000
/** Polygon makes a block every two seconds. */
const HEAD_STUCK_MS = 60_000

/** How the following of the chain goes, for `/v1/status`, `/readyz` and the metrics. */
export class FollowStatus {
  readonly #clock: Clock
  readonly #metrics: FollowMetrics
  readonly #onPhase: () => void
  #phase: FollowPhase = 'idle'
  #head: { block: number; timeSec: number } | undefined
  #headMovedMs = 0
  #cursor: Cursor | undefined
  #fault: { text: string; sinceMs: number } | undefined
  #stoppedBy: string | undefined

  /** `onPhase` is called whenever a phase is entered. */
  constructor(clock: Clock, metrics: FollowMetrics, onPhase: () => void = () => undefined) {
    this.#clock = clock
    this.#metrics = metrics
    this.#onPhase = onPhase
  }

  get phase(): FollowPhase {
    return this.#phase
  }

  /** The newest block that the node announced. */
  get head(): { block: number; timeSec: number } | undefined {
    return this.#head
  }

  get cursor(): Cursor | undefined {
    return this.#cursor
  }

  /** By how much the last booked block is older than the newest one; `undefined` when unknown. */
  get lagSec(): number | undefined {
    if (this.#head === undefined || this.#cursor === undefined) return undefined
    return Math.max(0, this.#head.timeSec - this.#cursor.timeSec)
  }

  /** What is wrong, in words for people; `undefined` when all is well or a fault may soon pass. */
  get problem(): string | undefined {
    if (this.#stoppedBy !== undefined) return this.#stoppedBy
    const nowMs = this.#clock.now()
    if (this.#fault !== undefined && nowMs - this.#fault.sinceMs >= PROBLEM_AFTER_MS)
      return this.#fault.text
    const stuckMs = nowMs - this.#headMovedMs
    if (this.#phase !== 'live' || stuckMs < HEAD_STUCK_MS) return undefined
    return `the node has had no new block for ${Math.round(stuckMs / 1000)} s`
  }

  enter(phase: Exclude<FollowPhase, 'stopped'>): void {
    this.#change(phase, undefined)
  }

  stop(why: string): void {
    this.#change('stopped', why)
  }

  onHead({ number, timestampSec }: Head): void {
    if (number !== this.#head?.block) this.#headMovedMs = this.#clock.now()
    this.#head = { block: number, timeSec: timestampSec }
    this.#metrics.headBlock.set(number)
    this.#metrics.headTime.set(timestampSec)
    this.onCursor(this.#cursor)
  }

  onCursor(cursor: Cursor | undefined): void {
    this.#cursor = cursor
    if (cursor === undefined) return
    this.#metrics.cursorBlock.set(cursor.block)
    this.#metrics.cursorTime.set(cursor.timeSec)
    this.#metrics.lagSeconds.set(this.lagSec ?? 0)
  }

  onBooked({ fromBlock, toBlock, logs, refused }: Booked): void {
    this.#metrics.blocks.inc(toBlock - fromBlock + 1)
    this.#metrics.logs.inc(logs)
    this.#metrics.refusedLogs.inc(refused)
  }

  onReorg(depth: number): void {
    this.#metrics.reorgs.inc()
    this.#metrics.reorgDepth.observe(depth)
  }

  onReceipts(result: 'agreed' | 'corrected' | 'unavailable'): void {
    this.#metrics.receiptChecks.inc({ result })
  }

  onFault(text: string): void {
    this.#fault = { text, sinceMs: this.#fault?.sinceMs ?? this.#clock.now() }
    this.#metrics.faults.inc()
  }

  /** The line is where the node is. */
  onArrived(): void {
    this.#fault = undefined
  }

  #change(phase: FollowPhase, stoppedBy: string | undefined): void {
    this.#phase = phase
    this.#stoppedBy = stoppedBy
    this.#metrics.isLive.set(phase === 'live' ? 1 : 0)
    if (phase !== 'live' && phase !== 'catching_up') this.#fault = undefined
    this.#onPhase()
  }
}
