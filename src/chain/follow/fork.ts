import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import type { Cursor, Line } from './line.js'
import { doubt } from './read-heads.js'

/** Headers of the blocks from one to another, ascending. Throws when the node lacks one of them. */
export type ReadHeads = (fromBlock: number, toBlock: number) => Promise<Head[]>

/** The chain of the node and ours have nothing in common that could be gone back to. */
export class NoForkError extends Error {
  override name = 'NoForkError'
}

/** Most reorganisations are shallow. */
const HEADS_FIRST = 4
const HEADS_MAX = 64

/**
 * The highest block that the line and the node share. Every header on the way down is checked
 * against the one above it: a node that changes its mind meanwhile must not make us cut too low.
 */
export async function findFork(
  line: Pick<Line, 'hashOf'>,
  cursor: Cursor,
  readHeads: ReadHeads,
): Promise<number> {
  const lowest = Math.max(0, cursor.block - REORG_BLOCKS_MAX)
  let toBlock = cursor.block
  let count = HEADS_FIRST
  let above: Head | undefined
  while (toBlock >= lowest) {
    const fromBlock = Math.max(lowest, toBlock - count + 1)
    for (const head of (await readHeads(fromBlock, toBlock)).toReversed()) {
      const { number, hash } = head
      if (above !== undefined && above.parentHash !== hash) throw changed(number)
      const ours = number === cursor.block ? cursor.hash : await line.hashOf(number)
      if (ours === hash) return number
      if (ours === undefined) throw new NoForkError(tooDeep(cursor.block, number + 1))
      above = head
    }
    toBlock = fromBlock - 1
    count = Math.min(count * 4, HEADS_MAX)
  }
  throw new NoForkError(tooDeep(cursor.block, lowest))
}

const changed = (block: number) =>
  doubt(`the chain of the node changed above block ${block} while it was read`)

const tooDeep = (cursorBlock: number, block: number) =>
  `the node has another chain than the one that is booked, from block ${block} or below up to ` +
  `${cursorBlock}, which is deeper than can be taken back. Check that the node is in sync and ` +
  'right. If it is, start with a fresh database'
