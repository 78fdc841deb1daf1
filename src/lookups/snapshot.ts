import type { ChainStatus } from '../core/chain-status.js'
import type { Job } from '../jobs/job.js'
import { isChainLive, untilLive } from '../jobs/until-live.js'
import type { Platform } from '../platform.js'
import type { Fragment, Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'

/*
 * Snapshots of chain facts that jobs make: leaderboards, statistics, scores. Each stores the last block that it has
 * counted and the last reorganisation that it has seen (`rewind`). What it has of blocks that were reverted since is left
 * out of answers, in the statement that reads it, until the job refreshes the snapshot, which it does at once.
 */

/** Selects `block` and `rewind` of a snapshot: one row, or none before the first refresh. */
export type SnapshotState = (sql: Sql) => Fragment

/** The condition that a snapshot counts no reverted block up to `seq`. */
export const isUnreverted = (sql: Sql, seq: Fragment, state: SnapshotState): Fragment => sql`
  ${seq} < coalesce(
    (select (min(r.to_block) + 1)::bigint << 20
       from rewinds r where r.id > (select s.rewind from (${state(sql)}) s)),
    9223372036854775807)`

/** The condition that a reorganisation since this one reverted blocks up to `block`. Index: rewinds_pkey. */
export const isReverted = (sql: Sql, block: Fragment, rewind: Fragment): Fragment => sql`
  exists (select from rewinds r where r.id > ${rewind} and r.to_block < ${block})`

/**
 * Wallets with a position that reverted blocks of a snapshot had changed. Their ids may be those of others by now.
 * Indexes: rewinds_pkey, rewound_positions_pkey.
 */
export const revertedWallets = (sql: Sql, state: SnapshotState): Fragment => sql`
  select p.wallet
    from (${state(sql)}) s
    join rewinds r on r.id > s.rewind and r.to_block < s.block
    join rewound_positions p on p.rewind = r.id`

/** Whether blocks of a snapshot were reverted since its last refresh. */
export async function hasUnseenReorg(sql: Sql, state: SnapshotState): Promise<boolean> {
  const rows = await sql`
    select from (${state(sql)}) s where ${isReverted(sql, sql`s.block`, sql`s.rewind`)}`
  return rows.length > 0
}

/** The last reorganisation. */
export const lastReorg = (sql: Sql): Fragment => sql`(select coalesce(max(id), 0) from rewinds)`

/** A number that moves with each reorganisation: what is kept of the chain before is void. */
export async function selectLastReorg(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ last: bigint }[]>`select ${lastReorg(sql)} as last`
  return row?.last ?? 0n
}

/**
 * One refresh. All its statements see the same chain, whatever is booked or reverted meanwhile. The lock of the state comes
 * before the first of them: a refresh that waited for another one sees what that one wrote.
 */
export const transactRefresh = <Result>(
  pool: Pool,
  stateTable: string,
  refresh: (tx: Sql) => Promise<Result>,
): Promise<Result> =>
  transact(pool, async (tx) => {
    await tx.unsafe(`
      set transaction isolation level repeatable read;
      set local statement_timeout = 0;
      lock table ${stateTable} in exclusive mode`)
    return await refresh(tx)
  })

type SnapshotJob = Pick<Job, 'name' | 'everyMs'> & {
  state: SnapshotState
  refresh: (signal: AbortSignal) => Promise<void>
  /** For a snapshot that is not refreshed while the chain is caught up with. */
  onlyWhenLive?: boolean
  /** Whether its inputs beside the chain are read; a snapshot that was made before is not refreshed until then. */
  hasInputs?: (sql: Sql) => Promise<boolean>
}

/** How soon a reorganisation is seen. */
const CHECK_MS = 1_000

/**
 * Refreshes a snapshot when that is due, and at once when the chain is caught up with, its inputs are read, or a
 * reorganisation has reverted blocks of the snapshot.
 */
export function createSnapshotJob(
  platform: Pick<Platform, 'sql' | 'clock'>,
  chain: Pick<ChainStatus, 'follower' | 'elsewhere'>,
  { name, everyMs, state, refresh, onlyWhenLive = false, hasInputs }: SnapshotJob,
): Job {
  let refreshedMs: number | undefined
  let wasLive = onlyWhenLive
  let hadInputs = hasInputs === undefined

  async function isDue(nowMs: number, hasAll: boolean): Promise<boolean> {
    if (!hasAll) return !(await isMade(platform.sql, state))
    if (refreshedMs === undefined || !hadInputs) return true
    // The clock may have been set back since.
    return Math.abs(nowMs - refreshedMs) >= everyMs
  }

  return {
    name,
    everyMs: CHECK_MS,
    roles: ['worker'],
    runsIn: 'one process',
    needsDatabase: true,
    startsAfter: (signal) => untilLive({ chain }, signal),
    run: async (signal) => {
      const isLive = isChainLive({ chain })
      if (onlyWhenLive && !isLive) return
      const nowMs = platform.clock.now()
      const hasAll = hadInputs || ((await hasInputs?.(platform.sql)) ?? true)
      const isStale = async () => isLive && (!wasLive || (await hasUnseenReorg(platform.sql, state)))
      if (!(await isDue(nowMs, hasAll)) && !(await isStale())) return
      await refresh(signal)
      refreshedMs = nowMs
      wasLive = isLive
      hadInputs = hasAll
    },
  }
}

async function isMade(sql: Sql, state: SnapshotState): Promise<boolean> {
  const rows = await sql`select from (${state(sql)}) s where s.block is not null`
  return rows.length > 0
}
