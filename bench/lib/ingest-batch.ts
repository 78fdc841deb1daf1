import type { Batch } from '../../src/chain/read/batch.js'
import type { LogSource, LogStretch } from './log-source.js'

/** As much text as the follower books at once far below the head. */
export const BATCH_BYTES = 4 * 1024 * 1024

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

/** Batches with this many fills or a few more. */
export async function readBatches(source: LogSource, fillsMin: number) {
  const batches: Batch[] = []
  let fills = 0
  while (fills < fillsMin) {
    const stretch = await source.read(BATCH_BYTES)
    batches.push(toBatch(stretch))
    fills += stretch.fills
  }
  return { batches, fills }
}

/** As from a node: what was taken is not kept. */
export function* handOut(batches: Batch[]): Generator<Batch> {
  for (let next = batches.shift(); next !== undefined; next = batches.shift()) yield next
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}
