import { hexToBytes } from '../lib/hex.js'
import { isReverted } from '../lookups/snapshot.js'
import type { Pool, Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import { transact } from '../store/transaction.js'
import type { CopyScore } from './score.js'

const DAY_MS = 24 * 60 * 60_000
/** No run is due later than this by the clock of now: one that is was queued before the clock was set back. */
const AHEAD_MS_MAX = DAY_MS + 60 * 60_000
const DROPPED_MS_MAX = DAY_MS

/** A wallet that this process scores, until its lease ends. */
export type ScoringRun = { wallet: string; leaseEndMs: number }

/**
 * Takes wallets that are due, the longest due first; one that another process takes at the same
 * time is left out. A lease that ran out is due again. Index: copy_wallets_next_at.
 */
export async function claimRuns(
  sql: Sql,
  { limit, nowMs, leaseMs }: { limit: number; nowMs: number; leaseMs: number },
): Promise<ScoringRun[]> {
  const leaseEndMs = nowMs + leaseMs
  const rows = await sql<{ wallet: string }[]>`
    with due as (
      select wallet from copy_wallets
       where dropped_at is null and next_at <= ${new Date(nowMs)}
       order by next_at limit ${limit} for update skip locked
    ), ahead as (
      select wallet from copy_wallets
       where dropped_at is null and next_at > ${new Date(nowMs + AHEAD_MS_MAX)}
       order by next_at limit ${limit} for update skip locked
    ), taken as (
      select * from due union all select * from ahead limit ${limit}
    )
    update copy_wallets w set is_leased = true, next_at = ${new Date(leaseEndMs)}
      from taken where w.wallet = taken.wallet
    returning ${hex(sql, 'w.wallet')} as wallet`
  return rows.map(({ wallet }) => ({ wallet, leaseEndMs }))
}

/** When the next run is due; `undefined`: no wallet waits. Index: copy_wallets_next_at. */
export async function selectNextRunMs(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ nextAt: Date | null }[]>`
    select min(next_at) as next_at from copy_wallets where dropped_at is null`
  return row?.nextAt?.getTime()
}

type DaysScore = CopyScore & { days: number; isPartial: boolean }

/** `block`: the last one that is counted. `rewind`: the last reorganisation before the run. */
export type ScoredRun = { scores: readonly DaysScore[]; block: number; rewind: bigint }

/** How a run ended, and when its wallet is scored again. */
export type EndedRun = ScoringRun & { endedMs: number; nextMs: number } & (ScoredRun | { error: string })

/**
 * Writes what came of a run and ends the lease. A failed run keeps the older scores; one during which blocks were
 * reverted is repeated at once. `false`: the lease had run out and is another's, or no pool has had the wallet for a
 * day, and it is gone.
 */
export function writeRun(sql: Pool, run: EndedRun): Promise<boolean> {
  return transact(sql, async (tx) => {
    const ended = new Date(run.endedMs)
    const outcome =
      'error' in run
        ? tx`error = ${run.error}, error_at = ${ended}`
        : tx`error = null, error_at = null, scored_at = ${ended}, block = ${run.block},
             rewind = ${run.rewind}`
    const [own] = await tx`
      update copy_wallets set is_leased = false, next_at = ${new Date(run.nextMs)}, ${outcome}
       where ${isOwn(tx, run)} returning 1`
    if (own === undefined) return false
    await tx`
      update copy_wallets w set next_at = ${ended}
       where wallet = ${hexToBytes(run.wallet)} and ${isScoreReverted(tx)}`
    if ('scores' in run) await upsertScores(tx, run.wallet, run.scores, ended)
    return true
  })
}

/** Whether the last run of `w` has counted blocks that were reverted since: its scores are not shown. */
export const isScoreReverted = (sql: Sql) => isReverted(sql, sql`w.block`, sql`w.rewind`)

/** Queues the wallets whose scores have counted reverted blocks. Those that are being scored are queued at the end. */
export async function requeueReverted(sql: Sql, nowMs: number): Promise<void> {
  const now = new Date(nowMs)
  await sql`
    update copy_wallets w set next_at = ${now}
     where not is_leased and next_at > ${now} and ${isScoreReverted(sql)}`
}

/** Ends a lease without a run: any process may take the wallet. */
export async function returnRun(sql: Sql, run: ScoringRun, nowMs: number): Promise<void> {
  await sql`
    update copy_wallets set is_leased = false, next_at = ${new Date(nowMs)}
     where ${isOwn(sql, run)}`
}

const isOwn = (sql: Sql, { wallet, leaseEndMs }: ScoringRun) => sql`
  wallet = ${hexToBytes(wallet)} and is_leased and next_at = ${new Date(leaseEndMs)}`

/** A score cannot be computed again later: the chain has gone on since, and may have gone back before. */
export const SCORE_CHECKSUM =
  'hash_record(row(wallet, days, actual, backtest, slippage, rate, trades, is_partial, computed_at))'

async function upsertScores(
  tx: Sql,
  wallet: string,
  scores: readonly DaysScore[],
  computedAt: Date,
): Promise<void> {
  const rows = scores.map((score) => ({ wallet: hexToBytes(wallet), ...score, computedAt }))
  await tx`
    insert into copy_scores ${tx(rows)}
    on conflict (wallet, days) do update
       set actual = excluded.actual, backtest = excluded.backtest, slippage = excluded.slippage,
           rate = excluded.rate, trades = excluded.trades, is_partial = excluded.is_partial,
           computed_at = excluded.computed_at`
  await tx`
    update copy_scores set checksum = ${tx.unsafe(SCORE_CHECKSUM)} where wallet = ${hexToBytes(wallet)}`
}

/**
 * Ends the pools of revoked keys, notes which wallets no pool has any more, and forgets those of which
 * that was so for a day. Requests note it too; this finds what two of them at once have missed.
 */
export async function tidyPools(sql: Pool, nowMs: number): Promise<void> {
  await sql`
    delete from copy_pools p using api_keys k where k.id = p.key_id and k.revoked_at is not null`
  await transact(sql, async (tx) => {
    const isWanted = tx`exists (select from copy_pools p where p.wallet = w.wallet)`
    await tx`
      update copy_wallets w set dropped_at = null where dropped_at is not null and ${isWanted}`
    await tx`
      update copy_wallets w set dropped_at = ${new Date(nowMs)}
       where dropped_at is null and not ${isWanted}`
    await tx`
      delete from copy_wallets w
       where dropped_at <= ${new Date(nowMs - DROPPED_MS_MAX)} and not ${isWanted}`
  })
}
