import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { Sql } from '../../store/connection.js'
import { copyLines, NULL } from '../../store/copy.js'
import type { StateRow, TableShape } from './state-table.js'

export const NO_BLOCK = -1

/** What rows were before the blocks near the head changed them, until it is written. */
export class Journal {
  /** Whether what the current block changes is kept. */
  isOn = false
  /** NO_BLOCK: none has started since the last write. */
  block = NO_BLOCK
  #lines: string[] = []
  #skippedBlock = NO_BLOCK

  startBlock(block: number, isOn: boolean): void {
    this.block = block
    this.isOn = isOn
    if (!isOn) this.#skippedBlock = block
  }

  /** The row is as it was, or, for one that was not there, as it starts. */
  add(table: TableShape, row: StateRow, wasThere: boolean): void {
    const values = table.columns.map(({ field }) => row[field])
    const key = values.splice(0, table.keys.length).join()
    const image = wasThere ? `{${values.join()}}` : NULL
    this.#lines.push(`${this.block}\t${table.name}\t{${key}}\t${image}\n`)
  }

  async write(tx: Sql): Promise<void> {
    if (this.block === NO_BLOCK) return
    const lines = this.#lines
    const floor = Math.max(this.#skippedBlock, this.block - REORG_BLOCKS_MAX)
    this.clear()
    if (lines.length > 0) await copyLines(tx, 'undo', ['block', 'state', 'key', 'image'], lines)
    // Up to the floor of before nothing is left but what waits to be vacuumed: it is not walked through.
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
