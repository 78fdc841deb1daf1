import { messageOf, OperatorError } from '../../core/errors.js'
import { readAhead } from '../../lib/read-ahead.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { UpstreamError } from '../../upstreams/transport/errors.js'
import { UntrustedLogsError } from '../attribute/order-logs.js'
import { type BatchLimits, eachBatch } from '../follow/batches.js'
import type { Batch } from '../follow/block-sink.js'
import { ParentMismatchError } from '../follow/headers.js'
import type { FactLine } from './fact-line.js'
import { selectBlockHash, selectParentHash } from './queries.js'

type ReadHoleOptions = {
  pool: Pool
  polygon: PolygonClient
  line: FactLine
  onBatch: (batch: Batch) => void
  /** The node did not give what was asked for, and is asked again. */
  onFault: (message: string) => void
  limits?: BatchLimits | undefined
  timing?: Timing | undefined
}

const BACKOFF = { baseMs: 500, maxMs: 30_000 }
/** About ten minutes in a row. */
const FAILURES_MAX = 25

/** Reads the blocks of a hole upward and stores their facts. Faults of the node are waited out for a while. */
export async function readHole(
  hole: BlockRange,
  options: ReadHoleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { pool, onFault, timing = systemTiming } = options
  const above = await selectParentHash(pool, hole.toBlock + 1)
  const place = {
    fromBlock: hole.fromBlock,
    toBlock: hole.toBlock,
    previousHash: await selectBlockHash(pool, hole.fromBlock - 1),
  }
  for (let failures = 0; place.fromBlock <= place.toBlock; ) {
    const { fromBlock } = place
    try {
      await readUpward(place, above, options, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!isFault(error)) throw error
      failures = place.fromBlock > fromBlock ? 1 : failures + 1
      if (failures > FAILURES_MAX || (error instanceof UpstreamError && !error.retryable)) {
        throw new OperatorError(`${messageOf(error)}\nRun the same command again to go on.`)
      }
      onFault(messageOf(error))
      await timing.sleep(backoffMs(BACKOFF, failures), signal)
    }
  }
}

type Place = BlockRange & { previousHash: string | undefined }

/** Moves the place behind each batch that is stored. */
async function readUpward(
  place: Place,
  above: string | undefined,
  { polygon, line, onBatch, limits, timing }: ReadHoleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { toBlock } = place
  for await (const batch of readAhead(eachBatch(polygon, place, signal, { limits, timing }))) {
    signal.throwIfAborted()
    const hash = batch.blocks.at(-1)?.hash
    if (batch.toBlock === toBlock && above !== undefined && hash !== above) {
      throw new ParentMismatchError(`block ${toBlock} is not the parent of the block after it`)
    }
    await line.append(batch)
    place.fromBlock = batch.toBlock + 1
    place.previousHash = hash
    onBatch(batch)
  }
}

/** Another answer of the node may be better. */
const isFault = (error: unknown): boolean =>
  error instanceof UpstreamError ||
  error instanceof ParentMismatchError ||
  error instanceof UntrustedLogsError
