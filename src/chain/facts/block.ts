import { copyBytes } from '../../store/copy.js'
import type { FactRows } from './fact-kind.js'

/** A block of a batch. */
export type BatchBlock = {
  number: number
  hash: string
  /** `undefined` where only the logs of the block were read. */
  parentHash: string | undefined
  timeSec: number
  /** All its transactions; `undefined` where the node did not say. */
  txCount?: number | undefined
}

export const BLOCK_ROWS: FactRows<BatchBlock> = {
  table: 'blocks',
  columns: ['number', 'time', 'hash'],
  toLine: ({ number, timeSec, hash }) => `${number}\t${timeSec}\t${copyBytes(hash)}\n`,
}
