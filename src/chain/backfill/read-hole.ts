import { messageOf, OperatorError } from '../../core/errors.js'
import { readAhead } from '../../lib/read-ahead.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { UpstreamError } from '../../upstreams/transport/errors.js'
import { UntrustedLogsError } from '../attribute/order-logs.js'
import { chargeConversions, chargeStoredConversions } from '../facts/conversion.js'
import { selectPools } from '../facts/raw-log.js'
import type { BatchLimits } from '../follow/batches.js'
import type { Batch } from '../follow/block-sink.js'
import { ParentMismatchError } from '../follow/headers.js'
import { explainFault, MissingHistoryError } from '../follow/missing-history.js'
import { IdRegistry } from '../ids/id-registry.js'
import { writeFacts } from '../write/fact-writer.js'
import { buildIndexes, ensurePartitions } from '../write/partitions.js'
import { addCoverage, lockState, selectHoles } from '../write/state.js'
import { eachFacts, type ReadBatch } from './each-facts.js'
import { selectBlockHash, selectParentHash } from './queries.js'

type ReadHoleOptions = {
  pool: Pool
  polygon: PolygonClient
  writer: HistoryWriter
  onBatch: (batch: Batch) => void
  /** The node's answer failed or was wrong; the request is repeated. */
  onFault: (message: string) => void
  limits?: BatchLimits | undefined
  timing?: Timing | undefined
}

const BACKOFF = { baseMs: 500, maxMs: 30_000 }
/** About ten minutes in a row. */
const FAILURES_MAX = 25

/** Reads the blocks of a hole upward and stores their facts. Faults of the node are retried for a while. */
export async function readHole(
  hole: BlockRange,
  options: ReadHoleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { pool, polygon, onFault, timing = systemTiming } = options
  const above = await selectParentHash(pool, hole.toBlock + 1)
  const place = { ...hole, previousHash: await selectBlockHash(pool, hole.fromBlock - 1) }
  for (let failures = 0; place.fromBlock <= place.toBlock; ) {
    const { fromBlock } = place
    try {
      await readUpward(place, above, options, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!isFault(error)) throw error
      const fault = await explainFault(polygon, place.fromBlock, error, signal)
      if (fault instanceof MissingHistoryError) throw refuseHistory(fault)
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
  { polygon, writer, onBatch, limits, timing }: ReadHoleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { toBlock } = place
  const options = { pools: writer.pools, limits, timing }
  for await (const read of readAhead(eachFacts(polygon, place, signal, options))) {
    signal.throwIfAborted()
    const { batch } = read
    const hash = batch.blocks.at(-1)?.hash
    if (batch.toBlock === toBlock && above !== undefined && hash !== above) {
      throw new ParentMismatchError(`block ${toBlock} is not the parent of the block after it`)
    }
    await writer.append(read)
    place.fromBlock = batch.toBlock + 1
    place.previousHash = hash
    onBatch(batch)
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

/**
 * Stores the facts of old blocks, in ascending order, beside the block writer of the head. Each batch
 * is one transaction that ends with the coverage: the facts of covered blocks are stored once, and no
 * others. The head waits only while that end is committed. After an error it must not be used again.
 */
export class HistoryWriter {
  /** Stored so far. */
  fills = 0
  /** Automatic market makers of the first years: their trades are attributed to no wallet. */
  readonly pools: Set<string>
  readonly #pool: Pool
  readonly #ids = new IdRegistry()

  private constructor(pool: Pool, pools: Set<string>) {
    this.#pool = pool
    this.pools = pools
  }

  static async open(pool: Pool): Promise<HistoryWriter> {
    return new HistoryWriter(pool, await selectPools(pool))
  }

  async append({ batch, facts }: ReadBatch): Promise<void> {
    const { fromBlock, toBlock } = batch
    await transact(this.#pool, (tx) => ensurePartitions(tx, fromBlock, toBlock, { bare: true }))
    await buildIndexes(this.#pool, { beforeBlock: fromBlock })
    await this.#ids.resolveEarly(this.#pool, facts)
    await transact(this.#pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      await chargeConversions(tx, facts)
      await writeFacts(tx, facts, this.#ids)
      await lockState(tx)
      const [hole] = await selectHoles(tx, batch)
      if (hole?.fromBlock !== fromBlock || hole.toBlock !== toBlock) {
        throw new Error(`another process has read blocks of ${fromBlock} to ${toBlock}`)
      }
      await chargeStoredConversions(tx, facts.negRiskMarkets)
      await addCoverage(tx, batch)
    })
    this.fills += facts.fills.length
  }
}
