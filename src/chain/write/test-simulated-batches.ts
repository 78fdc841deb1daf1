import type { Universe } from '../../../sim/universe/universe.js'
import { simulatedLogs } from '../attribute/test-simulated-logs.js'
import type { Batch } from '../read/batch.js'

type BatchOf = (fromBlock: number, toBlock: number, isNearHead: boolean, fork?: string) => Batch

/**
 * Batches of a universe as the follower reads them: near the head every header, elsewhere the first and the last. With
 * `fork` their blocks have hashes that end with it, and lack every third transaction.
 */
export function simulatedBatches(universe: Universe): BatchOf {
  const { chain } = universe
  const logs = simulatedLogs(universe)
  return (fromBlock, toBlock, isNearHead, fork = '') => {
    const toForkHash = (hash: string) => `${hash.slice(0, 66 - fork.length)}${fork}`
    const blocks = []
    for (let number = fromBlock; number <= toBlock; number++) {
      if (!isNearHead && number !== fromBlock && number !== toBlock) continue
      const block = chain.block(number)
      const parent = chain.block(number - 1)
      if (block === undefined || parent === undefined) throw new Error(`there is no block ${number}`)
      const timeSec = chain.timestampSec(number)
      const hash = toForkHash(chain.hashOf(block))
      blocks.push({ number, hash, parentHash: chain.hashOf(parent), timeSec })
    }
    const ofBatch = logs.filter(
      ({ at }) =>
        at.blockNumber >= fromBlock && at.blockNumber <= toBlock && (fork === '' || at.txIndex % 3 > 0),
    )
    return {
      fromBlock,
      toBlock,
      blocks,
      isNearHead,
      logs: ofBatch.map((log) => ({ ...log, at: { ...log.at, blockHash: toForkHash(log.at.blockHash) } })),
    }
  }
}
