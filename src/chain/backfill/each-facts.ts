import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { LogDecoder } from '../../upstreams/polygon/decode.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { poolsIn } from '../facts/raw-log.js'
import type { BatchFacts } from '../facts/registry.js'
import { type BatchOptions, type BatchRange, eachBatch } from '../follow/batches.js'
import type { Batch } from '../follow/block-sink.js'

export type ReadBatch = { batch: Batch; facts: BatchFacts }

type EachFactsOptions = BatchOptions & {
  /** The automatic market makers that are known (`selectPools`). Those that the blocks create are added. */
  pools: Set<string>
}

/**
 * Reads a range of blocks from the node and attributes them: what the database should have of these
 * blocks. Throws what `eachBatch` throws, and UntrustedLogsError when logs contradict each other.
 */
export async function* eachFacts(
  polygon: PolygonClient,
  range: BatchRange,
  signal: AbortSignal,
  { pools, ...options }: EachFactsOptions,
): AsyncGenerator<ReadBatch> {
  const decoder = new LogDecoder()
  for await (const batch of eachBatch(polygon, range, signal, options)) {
    const facts = attributeBatch({ ...batch, pools, decoder })
    for (const pool of poolsIn(facts.rawLogs)) pools.add(pool)
    yield { batch, facts }
  }
}
