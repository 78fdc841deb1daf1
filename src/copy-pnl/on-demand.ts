import assert from 'node:assert/strict'
import { isOverTime } from '../core/database-fault.js'
import { ApiError, unavailable } from '../core/errors.js'
import type { FairSemaphore } from '../lib/fair-semaphore.js'
import type { Sql } from '../store/connection.js'
import {
  type CountedTrade,
  type RealizedPositions,
  selectCountedTrades,
  selectRealizedPositions,
} from './fact-queries.js'
import { scanWallet } from './fact-scan.js'
import { type CopyScore, type FactSums, toCopyScore } from './score.js'
import type { CopyWindow } from './window.js'

const WALLET_BUDGET_MS = 30_000
const BATCH_BUDGET_MS = 45_000
const BATCH_SCANS_MAX = 8
/** Of all wallets of an answer together. */
const TRADES_MAX = 10_000

type ScoreOrder = { window: CopyWindow; slippageBp: number; includesTrades: boolean }

/** What is computed for an answer. `trades`: the newest ones, when the request includes them. */
export type WindowScore = {
  address: string
  order: ScoreOrder
  facts: FactSums
  isPartial: boolean
  score: CopyScore
  realized: RealizedPositions
  trades: CountedTrade[] | undefined
  elapsedMs: number
}

export type FailedScore = { address: string; error: string }

type Tools = { sql: Sql; scans: FairSemaphore }

/** The scans of all accounts share their slots. */
const ALL = 0
/** Scans for answers at a time: they must leave connections to the database for other requests. */
const SCANS_MAX = 6
/** How long an answer for one wallet waits. */
const WAIT_MS_MAX = 5_000

const refuseScan = () => unavailable('Too many wallets are being scored now; try again in a moment.')

/** Scores one wallet now, in 30 seconds at most. */
export const scoreNow = (tools: Tools, address: string, order: ScoreOrder): Promise<WindowScore> =>
  scoreUntil(tools, address, order, {
    waitMsMax: WAIT_MS_MAX,
    endAt: Number.POSITIVE_INFINITY,
    tradesMax: TRADES_MAX,
  })

/** Scores several, eight at a time and 45 seconds at most in all; one that fails stops no other. */
export async function scoreBatch(
  tools: Tools,
  addresses: readonly string[],
  order: ScoreOrder,
): Promise<(WindowScore | FailedScore)[]> {
  const endAt = performance.now() + BATCH_BUDGET_MS
  const tradesMax = Math.floor(TRADES_MAX / addresses.length)
  const results: (WindowScore | FailedScore)[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < addresses.length; index = next++) {
      const address = addresses[index] ?? ''
      const now = performance.now()
      results[index] =
        now >= endAt
          ? { address, error: `timeout_${BATCH_BUDGET_MS / 1000}s` }
          : // The wallets before it in the same batch may have all slots.
            await scoreUntil(tools, address, order, {
              waitMsMax: endAt - now,
              endAt,
              tradesMax,
            }).catch((error) => ({ address, error: describeRefusal(error) }))
    }
  }
  await Promise.all(Array.from({ length: BATCH_SCANS_MAX }, work))
  return results
}

/** Of a wallet in a batch. A fault of the service is thrown: the answer is a 500 or a 503 then. */
function describeRefusal(error: unknown): string {
  if (isOverTime(error)) return `timeout_${WALLET_BUDGET_MS / 1000}s`
  if (error instanceof ApiError) return error.message
  throw error
}

async function scoreUntil(
  { sql, scans }: Tools,
  address: string,
  order: ScoreOrder,
  { waitMsMax, endAt, tradesMax }: { waitMsMax: number; endAt: number; tradesMax: number },
): Promise<WindowScore> {
  const startedAt = performance.now()
  const { window, slippageBp, includesTrades } = order
  const times = { fromSecs: [window.fromSec], toSec: window.toSec }
  const slot = { owner: ALL, ownMax: SCANS_MAX, waitMsMax, refuse: refuseScan }
  return await scans.run(slot, async () => {
    const deadline = Math.min(endAt, performance.now() + WALLET_BUDGET_MS)
    const isOver = () => performance.now() >= deadline
    const [scanned] = await scanWallet(sql, { address, ...times, slippageBp }, { isOver })
    assert(scanned !== undefined, 'a scan of one window has one result')
    const { range, facts, isPartial } = scanned
    return {
      address,
      order,
      facts,
      isPartial,
      score: toCopyScore(facts, slippageBp),
      realized: await selectRealizedPositions(sql, address, range),
      trades: includesTrades
        ? await selectCountedTrades(sql, address, range, { slippageBp, limit: tradesMax })
        : undefined,
      elapsedMs: Math.round(performance.now() - startedAt),
    }
  })
}
