import assert from 'node:assert/strict'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import { isOutage, isOverTime } from '../core/database-fault.js'
import { blockOf } from '../core/seq.js'
import type { Alarm } from '../lib/alarm.js'
import { faultFields } from '../lib/fault-fields.js'
import type { Log } from '../lib/log.js'
import { withTimeout } from '../lib/timeout.js'
import { backoffMs } from '../lib/timing.js'
import { selectLastReorg } from '../lookups/snapshot.js'
import type { Store } from '../store/store.js'
import { type ScanOrder, scanWallet } from './fact-scan.js'
import {
  claimRuns,
  requeueReverted,
  returnRun,
  type ScoredRun,
  type ScoringRun,
  selectNextRunMs,
  writeRun,
} from './queue-queries.js'
import { DEFAULT_SLIPPAGE_BP, toCopyScore } from './score.js'
import { COPY_PERIOD_DAYS, COPY_PERIODS, DAY_SEC } from './window.js'

/** Scoring runs of this process at a time. */
const RUNS_MAX = 2
const BUDGET_MS = 180_000
/** The budget, the query that runs when it ends, and the writing. */
const LEASE_MS = 240_000
/** Wallets that other processes queue are found at most this much later. */
const POLL_MS = 1_000
const RETRY = { baseMs: 500, maxMs: 10_000 }
const DAY_MS = DAY_SEC * 1000
/** After a failure a wallet need not wait for the run of the next day. */
const FAILED_AGAIN_MS = 15 * 60_000
const STOP_MS_MAX = 300
/** What callers read; the log has the rest. */
const TIMEOUT = `timeout_${BUDGET_MS / 1000}s`
const FAILURE = 'The score could not be computed.'

/** The longest first. */
const DAYS = COPY_PERIODS.map((period) => COPY_PERIOD_DAYS[period]).reverse()

type ScorerDeps = {
  store: Pick<Store, 'sql'>
  clock: Clock
  log: Log
  metrics: CopyMetrics
  /** Rung when wallets were queued. */
  alarm: Alarm
  limits?: { budgetMs?: number; pageFacts?: number; pollMs?: number }
}

/**
 * Scores the wallets of all pools, each for all six periods in one scan of its facts. Any number of processes may do so
 * on one database: the queue is there, and a wallet is leased while it is scored.
 *
 *   pending  added, and no run has ended yet
 *   scored   the last run succeeded; `partial` where a window was not scanned to its end in time
 *   errored  the last run failed. Older scores stay, and the next run that succeeds ends the state
 *
 * A wallet is scored when it is added, when a reorganisation reverted blocks of its last run, and once a day at a time
 * of its own, so that the work is spread over the day however many wallets were added at once.
 */
export class CopyScorer {
  readonly #deps: ScorerDeps
  readonly #runs = new Map<string, Promise<void>>()
  /** The last reorganisation whose scores this process has queued again. */
  #seenReorg = -1n

  constructor(deps: ScorerDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    const { alarm, log } = this.#deps
    let failures = 0
    while (!signal.aborted) {
      let restMs: number
      try {
        restMs = await this.#beginRuns(signal)
        failures = 0
      } catch (error) {
        if (failures++ === 0) log.warn(faultFields(error), 'scoring of wallets waits')
        restMs = backoffMs(RETRY, failures)
      }
      if (restMs > 0) await alarm.rest(restMs, signal)
    }
    await withTimeout(this.#idle(), STOP_MS_MAX, 'scoring runs hang').catch(() => undefined)
  }

  /** Resolves when no run is left. */
  async #idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs.values())
  }

  /** Begins runs that are due. Returns how long to rest afterwards. */
  async #beginRuns(signal: AbortSignal): Promise<number> {
    const { store, clock, limits } = this.#deps
    const { pollMs = POLL_MS } = limits ?? {}
    const limit = RUNS_MAX - this.#runs.size
    if (limit === 0) return pollMs
    const nowMs = clock.now()
    await this.#requeueReverted(nowMs)
    const runs = await claimRuns(store.sql, { limit, nowMs, leaseMs: LEASE_MS })
    for (const run of runs) this.#begin(run, signal)
    if (runs.length === limit) return 0
    const nextMs = await selectNextRunMs(store.sql)
    const waitMs = nextMs === undefined ? pollMs : nextMs - clock.now()
    return Math.max(1, Math.min(waitMs, pollMs))
  }

  async #requeueReverted(nowMs: number): Promise<void> {
    const { sql } = this.#deps.store
    const lastReorg = await selectLastReorg(sql)
    if (lastReorg === this.#seenReorg) return
    await requeueReverted(sql, nowMs)
    this.#seenReorg = lastReorg
  }

  #begin(run: ScoringRun, signal: AbortSignal): void {
    const { alarm, log } = this.#deps
    const scoring = this.#scoreAndWrite(run, signal)
      .catch((error) => log.warn({ wallet: run.wallet, ...faultFields(error) }, 'a score is not written'))
      .finally(() => {
        this.#runs.delete(run.wallet)
        alarm.ring()
      })
    this.#runs.set(run.wallet, scoring)
  }

  /** What cannot be written is scored again when the lease has run out. */
  async #scoreAndWrite(run: ScoringRun, signal: AbortSignal): Promise<void> {
    const { store, clock, log, metrics } = this.#deps
    const startedAt = performance.now()
    try {
      const scored = await this.#score(run.wallet, signal)
      const isPartial = scored.scores.some((score) => score.isPartial)
      metrics.runs.inc({ result: isPartial ? 'partial' : 'whole' })
      const endedMs = clock.now()
      await writeRun(store.sql, { ...run, endedMs, nextMs: nextRunAfter(run.wallet, endedMs), ...scored })
    } catch (error) {
      if (signal.aborted) return await returnRun(store.sql, run, clock.now())
      if (isOutage(error) && !isOverTime(error)) throw error
      metrics.runs.inc({ result: 'failed' })
      if (!isOverTime(error)) log.warn({ wallet: run.wallet, ...faultFields(error) }, 'a scoring run failed')
      const endedMs = clock.now()
      const nextMs = endedMs + FAILED_AGAIN_MS
      await writeRun(store.sql, { ...run, endedMs, nextMs, error: isOverTime(error) ? TIMEOUT : FAILURE })
    }
    metrics.runSeconds.observe((performance.now() - startedAt) / 1000)
  }

  async #score(address: string, signal: AbortSignal): Promise<ScoredRun> {
    const { store, clock, limits } = this.#deps
    const { budgetMs = BUDGET_MS, pageFacts } = limits ?? {}
    const deadline = performance.now() + budgetMs
    const toSec = Math.floor(clock.now() / 1000)
    const order: ScanOrder = {
      address,
      fromSecs: DAYS.map((days) => toSec - days * DAY_SEC),
      toSec,
      slippageBp: DEFAULT_SLIPPAGE_BP,
    }
    const isOver = () => performance.now() >= deadline
    const windows = await scanWallet(store.sql, order, { isOver, signal, pageFacts })
    const [longest] = windows
    assert(longest !== undefined, 'there are windows')
    return {
      block: blockOf(longest.range.until),
      rewind: longest.rewind,
      scores: windows.map(({ facts, isPartial }, index) => ({
        days: DAYS[index] ?? 0,
        isPartial,
        ...toCopyScore(facts, DEFAULT_SLIPPAGE_BP),
      })),
    }
  }
}

/** The next time of day that is the wallet's own, at most a day ahead. */
function nextRunAfter(wallet: string, nowMs: number): number {
  const ownMs = Number(BigInt(`0x${wallet.slice(-12)}`) % BigInt(DAY_MS))
  const aheadMs = (((ownMs - nowMs) % DAY_MS) + DAY_MS) % DAY_MS
  return nowMs + (aheadMs === 0 ? DAY_MS : aheadMs)
}

type CopyMetrics = ReturnType<typeof createCopyMetrics>

export function createCopyMetrics(registry: Registry) {
  const registers = [registry]
  return {
    runs: new Counter({
      name: 'auspex_copy_pnl_walks_total',
      help: 'Walks over the facts of a pool wallet that ended, by result: whole, partial, failed',
      labelNames: ['result'] as const,
      registers,
    }),
    runSeconds: new Histogram({
      name: 'auspex_copy_pnl_walk_seconds',
      help: 'How long a walk took',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180],
      registers,
    }),
  }
}
