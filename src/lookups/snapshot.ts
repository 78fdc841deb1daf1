import type { ChainStatus } from '../core/chain-status.js'
import type { Job } from '../jobs/job.js'
import { isChainLive } from '../jobs/until-live.js'
import type { Platform } from '../platform.js'
import type { Fragment, Sql } from '../store/connection.js'

/*
 * Snapshots of chain facts that jobs make: leaderboards, statistics, scores. Each stores the last block that it has
 * counted and the last reorganisation that it has seen (`rewind`). What it has of blocks that were reverted since is left
 * out of answers, in the statement that reads it, until the job refreshes the snapshot, which it does at once.
 */

/** The condition that a snapshot which has seen this reorganisation counts no reverted block up to `seq`. */
export const isUnreverted = (sql: Sql, seq: Fragment, rewind: Fragment): Fragment => sql`
  ${seq} < coalesce(
    (select (min(r.to_block) + 1)::bigint << 20 from rewinds r where r.id > ${rewind}),
    9223372036854775807)`

/** The condition that a reorganisation since this one reverted blocks up to `block`. Index: rewinds_pkey. */
export const isReverted = (sql: Sql, block: Fragment, rewind: Fragment): Fragment => sql`
  exists (select from rewinds r where r.id > ${rewind} and r.to_block < ${block})`

/**
 * Wallets with a position that reverted blocks of a snapshot had changed; `state` has its `block` and `rewind`. Their ids
 * may be those of others by now. Indexes: rewinds_pkey, rewound_positions_pkey.
 */
export const revertedWallets = (sql: Sql, state: Fragment): Fragment => sql`
  select p.wallet
    from (${state}) s
    join rewinds r on r.id > s.rewind and r.to_block < s.block
    join rewound_positions p on p.rewind = r.id`

/** The last reorganisation. */
export const lastReorg = (sql: Sql): Fragment => sql`(select coalesce(max(id), 0) from rewinds)`

/** A number that moves with each reorganisation: what is kept of the chain before is void. */
export async function selectLastReorg(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ last: bigint }[]>`select ${lastReorg(sql)} as last`
  return row?.last ?? 0n
}

type SnapshotJob = Pick<Job, 'name' | 'everyMs' | 'startsAfter'> & {
  /** Where the snapshot stands: a row of its own state, with `block` and `rewind`. */
  state: (sql: Sql) => Fragment
  refresh: (signal: AbortSignal) => Promise<void>
}

/** How soon a reorganisation is seen. */
const CHECK_MS = 1_000

/**
 * Refreshes a snapshot when that is due, and at once when the chain is caught up with or a reorganisation has reverted
 * blocks of the snapshot.
 */
export function createSnapshotJob(platform: Platform, chain: ChainStatus, snapshot: SnapshotJob): Job {
  const { name, everyMs, startsAfter, state, refresh } = snapshot
  let refreshedMs: number | undefined
  let wasLive = false
  return {
    name,
    everyMs: CHECK_MS,
    runsIn: 'one process',
    needsDatabase: true,
    startsAfter,
    run: async (signal) => {
      const nowMs = platform.clock.now()
      // The clock may have been set back since.
      const isDue = refreshedMs === undefined || Math.abs(nowMs - refreshedMs) >= everyMs
      const isLive = isChainLive({ chain })
      const isStale = isLive && (!wasLive || (await hasUnseenReorg(platform.sql, state)))
      if (!isDue && !isStale) return
      await refresh(signal)
      refreshedMs = nowMs
      wasLive = isLive
    },
  }
}

async function hasUnseenReorg(sql: Sql, state: SnapshotJob['state']): Promise<boolean> {
  const rows = await sql`
    select from (${state(sql)}) s where ${isReverted(sql, sql`s.block`, sql`s.rewind`)}`
  return rows.length > 0
}
