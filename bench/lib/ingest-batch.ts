import type { Batch } from '../../src/chain/follow/line.js'
import type { LogStretch } from './log-source.js'

/** So much is booked at once far below the head, as the follower does it. */
export const BATCH_BYTES = 8 * 1024 * 1024

/** A batch far below the head: only the first and the last header were read. */
export function toBatch({ blocks, logs }: LogStretch): Batch {
  const first = blocks.at(0)
  const last = blocks.at(-1)
  if (first === undefined || last === undefined) throw new Error('a stretch has blocks')
  return {
    fromBlock: first.number,
    toBlock: last.number,
    logs,
    blocks: first === last ? [last] : [first, last],
    isNearHead: false,
  }
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}
