import { preferIndexes } from '../../ledger/rows/queries.js'
import { deleteSeenPositions } from '../../lookups/board.js'
import { transactRefresh } from '../../lookups/snapshot.js'
import type { Pool, Sql } from '../../store/connection.js'
import { updateAllTime } from './all-time.js'
import { updateRolling } from './rolling.js'
import { type BoardStep, selectStep } from './step.js'
import { updateTokenScopes } from './token-scopes.js'

/**
 * Brings all boards up to the last booked block in one transaction: readers see them as they were before or after
 * it, and a process that is killed leaves them as they were. Returns the time of the block that the boards are as of;
 * `undefined`: no block is booked.
 */
export function refreshBoards(pool: Pool, nowMs: number): Promise<number | undefined> {
  return transactRefresh(pool, 'board_state', async (tx) => {
    // Tables of the ledger that a rebuild is about to replace, or a partition that the retention is about to drop, stay
    // until the end.
    await tx.unsafe(`
      set local work_mem = '128MB';
      set local jit = off;
      lock table pnl, positions, last_prices, undo, undo_floor in access share mode`)
    const step = await selectStep(tx, nowMs)
    if (step !== undefined) await refresh(step)
    // Without a block nothing is counted, and nothing has to be counted again.
    else await tx`delete from retagged_markets`
    return step?.blockTime
  })
}

/** When more tokens than this count in other scopes, for example those of a tag with a new name, a rebuild is faster. */
const MOVED_TOKENS_MAX = 10_000

async function refresh(step: BoardStep): Promise<void> {
  await createLists(step.tx)
  if (step.isRebuild) return rebuild(step)
  await listChangedPositions(step)
  if ((await updateTokenScopes(step)) > MOVED_TOKENS_MAX) {
    await step.tx`truncate changed_positions, moved_tokens`
    return rebuild({ ...step, isRebuild: true })
  }
  await preferIndexes(step.tx)
  await updateBoards(step)
}

async function rebuild(step: BoardStep): Promise<void> {
  const { tx } = step
  for (const table of TABLES) await tx`delete from ${tx(table)}`
  await updateTokenScopes(step)
  await updateBoards(step)
}

const TABLES = [
  'board_tokens',
  'board_positions',
  'all_time_boards',
  'rolling_boards',
  'rolling_scopes',
  'rolling_windows',
]

async function updateBoards(step: BoardStep): Promise<void> {
  const changed = (await updateRolling(step)) + (await updateAllTime(step))
  await moveState(step, changed > 0)
}

/** Creates the temporary tables of a `BoardStep`. */
async function createLists(tx: Sql): Promise<void> {
  await tx`
    create temp table changed_positions (
      wallet integer not null, token integer not null, primary key (wallet, token)
    ) on commit drop`
  await tx`
    create temp table moved_tokens (
      token integer primary key, old_scopes integer[] not null, new_scopes integer[] not null
    ) on commit drop`
}

/** Indexes: undo_pkey, rewound_positions_pkey. */
async function listChangedPositions({ tx, heldBlock, fromRewind }: BoardStep): Promise<void> {
  await tx`
    insert into changed_positions
    select key[1], key[2] from undo where block > ${heldBlock} and state = 'positions'
    union
    select wallet, token from rewound_positions where rewind > ${fromRewind}`
  await tx`analyze changed_positions`
}

/** Deletes what all boards have seen last: a reorganisation that is booked meanwhile does not wait for them. */
async function moveState(step: BoardStep, hasChanged: boolean): Promise<void> {
  const { tx, block, blockTime, epoch, rewind } = step
  await tx`
    update board_state
       set snapshot = snapshot + (${hasChanged} or block_time is distinct from ${blockTime})::integer,
           block = ${block}, block_time = ${blockTime}, epoch = ${epoch}, rewind = ${rewind}`
  await tx`delete from rewound_pnl`
  await deleteSeenPositions(tx)
}
