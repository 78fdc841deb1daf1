import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { Sql } from '../../store/connection.js'
import type { TapeBlock } from '../attribute/tape.js'
import type { Cursor } from '../follow/block-sink.js'

/**
 * Adds the newest blocks, ascending, and forgets those that can no longer be gone back to: without a
 * journal that is everything before them.
 */
export async function insertRecentBlocks(
  tx: Sql,
  blocks: readonly TapeBlock[],
  { isJournalled }: { isJournalled: boolean },
): Promise<void> {
  const last = blocks.at(-1)
  if (last === undefined) return
  const lowest = isJournalled ? last.number - REORG_BLOCKS_MAX : last.number
  await tx`
    insert into recent_blocks (number, time, hash, parent_hash)
    select number, time, decode(substr(hash, 3), 'hex'), decode(substr(parent_hash, 3), 'hex')
      from unnest(${blocks.map(({ number }) => number)}::integer[],
                  ${blocks.map(({ timeSec }) => timeSec)}::integer[],
                  ${blocks.map(({ hash }) => hash)}::text[],
                  ${blocks.map(({ parentHash }) => parentHash ?? null)}::text[])
        as read (number, time, hash, parent_hash)`
  await tx`delete from recent_blocks where number < ${lowest}`
}

export async function cutRecentBlocks(tx: Sql, fromBlock: number): Promise<void> {
  await tx`delete from recent_blocks where number >= ${fromBlock}`
}

/** `undefined`: it is not booked, or was booked too long ago. */
export async function selectRecentBlock(sql: Sql, number: number): Promise<Cursor | undefined> {
  const [row] = await sql<Cursor[]>`
    select number as block, '0x' || encode(hash, 'hex') as hash, time as time_sec
      from recent_blocks
     where number = ${number}`
  return row
}
