import { REWOUND_MAX } from '../../core/blocks.js'
import { lastReorg } from '../../lookups/snapshot.js'
import type { Sql } from '../../store/connection.js'

/**
 * One refresh, from what the boards stand at to the last booked block. In its transaction there are two
 * temporary tables: `changed_positions` (wallet, token), the positions that changed since, or may have, and
 * `moved_tokens` (token, old_scopes, new_scopes), the tokens that count in other scopes than before; after a
 * rebuild both are empty. `board_tokens` has the new scopes.
 */
export type BoardStep = {
  tx: Sql
  /** The boards are rebuilt from the start: their tables are empty. */
  isRebuild: boolean
  /** The block that the boards stand at, and the last reorganisation that they have seen. */
  fromBlock: number
  fromRewind: bigint
  /** Blocks up to this one are on the boards and still on the chain. */
  heldBlock: number
  /** The block that the boards will be as of, and its time. */
  block: number
  blockTime: number
  /** The last reorganisation, and the epoch of the ledger. */
  rewind: bigint
  epoch: number
  /** Facts below this block were dropped. */
  keptFrom: number
  nowMs: number
}

type StateRow = {
  block: number | null
  blockTime: number | null
  epoch: number
  keptFrom: number
  rewind: bigint
  undoFloor: number
  fromBlock: number | null
  fromEpoch: number | null
  fromRewind: bigint
  rewoundTo: number | null
  windowFrom: number | null
}

/** `undefined`: no block is booked, and there is nothing to rank. */
export async function selectStep(tx: Sql, nowMs: number): Promise<BoardStep | undefined> {
  const [row] = await tx<StateRow[]>`
    select c.block, c.block_time, c.epoch, coalesce(c.kept_from, 0) as kept_from,
           u.block as undo_floor, s.block as from_block, s.epoch as from_epoch,
           s.rewind as from_rewind,
           ${lastReorg(tx)} as rewind,
           (select min(to_block) from rewinds where id > s.rewind) as rewound_to,
           (select min(first_seq >> 20)::integer from rolling_windows) as window_from
      from chain_state c, undo_floor u, board_state s`
  if (row?.block == null || row.blockTime === null) return undefined
  const { block, blockTime, epoch, keptFrom, rewind, fromRewind } = row
  const fromBlock = row.fromBlock ?? NO_BLOCK
  const heldBlock = Math.min(fromBlock, row.rewoundTo ?? fromBlock)
  return {
    tx,
    nowMs,
    block,
    blockTime,
    epoch,
    keptFrom,
    rewind,
    fromRewind,
    fromBlock,
    heldBlock,
    isRebuild:
      row.fromBlock === null ||
      row.fromEpoch !== epoch ||
      // Lags by more than the undo journal has: what changed is not known.
      heldBlock < row.undoFloor ||
      rewind - fromRewind >= REWOUND_MAX ||
      // The facts that leave a window were dropped, so they cannot be subtracted.
      (row.windowFrom ?? 0) < keptFrom,
  }
}

const NO_BLOCK = -1
