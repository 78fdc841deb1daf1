import type { Pool, Sql } from '../store/connection.js'
import { transactRefresh } from './snapshot.js'

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

type SliceOptions = { stateTable: string; blocksMax: number; signal: AbortSignal }

/** Counts slice after slice until the head, each in a transaction. */
export async function refreshInSlices(
  pool: Pool,
  { stateTable, blocksMax, signal }: SliceOptions,
  count: (tx: Sql, slice: SnapshotSlice) => Promise<void>,
): Promise<void> {
  for (let isDone = false; !isDone && !signal.aborted; ) {
    isDone = await transactRefresh(pool, stateTable, async (tx) => {
      const slice = await selectSlice(tx, stateTable, blocksMax)
      if (slice !== undefined) await count(tx, slice)
      return slice?.isLast ?? true
    })
  }
}

/** `stateTable` has `epoch` and `final_block` of what was counted. `undefined`: nothing is booked yet. */
async function selectSlice(
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
