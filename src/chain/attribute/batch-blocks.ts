import type { LogPlace } from '../../upstreams/polygon/log.js'
import type { BatchBlock } from '../facts/block.js'
import { UntrustedLogsError } from './order-logs.js'

/** The blocks of a tape: those whose headers were given, and those of which only logs were read. */
export class BatchBlocks {
  readonly #blocks = new Map<number, BatchBlock>()

  constructor(given: readonly BatchBlock[]) {
    for (const block of given) {
      const other = this.#blocks.get(block.number)
      if (other !== undefined && other.hash !== block.hash)
        throw new UntrustedLogsError(`two versions of block ${block.number}`)
      this.#blocks.set(block.number, block)
    }
  }

  /** The block of a log. Throws UntrustedLogsError when it is another one than was given. */
  of({ blockNumber, blockHash, timestampSec }: LogPlace): BatchBlock {
    const known = this.#blocks.get(blockNumber)
    if (known !== undefined) {
      if (known.hash !== blockHash)
        throw new UntrustedLogsError(`two versions of block ${blockNumber}`)
      return known
    }
    if (timestampSec === undefined) throw new Error(`nobody knows the time of block ${blockNumber}`)
    const block = {
      number: blockNumber,
      hash: blockHash,
      parentHash: undefined,
      timeSec: timestampSec,
    }
    this.#blocks.set(blockNumber, block)
    return block
  }

  list(): BatchBlock[] {
    return [...this.#blocks.values()].sort((a, b) => a.number - b.number)
  }
}
