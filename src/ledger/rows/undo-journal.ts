import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { seqOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { copyLines, NULL } from '../../store/copy.js'
import { preferIndexes } from './queries.js'
import { LEDGER_TABLE_NAMES, LEDGER_TABLES, type LedgerRow, type LedgerTable } from './tables.js'

export const NO_BLOCK = -1

/**
 * Collects what rows were before the blocks near the head changed them, until `write` stores it in
 * `undo`. `undo_floor` has the lowest block that the ledger can be rewound to.
 */
export class UndoJournal {
  /** Whether the changes of the current block are journalled. */
  isOn = false
  /** NO_BLOCK: no block has started since the last write. */
  block = NO_BLOCK
  #lines: string[] = []
  #skippedBlock = NO_BLOCK

  startBlock(block: number, isOn: boolean): void {
    this.block = block
    this.isOn = isOn
    if (!isOn) this.#skippedBlock = block
  }

  /** `row` is as it was before the block; one that did not exist is journalled without an image. */
  add(table: LedgerTable, row: LedgerRow, existed: boolean): void {
    const values = table.columns.map(({ field }) => row[field])
    const key = values.splice(0, table.keys.length).join()
    const image = existed ? `{${values.join()}}` : NULL
    this.#lines.push(`${this.block}\t${table.name}\t{${key}}\t${image}\n`)
  }

  async write(tx: Sql): Promise<void> {
    if (this.block === NO_BLOCK) return
    const lines = this.#lines
    const floor = Math.max(this.#skippedBlock, this.block - REORG_BLOCKS_MAX)
    this.clear()
    if (lines.length > 0) await copyLines(tx, 'undo', ['block', 'state', 'key', 'image'], lines)
    // Below the earlier floor there are only dead rows that wait for vacuum: they are not scanned.
    await tx`
      with raised as (update undo_floor set block = ${floor} where block < ${floor})
      delete from undo where block > (select block from undo_floor) and block <= ${floor}`
  }

  clear(): void {
    this.isOn = false
    this.block = NO_BLOCK
    this.#lines = []
    this.#skippedBlock = NO_BLOCK
  }
}

/**
 * Puts the ledger back to where it was after this block. What is taken out is noted under the id of
 * the reorganisation. Throws when a block above it was booked without a journal, or is older than the
 * journal.
 */
export async function revertLedger(tx: Sql, toBlock: number, reorg: bigint): Promise<void> {
  const [floor] = await tx<{ block: number }[]>`select block from undo_floor`
  if (floor === undefined || toBlock < floor.block) {
    throw new Error(`the ledger cannot go back to block ${toBlock}: ${floor?.block} is the lowest`)
  }
  await preferIndexes(tx)
  for (const table of Object.values(LEDGER_TABLES)) await restoreTable(tx, table, toBlock)
  await tx`
    with gone as (
      delete from pnl where seq >= ${seqOf(toBlock + 1, 0)} returning seq, sub, amount, wallet, token
    )
    insert into rewound_pnl (rewind, seq, sub, amount, wallet, token)
    select ${reorg}, seq, sub, amount, wallet, token from gone`
  await tx`
    insert into rewound_positions (rewind, wallet, token)
    select distinct ${reorg}::bigint, key[1], key[2]
      from undo
     where state = 'positions' and block > ${toBlock}`
  await tx`delete from undo where block > ${toBlock} and state = any(${LEDGER_TABLE_NAMES})`
}

/** The earliest image of a row is what it was before the first of these blocks. */
async function restoreTable(tx: Sql, table: LedgerTable, toBlock: number): Promise<void> {
  const { name, keys, values } = table
  const earliest = `
    with earliest as materialized (
      select distinct on (key) key, image
        from undo
       where state = $1 and block > $2
       order by key, block
    )`
  const isSame = keys.map((key, index) => `${name}.${key} = earliest.key[${index + 1}]::integer`)
  await tx.unsafe(
    `${earliest}
     update ${name}
        set ${values.map((value, index) => `${value} = earliest.image[${index + 1}]`).join(', ')}
       from earliest
      where ${isSame.join(' and ')} and earliest.image is not null`,
    [name, toBlock],
  )
  await tx.unsafe(
    `${earliest}
     delete from ${name}
      using earliest
      where ${isSame.join(' and ')} and earliest.image is null`,
    [name, toBlock],
  )
}
