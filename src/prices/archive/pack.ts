import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { BLOCK_SEC, slotOf, TickBlock, tickBlockOf } from '../fast/tick-block.js'
import { ensureTickPartitions } from './partitions.js'
import {
  addToHours,
  type BlockKey,
  deleteLive,
  type FilledBlock,
  lockArchiveState,
  type StreamTick,
  selectBlocksByKey,
  selectOldLive,
  updateState,
  upsertBlocks,
} from './queries.js'

export const PACK_MS = 30_000

/** A block is packed this long after its end; ticks that come later are added to it. */
const SETTLE_SEC = 120
/** Most ticks that one transaction moves. */
const TICKS_MAX = 20_000

/** Moves the ticks of blocks that are over from `live_ticks` into `tick_blocks`. */
export async function packTicks(pool: Pool, nowMs: number): Promise<void> {
  const untilBlock = tickBlockOf(Math.floor(nowMs / 1000) - SETTLE_SEC)
  while (await transact(pool, (tx) => packSome(tx, untilBlock)));
}

/** Whether there is more to move. */
async function packSome(tx: Sql, untilBlock: number): Promise<boolean> {
  const state = await lockArchiveState(tx)
  const ticks = await selectOldLive(tx, untilBlock * BLOCK_SEC, TICKS_MAX)
  const isAll = ticks.length < TICKS_MAX
  const changed = ticks.length === 0 ? [] : await moveIntoBlocks(tx, ticks)
  const isLate = changed.some(({ block }) => block < state.packedUntil)
  const packedUntil = isAll ? Math.max(state.packedUntil, untilBlock) : state.packedUntil
  if (isLate || packedUntil !== state.packedUntil) {
    await updateState(tx, { packedUntil, revision: state.revision + (isLate ? 1 : 0) })
  }
  return !isAll
}

/** Adds ticks to their blocks, and removes them from the live ones. Returns the blocks that have changed. */
export async function moveIntoBlocks(tx: Sql, ticks: readonly StreamTick[]): Promise<BlockKey[]> {
  const blocks = new Map<string, FilledBlock & { added: number }>()
  for (const { stream, sec } of ticks) {
    const key = { stream, block: tickBlockOf(sec) }
    const id = keyOf(key)
    if (!blocks.has(id)) blocks.set(id, { ...key, ticks: new TickBlock(), added: 0 })
  }
  const known = await selectBlocksByKey(tx, [...blocks.values()])
  for (const { stream, block, columns } of known) {
    const filled = blocks.get(keyOf({ stream, block }))
    if (filled !== undefined) filled.ticks = new TickBlock(columns)
  }
  for (const tick of ticks) {
    const filled = blocks.get(keyOf({ stream: tick.stream, block: tickBlockOf(tick.sec) }))
    if (filled?.ticks.put(slotOf(tick.sec), tick)) filled.added++
  }
  const changed = [...blocks.values()].filter(({ added }) => added > 0)
  if (changed.length > 0) {
    const numbers = changed.map(({ block }) => block)
    await ensureTickPartitions(tx, numbers)
    await upsertBlocks(tx, changed)
    await addToHours(tx, changed)
  }
  await deleteLive(tx, ticks)
  return changed
}

const keyOf = ({ stream, block }: BlockKey): string => `${stream} ${block}`
