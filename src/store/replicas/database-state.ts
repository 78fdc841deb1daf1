import type { Sql } from '../connection.js'

/** The least that a server shows to a query that begins now: it may have moved on since. */
export type DatabaseState = {
  /** In the write-ahead log: what a primary has written, what a standby has replayed. */
  position: bigint
  /** The last block that is booked; block 0 and time 0 before the first. */
  block: number
  timeSec: number
  /** The number of the last reorganisation: a block number means another block after it. */
  reorg: bigint
}

/**
 * The state of a server of either kind. A commit is visible on the primary after it is flushed, so the position covers
 * what the query sees; except blocks that are booked far from the head, whose commits do not wait: for them there is the
 * block.
 */
export async function selectDatabaseState(sql: Sql): Promise<DatabaseState & { isStandby: boolean }> {
  const [row] = await sql<(DatabaseState & { isStandby: boolean })[]>`
    select pg_is_in_recovery() as is_standby,
           (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
             - '0/0'::pg_lsn)::int8 as position,
           coalesce(block, 0) as block, coalesce(block_time, 0) as time_sec,
           (select coalesce(max(id), 0) from rewinds) as reorg
      from chain_state`
  if (row === undefined) throw new Error('chain_state has lost its row')
  return row
}

/** The parts of a state that say what came after what. */
export type StatePoint = Pick<DatabaseState, 'position' | 'block' | 'reorg'>

/** Whether a server in this state shows everything that one in the other state showed. */
export const hasReached = (state: StatePoint, wanted: StatePoint): boolean =>
  state.position >= wanted.position &&
  (state.reorg > wanted.reorg || (state.reorg === wanted.reorg && state.block >= wanted.block))
