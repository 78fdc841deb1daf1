import { seqOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { preferIndexes } from './queries.js'
import type { TableShape } from './state-table.js'
import { STATE_TABLES } from './tables/all.js'

/**
 * Puts the ledger back to where it was after this block. Throws when a block above it was booked
 * without a journal, or longer ago than the journal reaches.
 */
export async function rewindLedger(tx: Sql, toBlock: number): Promise<void> {
  const [floor] = await tx<{ block: number }[]>`select block from undo_floor`
  if (floor === undefined || toBlock < floor.block) {
    throw new Error(`the ledger cannot go back to block ${toBlock}: ${floor?.block} is the lowest`)
  }
  await preferIndexes(tx)
  for (const table of STATE_TABLES) await restoreTable(tx, table, toBlock)
  await tx`delete from pnl where seq >= ${seqOf(toBlock + 1, 0)}`
  const states = STATE_TABLES.map(({ name }) => name)
  await tx`delete from undo where block > ${toBlock} and state = any(${states})`
}

/** Of all images of a row the earliest is what it was before the first of these blocks. */
async function restoreTable(tx: Sql, table: TableShape, toBlock: number): Promise<void> {
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
