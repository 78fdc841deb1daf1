import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { AnswerError } from '../../upstreams/polygon/rpc-error.js'
import { inconsistentAnswer } from '../read/headers.js'
import type { BlockSink, ChainCursor } from './block-sink.js'

/** Headers of the blocks `fromBlock` to `toBlock`, ascending. Throws when the node lacks one of them. */
export type ReadHeads = (fromBlock: number, toBlock: number) => Promise<Head[]>

/** The chain of the node and the booked one share no block that can be reverted to. */
export class NoForkError extends Error {
  override name = 'NoForkError'
}

/** The first request is small, because most reorganisations are shallow. */
const HEADS_FIRST = 4
const HEADS_MAX = 64
/** Of several nodes behind one address some may lack blocks that the others have. */
const READ_ATTEMPTS_MAX = 6

/**
 * The highest block that the sink and the node share. Each header is checked against the one above
 * it: a node that switches chains during the search must not revert too many blocks.
 */
export async function findFork(
  sink: Pick<BlockSink, 'hashOf'>,
  cursor: ChainCursor,
  readHeads: ReadHeads,
): Promise<number> {
  const lowest = Math.max(0, cursor.block - REORG_BLOCKS_MAX)
  let toBlock = cursor.block
  let count = HEADS_FIRST
  let above: Head | undefined
  while (toBlock >= lowest) {
    const fromBlock = Math.max(lowest, toBlock - count + 1)
    const heads = await readLinkedHeads(readHeads, fromBlock, toBlock, above)
    for (const head of heads.toReversed()) {
      const { number, hash } = head
      const ours = number === cursor.block ? cursor.hash : await sink.hashOf(number)
      if (ours === hash) return number
      if (ours === undefined) throw new NoForkError(tooDeep(cursor.block, number + 1))
      above = head
    }
    toBlock = fromBlock - 1
    count = Math.min(count * 4, HEADS_MAX)
  }
  throw new NoForkError(tooDeep(cursor.block, lowest))
}

/** Headers of which each is the parent of the next one, and the last one that of `above`. */
async function readLinkedHeads(
  readHeads: ReadHeads,
  fromBlock: number,
  toBlock: number,
  above: Head | undefined,
): Promise<Head[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const heads = await readHeads(fromBlock, toBlock)
      checkLinks(above === undefined ? heads : [...heads, above])
      return heads
    } catch (error) {
      if (!(error instanceof AnswerError) || attempt === READ_ATTEMPTS_MAX) throw error
    }
  }
}

function checkLinks(heads: readonly Head[]): void {
  for (const [index, { number, hash }] of heads.entries()) {
    const next = heads[index + 1]
    if (next !== undefined && next.parentHash !== hash) throw changed(number)
  }
}

const changed = (block: number) =>
  inconsistentAnswer(`the chain of the node changed above block ${block} while it was read`)

const tooDeep = (cursorBlock: number, block: number) =>
  `the node has another chain than the one that is booked, from block ${block} or below up to ` +
  `${cursorBlock}, which is deeper than can be taken back. Check that the node is in sync and ` +
  'right. If it is, start with a fresh database'
