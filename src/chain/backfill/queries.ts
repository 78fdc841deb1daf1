import type { Sql } from '../../store/connection.js'
import { hex } from '../../store/sql-words.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { StateRow } from '../queries.js'

/** `undefined`: the block had no facts, or was not read. */
export async function selectBlockHash(sql: Sql, block: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select ${hex(sql, 'hash')} as hash from blocks where number = ${block}`
  return row?.hash
}

/** Of a block near the head; `undefined` for any other. */
export async function selectParentHash(sql: Sql, block: number): Promise<string | undefined> {
  const [row] = await sql<{ parentHash: string }[]>`
    select ${hex(sql, 'parent_hash')} as parent_hash
      from recent_blocks
     where number = ${block}`
  return row?.parentHash
}

/** The first block of the ledger that the stored facts allow; `undefined`: there is no ledger. */
export async function selectPossibleStart(
  sql: Sql,
  { ledgerFrom, keptFrom }: StateRow,
): Promise<number | undefined> {
  const [range] = await sql<BlockRange[]>`
    select from_block, to_block
      from coverage
     where from_block <= ${ledgerFrom}
       and to_block >= ${ledgerFrom}`
  return range === undefined ? undefined : Math.max(range.fromBlock, keptFrom ?? 0)
}

/** The hole right below this block, `undefined` when the facts reach down to the first stored block without one. */
export async function selectHoleBelow(sql: Sql, block: number): Promise<BlockRange | undefined> {
  const [range] = await sql<BlockRange[]>`
    select from_block, to_block
      from coverage
     where to_block < ${block}
     order by from_block desc
     limit 1`
  return range && { fromBlock: range.toBlock + 1, toBlock: block - 1 }
}

/** The ledger was rebuilt, and begins with this block. What was read again is in it. */
export async function moveLedgerStart(tx: Sql, fromBlock: number): Promise<void> {
  await tx`update chain_state set ledger_from = ${fromBlock}, epoch = epoch + 1`
  await tx`delete from repair`
}

/** The first block whose facts are stored, or of the ledger. */
export async function selectFirstBlock(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ first: number | null }[]>`
    select least((select min(from_block) from coverage), (select ledger_from from chain_state)) as first`
  return row?.first ?? undefined
}

/** Blocks that are read again, and the last one that was. */
export type RepairRow = BlockRange & { doneTo: number }

/** `undefined`: the ledger has what was read again. */
export async function selectRepair(sql: Sql): Promise<RepairRow | undefined> {
  const [row] = await sql<RepairRow[]>`select from_block, to_block, done_to from repair`
  return row
}

/** Replaces a repair that was not finished. */
export async function startRepair(tx: Sql, { fromBlock, toBlock }: BlockRange): Promise<void> {
  await tx`delete from repair`
  await tx`
    insert into repair (from_block, to_block, done_to)
    values (${fromBlock}, ${toBlock}, ${fromBlock - 1})`
}

export async function moveRepair(tx: Sql, doneTo: number): Promise<void> {
  await tx`update repair set done_to = ${doneTo}`
}
