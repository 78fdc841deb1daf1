import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { LogPlace } from '../../upstreams/polygon/log.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import type { TapeBlock } from '../attribute/tape.js'
import { doubt } from './read-heads.js'

/** The first block has another parent than the block that it should follow. */
export class NotLinkedError extends Error {
  override name = 'NotLinkedError'
}

/** Checks that each stretch of blocks follows the one before it, and the first one the given block. */
export function checkLinks(
  stretches: readonly { first: Head; last: Head }[],
  previousHash: string | undefined,
): void {
  let expected = previousHash
  for (const [index, { first, last }] of stretches.entries()) {
    if (expected !== undefined && first.parentHash !== expected) {
      const message = `the parent of block ${first.number} is not the block before it`
      throw index === 0 ? new NotLinkedError(message) : doubt(message)
    }
    expected = last.hash
  }
}

/** Refuses what would get the number of another log. */
export function checkPlace({ blockNumber, logIndex }: LogPlace, block: number): void {
  if (blockNumber !== block || logIndex >= LOGS_PER_BLOCK)
    throw doubt(`a log of block ${block} says that it is log ${logIndex} of block ${blockNumber}`)
}

export const toTapeBlock = ({ number, hash, parentHash, timestampSec }: Head): TapeBlock => ({
  number,
  hash,
  parentHash,
  timeSec: timestampSec,
})
