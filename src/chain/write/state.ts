import { REORG_BLOCKS_MAX, REWOUND_MAX } from '../../core/blocks.js'
import type { Sql } from '../../store/connection.js'
import { fromHex, hex, rowsAs } from '../../store/sql-words.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { BatchBlock } from '../facts/block.js'
import type { BlockId, ChainCursor } from '../follow/block-sink.js'
import type { StateRow } from '../queries.js'

export type ChainState = {
  /** First block of the ledger; `undefined`: there is no ledger yet. */
  ledgerFrom: number | undefined
  /** The last block of the ledger. */
  cursor: ChainCursor | undefined
  /** Changes when the ledger was rebuilt: rows of it that a process has in memory are void then. */
  epoch: number
}

type CursorRow = Omit<StateRow, 'keptFrom'> & { blockHash: string | null }

/** Locks the state until the transaction ends. Every transaction that moves the cursor, the ledger or the coverage takes it first. */
export async function lockState(tx: Sql): Promise<ChainState> {
  const [row] = await tx<CursorRow[]>`${selectState(tx)} for update`
  return toState(row)
}

export async function readState(sql: Sql): Promise<ChainState> {
  const [row] = await sql<CursorRow[]>`${selectState(sql)}`
  return toState(row)
}

const selectState = (sql: Sql) => sql`
  select ledger_from, block, ${hex(sql, 'block_hash')} as block_hash, block_time, epoch
    from chain_state`

function toState(row: CursorRow | undefined): ChainState {
  if (row === undefined) throw new Error('chain_state has lost its row')
  const { ledgerFrom, block, blockHash, blockTime, epoch } = row
  const cursor =
    block === null || blockHash === null || blockTime === null
      ? undefined
      : { block, hash: blockHash, timeSec: blockTime }
  return { ledgerFrom: ledgerFrom ?? undefined, cursor, epoch }
}

/**
 * Booked blocks that a node of the same chain with this head has too, the highest first: the last one
 * with facts that no reorganisation reaches, and the first one that was ever booked.
 */
export function selectAnchors(sql: Sql, headBlock: number): Promise<BlockId[]> {
  return sql<BlockId[]>`
    select block, ${hex(sql, 'hash')} as hash
      from ((select number, hash from blocks
              where number <= ${headBlock - REORG_BLOCKS_MAX}
              order by number desc limit 1)
            union
            select first_block, first_hash from chain_state where first_block <= ${headBlock}
           ) as anchors (block, hash)
     order by block desc`
}

/** The ledger begins, with nothing booked yet. `first`: the lowest header that was read for it. */
export async function startLedger(tx: Sql, fromBlock: number, first: BatchBlock | undefined): Promise<void> {
  await tx`
    update chain_state
       set ledger_from = ${fromBlock}, block = null, block_hash = null, block_time = null,
           first_block = ${first?.number ?? null},
           first_hash = decode(${first?.hash.slice(2) ?? null}, 'hex'),
           epoch = epoch + 1`
}

/** Invalidates the ids and ledger rows that processes have in memory. */
export async function moveEpoch(tx: Sql): Promise<void> {
  await tx`update chain_state set epoch = epoch + 1`
}

export async function moveCursor(tx: Sql, { block, hash, timeSec }: ChainCursor): Promise<void> {
  await tx`
    update chain_state
       set block = ${block},
           block_hash = decode(${hash.slice(2)}, 'hex'),
           block_time = ${timeSec}`
}

/** The facts of these blocks are stored. Ranges that meet or overlap become one. */
export async function addCoverage(tx: Sql, { fromBlock, toBlock }: BlockRange): Promise<void> {
  await tx`
    with met as (
      delete from coverage
       where from_block <= ${toBlock + 1} and to_block >= ${fromBlock - 1}
      returning from_block, to_block
    )
    insert into coverage (from_block, to_block)
    select least(min(from_block), ${fromBlock}), greatest(max(to_block), ${toBlock}) from met`
}

/** The facts from this block on are not stored any more. */
export async function deleteCoverageFrom(tx: Sql, fromBlock: number): Promise<void> {
  await tx`delete from coverage where from_block >= ${fromBlock}`
  await tx`update coverage set to_block = ${fromBlock - 1} where to_block >= ${fromBlock}`
}

/** The parts of a range whose facts are not stored, lowest first. */
export async function selectHoles(sql: Sql, { fromBlock, toBlock }: BlockRange): Promise<BlockRange[]> {
  const covered = await sql<BlockRange[]>`
    select from_block, to_block
      from coverage
     where from_block <= ${toBlock} and to_block >= ${fromBlock}
     order by from_block`
  const holes: BlockRange[] = []
  let next = fromBlock
  for (const range of covered) {
    if (range.fromBlock > next) holes.push({ fromBlock: next, toBlock: range.fromBlock - 1 })
    next = range.toBlock + 1
  }
  if (next <= toBlock) holes.push({ fromBlock: next, toBlock })
  return holes
}

const BLOCK_TYPES = { number: 'integer', timeSec: 'integer', hash: 'text', parentHash: 'text' }

/**
 * Adds the newest blocks, ascending, and deletes those that can no longer be gone back to: without a
 * journal that is everything before them.
 */
export async function insertRecentBlocks(
  tx: Sql,
  blocks: readonly BatchBlock[],
  { isJournalled }: { isJournalled: boolean },
): Promise<void> {
  const last = blocks.at(-1)
  if (last === undefined) return
  const lowest = isJournalled ? last.number - REORG_BLOCKS_MAX : last.number
  await tx`
    insert into recent_blocks (number, time, hash, parent_hash)
    select number, time_sec, ${fromHex(tx, 'hash')}, ${fromHex(tx, 'parent_hash')}
      from ${rowsAs(tx, 'read', blocks, BLOCK_TYPES)}`
  await tx`delete from recent_blocks where number < ${lowest}`
}

/** Makes the rows of these blocks right, as far as a reorganisation may need them; returns how many were not. */
export async function repairRecentBlocks(tx: Sql, blocks: readonly BatchBlock[]): Promise<number> {
  const { count } = await tx`
    insert into recent_blocks (number, time, hash, parent_hash)
    select number, time_sec, ${fromHex(tx, 'hash')}, ${fromHex(tx, 'parent_hash')}
      from ${rowsAs(tx, 'read', blocks, BLOCK_TYPES)}
     cross join chain_state
     cross join undo_floor
     where number >= greatest(ledger_from, undo_floor.block, chain_state.block - ${REORG_BLOCKS_MAX}::integer)
    on conflict (number) do update
       set time = excluded.time, hash = excluded.hash, parent_hash = excluded.parent_hash
     where (recent_blocks.time, recent_blocks.hash, recent_blocks.parent_hash)
           is distinct from (excluded.time, excluded.hash, excluded.parent_hash)`
  return count
}

export async function deleteRecentBlocksFrom(tx: Sql, fromBlock: number): Promise<void> {
  await tx`delete from recent_blocks where number >= ${fromBlock}`
}

/** `undefined`: it is not booked, or was booked too long ago. */
export async function selectRecentBlock(sql: Sql, number: number): Promise<ChainCursor | undefined> {
  const [row] = await sql<ChainCursor[]>`
    select number as block, ${hex(sql, 'hash')} as hash, time as time_sec
      from recent_blocks
     where number = ${number}`
  return row
}

/** This many are stored: a reader of facts that missed more has lagged for longer than a reorganisation reaches back. */
const REORGS_MAX = 100_000n

/** Records a reorganisation that reverts the blocks above `toBlock`, for readers of the facts; returns its id. */
export async function insertReorg(tx: Sql, toBlock: number): Promise<bigint> {
  const [added] = await tx<{ id: bigint }[]>`
    insert into rewinds (to_block) values (${toBlock}) returning id`
  const id = added?.id ?? 0n
  await tx`delete from rewinds where id <= ${id - REORGS_MAX}`
  await tx`delete from rewound_pnl where rewind <= ${id - REWOUND_MAX}`
  await tx`delete from rewound_positions where rewind <= ${id - REWOUND_MAX}`
  return id
}
