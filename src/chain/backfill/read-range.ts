import { messageOf, OperatorError } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { readAhead } from '../../lib/read-ahead.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { LogDecoder } from '../../upstreams/polygon/decode.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { UntrustedLogsError } from '../attribute/order-logs.js'
import { poolsIn } from '../facts/raw-log.js'
import { type BatchFacts, createBatchFacts } from '../facts/registry.js'
import { explainFault, MissingHistoryError } from '../follow/missing-history.js'
import type { Batch } from '../read/batch.js'
import { type BatchLimits, type BatchOptions, type BatchRange, eachBatch } from '../read/batches.js'
import { ParentMismatchError } from '../read/headers.js'
import { unpackFacts } from '../read/pack-facts.js'

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
  for await (const batch of eachBatch(polygon, range, signal, { ...options, pools })) {
    yield toReadBatch(batch, pools, decoder)
  }
}

/** A batch with its facts. The market makers that it creates are added to the known ones. */
export function toReadBatch(batch: Batch, pools: Set<string>, decoder?: LogDecoder): ReadBatch {
  const facts =
    batch.attributed?.facts.reduce(unpackFacts, createBatchFacts()) ??
    attributeBatch({ ...batch, pools, ...(decoder && { decoder }) })
  for (const pool of poolsIn(facts.rawLogs)) pools.add(pool)
  return { batch, facts }
}

export type ReadOptions = {
  polygon: PolygonClient
  onBatch: (batch: Batch) => void
  /** The node's answer failed or was wrong; the request is repeated. */
  onFault: (message: string) => void
  limits?: BatchLimits | undefined
  timing?: Timing | undefined
}

type RangeOptions = ReadOptions & {
  pools: Set<string>
  store: (read: ReadBatch) => Promise<void>
}

const BACKOFF = { baseMs: 500, maxMs: 30_000 }
/** About ten minutes in a row. */
const FAILURES_MAX = 25

/** Reads a range upward and hands the facts of each batch on. Faults of the node are retried for a while. */
export async function readRange(
  range: BatchRange,
  { pools, store, ...options }: RangeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { polygon, onBatch, limits, timing } = options
  let remaining = range
  const readUpward = async () => {
    const batches = eachFacts(polygon, remaining, signal, { pools, limits, timing })
    for await (const read of readAhead(batches)) {
      signal.throwIfAborted()
      const { batch } = read
      await store(read)
      remaining = {
        ...range,
        fromBlock: batch.toBlock + 1,
        previousHash: batch.blocks.at(-1)?.hash,
      }
      onBatch(batch)
    }
  }
  await retryFaults(() => remaining.fromBlock, readUpward, options, signal)
}

/**
 * Runs the work again after faults of the node, for a while. `nextBlock`: the block that it begins with
 * then. Throws an OperatorError when that does not help.
 */
export async function retryFaults(
  nextBlock: () => number,
  work: () => Promise<void>,
  { polygon, onFault, timing = systemTiming }: Omit<ReadOptions, 'onBatch'>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; ; ) {
    const before = nextBlock()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isFault(error)) throw error
      const fault = await explainFault(polygon, nextBlock(), error, signal)
      if (fault instanceof MissingHistoryError) throw refuseHistory(fault)
      failures = nextBlock() > before ? 1 : failures + 1
      if (failures > FAILURES_MAX || (error instanceof UpstreamError && !error.retryable)) {
        throw new OperatorError(`${messageOf(error)}\nRun the same command again to go on.`)
      }
      onFault(messageOf(error))
      await timing.sleep(backoffMs(BACKOFF, failures), signal)
    }
  }
}

const refuseHistory = ({ message, firstBlock }: MissingHistoryError): OperatorError =>
  new OperatorError(
    `${message}.\nRead from block ${firstBlock} on (--from ${firstBlock}), or set a node that has older blocks (AUSPEX_POLYGON_URL or --polygon-url).`,
  )

/** Errors that another answer of the node may not have. */
const isFault = (error: unknown): boolean =>
  error instanceof UpstreamError ||
  error instanceof ParentMismatchError ||
  error instanceof UntrustedLogsError
