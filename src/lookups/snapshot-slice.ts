import type { Sql } from '../store/connection.js'

/**
 * The next blocks that a job counts. What is final is counted once, slice by slice; what a reorganisation may revert, the
 * blocks after the last slice up to the head, is counted again in every run.
 */
export type SnapshotSlice = {
  /** Of chain_state: the ledger that the counts belong to. */
  epoch: number
  /** True: nothing is counted of this ledger yet, and what was counted of another one is void. */
  isFirst: boolean
  /** Blocks after `from` up to `finalBlock`. */
  from: number
  finalBlock: number
  /** True: the blocks after `finalBlock` are those that a reorganisation may revert. */
  isLast: boolean
  headBlock: number
  headSec: number
}

type ChainRow = { epoch: number; from: number | null; head: number | null; headSec: number; floor: number }
type StoredRow = { epoch: number | null; finalBlock: number | null }

/** `stateTable` has `epoch` and `final_block` of what was counted. `undefined`: nothing is booked yet. */
export async function selectSlice(
  tx: Sql,
  stateTable: string,
  blocksMax: number,
): Promise<SnapshotSlice | undefined> {
  const [chain] = await tx<ChainRow[]>`
    select c.epoch, c.ledger_from as from, c.block as head, c.block_time as head_sec, u.block as floor
      from chain_state c, undo_floor u`
  const [stored] = await tx<StoredRow[]>`select epoch, final_block from ${tx(stateTable)}`
  if (chain?.head == null || chain.from === null || stored === undefined) return undefined
  const { epoch, head, headSec } = chain
  const isFirst = stored.epoch !== epoch || stored.finalBlock === null
  const from = isFirst ? chain.from - 1 : (stored.finalBlock ?? 0)
  const lastFinal = Math.max(from, Math.min(chain.floor, head))
  const finalBlock = Math.min(lastFinal, from + blocksMax)
  return { epoch, isFirst, from, finalBlock, isLast: finalBlock === lastFinal, headBlock: head, headSec }
}
