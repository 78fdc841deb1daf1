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
import { DEFAULT_SLIPPAGE_BP, toCopyScore } from './score.js'
import {
  claimTurns,
  type EndedWalk,
  requeueReverted,
  returnTurn,
  type ScoredWalk,
  selectNextTurn,
  type WalkTurn,
  writeWalk,
} from './turn-queries.js'
import { type WalkOrder, walkWallet } from './walk.js'
import { COPY_PERIOD_DAYS, COPY_PERIODS, DAY_SEC } from './window.js'

/** Walks of this process at a time. */
const WALKS_MAX = 2
const BUDGET_MS = 180_000
/** The budget, the query that runs when it ends, and the writing. */
const LEASE_MS = 240_000
/** What other processes queue is found so late at most. */
const POLL_MS = 1_000
const RETRY = { baseMs: 500, maxMs: 10_000 }
const DAY_MS = DAY_SEC * 1000
/** After a failure a wallet need not wait for its turn of the next day. */
const FAILED_AGAIN_MS = 15 * 60_000
const STOP_MS_MAX = 300
/** What callers read; the log has the rest. */
const TIMEOUT = `timeout_${BUDGET_MS / 1000}s`
const FAILURE = 'The score could not be computed.'

/** The longest first. */
const DAYS = COPY_PERIODS.map((period) => COPY_PERIOD_DAYS[period]).reverse()

type ScorerParts = {
  store: Pick<Store, 'sql'>
  clock: Clock
  log: Log
  metrics: CopyMetrics
  /** Rung when wallets were queued. */
  alarm: Alarm
  limits?: { budgetMs?: number; pageFacts?: number; pollMs?: number }
}

/**
 * Scores the wallets of all pools, for all six periods in one walk. Any number of processes may do so on
 * one database: the queue is there, and a wallet is leased while it is walked.
 *
 *   pending  added, and no walk has ended yet
 *   scored   the last walk succeeded; `partial` where a window was not walked to its end in time
 *   errored  the last walk failed. Older scores stay, and the next walk that succeeds ends the state
 *
 * A wallet is walked when it is added, when a reorganisation reverted blocks of its last walk, and once a day at a time of its own, so that the work is spread
 * over the day however many wallets were added at once.
 */
export class CopyScorer {
  readonly #parts: ScorerParts
  readonly #walks = new Map<string, Promise<void>>()
  /** The last reorganisation whose scores this process has queued again. */
  #seenReorg = -1n

  constructor(parts: ScorerParts) {
    this.#parts = parts
  }

  async run(signal: AbortSignal): Promise<void> {
    const { alarm, log } = this.#parts
    let failures = 0
    while (!signal.aborted) {
      let restMs: number
      try {
        restMs = await this.#takeTurns(signal)
        failures = 0
      } catch (error) {
        if (failures++ === 0) log.warn(faultFields(error), 'scoring of wallets waits')
        restMs = backoffMs(RETRY, failures)
      }
      if (restMs > 0) await alarm.rest(restMs, signal)
    }
    await withTimeout(this.#idle(), STOP_MS_MAX, 'walks hang').catch(() => undefined)
  }

  /** Resolves when no walk runs. */
  async #idle(): Promise<void> {
    while (this.#walks.size > 0) await Promise.all(this.#walks.values())
  }

  /** Begins walks that are due. Returns how long to rest afterwards. */
  async #takeTurns(signal: AbortSignal): Promise<number> {
    const { store, clock, limits } = this.#parts
    const { pollMs = POLL_MS } = limits ?? {}
    const limit = WALKS_MAX - this.#walks.size
    if (limit === 0) return pollMs
    const nowMs = clock.now()
    await this.#requeueReverted(nowMs)
    const turns = await claimTurns(store.sql, { limit, nowMs, leaseMs: LEASE_MS })
    for (const turn of turns) this.#begin(turn, signal)
    if (turns.length === limit) return 0
    const nextMs = await selectNextTurn(store.sql)
    const waitMs = nextMs === undefined ? pollMs : nextMs - clock.now()
    return Math.max(1, Math.min(waitMs, pollMs))
  }

  async #requeueReverted(nowMs: number): Promise<void> {
    const { sql } = this.#parts.store
    const lastReorg = await selectLastReorg(sql)
    if (lastReorg === this.#seenReorg) return
    await requeueReverted(sql, nowMs)
    this.#seenReorg = lastReorg
  }

  #begin(turn: WalkTurn, signal: AbortSignal): void {
    const { alarm, log } = this.#parts
    const walk = this.#walk(turn, signal)
      .catch((error) => log.warn({ wallet: turn.wallet, ...faultFields(error) }, 'a score is not written'))
      .finally(() => {
        this.#walks.delete(turn.wallet)
        alarm.ring()
      })
    this.#walks.set(turn.wallet, walk)
  }

  /** What cannot be written is walked again when the lease has run out. */
  async #walk(turn: WalkTurn, signal: AbortSignal): Promise<void> {
    const { store, clock, log, metrics } = this.#parts
    const startedAt = performance.now()
    try {
      const scored = await this.#score(turn.wallet, signal)
      const isPartial = scored.scores.some((score) => score.isPartial)
      metrics.walks.inc({ result: isPartial ? 'partial' : 'whole' })
      await this.#end({ ...turn, ...this.#timesOf(turn), ...scored })
    } catch (error) {
      if (signal.aborted) return await returnTurn(store.sql, turn, clock.now())
      if (isOutage(error) && !isOverTime(error)) throw error
      metrics.walks.inc({ result: 'failed' })
      if (!isOverTime(error)) log.warn({ wallet: turn.wallet, ...faultFields(error) }, 'a walk failed')
      const endedMs = clock.now()
      const nextMs = endedMs + FAILED_AGAIN_MS
      await this.#end({ ...turn, endedMs, nextMs, error: isOverTime(error) ? TIMEOUT : FAILURE })
    }
    metrics.walkSeconds.observe((performance.now() - startedAt) / 1000)
  }

  async #score(address: string, signal: AbortSignal): Promise<ScoredWalk> {
    const { store, clock, limits } = this.#parts
    const { budgetMs = BUDGET_MS, pageFacts } = limits ?? {}
    const deadline = performance.now() + budgetMs
    const toSec = Math.floor(clock.now() / 1000)
    const order: WalkOrder = {
      address,
      fromSecs: DAYS.map((days) => toSec - days * DAY_SEC),
      toSec,
      slippageBp: DEFAULT_SLIPPAGE_BP,
    }
    const isOver = () => performance.now() >= deadline
    const windows = await walkWallet(store.sql, order, { isOver, signal, pageFacts })
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

  #timesOf({ wallet }: WalkTurn): { endedMs: number; nextMs: number } {
    const endedMs = this.#parts.clock.now()
    return { endedMs, nextMs: nextTurnAfter(wallet, endedMs) }
  }

  async #end(walk: EndedWalk): Promise<void> {
    await writeWalk(this.#parts.store.sql, walk)
  }
}

/** The next time of day that is the wallet's own, at most a day ahead. */
function nextTurnAfter(wallet: string, nowMs: number): number {
  const ownMs = Number(BigInt(`0x${wallet.slice(-12)}`) % BigInt(DAY_MS))
  const aheadMs = (((ownMs - nowMs) % DAY_MS) + DAY_MS) % DAY_MS
  return nowMs + (aheadMs === 0 ? DAY_MS : aheadMs)
}

type CopyMetrics = ReturnType<typeof createCopyMetrics>

export function createCopyMetrics(registry: Registry) {
  const registers = [registry]
  return {
    walks: new Counter({
      name: 'auspex_copy_pnl_walks_total',
      help: 'Walks over the facts of a pool wallet that ended, by result: whole, partial, failed',
      labelNames: ['result'] as const,
      registers,
    }),
    walkSeconds: new Histogram({
      name: 'auspex_copy_pnl_walk_seconds',
      help: 'How long a walk took',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180],
      registers,
    }),
  }
}
