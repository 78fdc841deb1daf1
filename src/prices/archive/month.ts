import { BLOCK_SEC } from '../fast/tick-block.js'

/** A partition of `tick_blocks`: `untilBlock` is the first block of the next month. */
export type Month = { name: string; fromBlock: number; untilBlock: number }

/** With a number at the end where the plain name belongs to a partition that was taken out. */
const NAME = /^tick_blocks_(\d{4})_(\d{2})(?:_\d+)?$/

export function monthOfBlock(block: number): Month {
  const date = new Date(block * BLOCK_SEC * 1000)
  return toMonth(date.getUTCFullYear(), date.getUTCMonth())
}

/** `undefined`: a table that an operator attached. */
export function monthNamed(name: string): Month | undefined {
  const [, year, month] = NAME.exec(name) ?? []
  return year === undefined ? undefined : toMonth(Number(year), Number(month) - 1)
}

function toMonth(year: number, monthIndex: number): Month {
  const name = `tick_blocks_${year}_${String(monthIndex + 1).padStart(2, '0')}`
  const firstBlock = (index: number) => Date.UTC(year, index) / 1000 / BLOCK_SEC
  return { name, fromBlock: firstBlock(monthIndex), untilBlock: firstBlock(monthIndex + 1) }
}
