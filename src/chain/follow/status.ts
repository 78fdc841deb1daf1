import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../../core/clock.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import type { BookedRange, ChainCursor } from './block-sink.js'

/**
 * `idle`: the follower does not run. `standby`: another process has the lease. `catching_up`: history
 * is read. `live`: each new block is booked. `stopped`: a permanent error; retried every 30 seconds.
 */
type FollowPhase = 'idle' | 'standby' | 'catching_up' | 'live' | 'stopped'

/** Faults that pass sooner are not reported. */
const PROBLEM_AFTER_MS = 30_000
/** Polygon produces a block every two seconds. */
const HEAD_STUCK_MS = 60_000

/** The state of the follower, for `/v1/status`, `/readyz` and the metrics. */
export class FollowStatus {
  readonly #clock: Clock
  readonly #metrics: FollowMetrics
  readonly #onPhase: () => void
  phase: FollowPhase = 'idle'
  /** The newest block that the node announced. */
  head: { block: number; timeSec: number } | undefined
  cursor: ChainCursor | undefined
  #headMovedMs = 0
  #fault: { text: string; sinceMs: number } | undefined
  #stoppedBy: string | undefined

  /** `onPhase` is called whenever a phase is entered. */
  constructor(clock: Clock, metrics: FollowMetrics, onPhase: () => void = () => undefined) {
    this.#clock = clock
    this.#metrics = metrics
    this.#onPhase = onPhase
  }

  /** Seconds from the last booked block to the newest one; `undefined` when either is unknown. */
  get lagSec(): number | undefined {
    if (this.head === undefined || this.cursor === undefined) return undefined
    return Math.max(0, this.head.timeSec - this.cursor.timeSec)
  }

  /** A message for operators; `undefined` when there is no fault, or only a recent one. */
  get problem(): string | undefined {
    if (this.#stoppedBy !== undefined) return this.#stoppedBy
    const nowMs = this.#clock.now()
    if (this.#fault !== undefined && nowMs - this.#fault.sinceMs >= PROBLEM_AFTER_MS) return this.#fault.text
    const stuckMs = nowMs - this.#headMovedMs
    if (this.phase !== 'live' || stuckMs < HEAD_STUCK_MS) return undefined
    return `the node has had no new block for ${Math.round(stuckMs / 1000)} s`
  }

  /** `stoppedBy`: why the follower enters the phase `stopped`. */
  enter(phase: FollowPhase, stoppedBy?: string): void {
    this.phase = phase
    this.#stoppedBy = stoppedBy
    this.#metrics.isLive.set(phase === 'live' ? 1 : 0)
    if (phase !== 'live' && phase !== 'catching_up') this.#fault = undefined
    this.#onPhase()
  }

  onHead({ number, timestampSec }: Head): void {
    if (number !== this.head?.block) this.#headMovedMs = this.#clock.now()
    this.head = { block: number, timeSec: timestampSec }
    this.#metrics.headBlock.set(number)
    this.#metrics.headTime.set(timestampSec)
    this.onCursor(this.cursor)
  }

  onCursor(cursor: ChainCursor | undefined): void {
    this.cursor = cursor
    if (cursor === undefined) return
    this.#metrics.cursorBlock.set(cursor.block)
    this.#metrics.cursorTime.set(cursor.timeSec)
    this.#metrics.lagSeconds.set(this.lagSec ?? 0)
  }

  onBooked({ fromBlock, toBlock, logs, refused }: BookedRange): void {
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

  /** `isLasting`: it does not pass by itself, and is a problem at once. */
  onFault(text: string, { isLasting = false } = {}): void {
    const sinceMs = this.#fault?.sinceMs ?? this.#clock.now()
    this.#fault = { text, sinceMs: isLasting ? Number.NEGATIVE_INFINITY : sinceMs }
    this.#metrics.faults.inc()
  }

  /** The cursor has reached the head of the node. */
  onArrived(): void {
    this.#fault = undefined
  }
}

type FollowMetrics = ReturnType<typeof createFollowMetrics>

/** Metrics of the node's head and of the follower's progress. */
export function createFollowMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  return {
    headBlock: gauge('auspex_chain_head_block', 'Newest block that the node announced'),
    headTime: gauge(
      'auspex_chain_head_timestamp_seconds',
      'Time of the newest block that the node announced',
    ),
    cursorBlock: gauge('auspex_chain_cursor_block', 'Last block that is booked'),
    cursorTime: gauge('auspex_chain_cursor_timestamp_seconds', 'Time of the last booked block'),
    lagSeconds: gauge(
      'auspex_chain_lag_seconds',
      'Time of the newest block of the node minus that of the last booked one',
    ),
    isLive: gauge('auspex_chain_live', '1 while every new block is booked as it comes'),
    blocks: counter('auspex_chain_blocks_total', 'Blocks booked'),
    logs: counter('auspex_chain_logs_total', 'Logs booked'),
    faults: counter('auspex_chain_faults_total', 'Steps that failed and were tried again'),
    reorgs: counter('auspex_chain_reorgs_total', 'Reorganisations that took booked blocks back'),
    reorgDepth: new Histogram({
      name: 'auspex_chain_reorg_depth_blocks',
      help: 'Blocks that a reorganisation took back',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    receiptChecks: new Counter({
      name: 'auspex_chain_receipt_checks_total',
      help: 'Blocks whose logs were compared with their receipts, by result: agreed, corrected, unavailable',
      labelNames: ['result'] as const,
      registers,
    }),
    refusedLogs: counter(
      'auspex_chain_refused_logs_total',
      'Logs that the node gave and that their block does not have',
    ),
  }
}
