import { codeOf, OperatorError } from '../../core/errors.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { chargeConversions, chargeStoredConversions } from '../facts/conversion.js'
import { selectPools } from '../facts/raw-log.js'
import { IdRegistry } from '../ids/id-registry.js'
import { ParentMismatchError } from '../read/headers.js'
import { insertDigests } from '../write/fact-digests.js'
import { writeFacts } from '../write/fact-writer.js'
import { buildIndexes, ensurePartitions } from '../write/partitions.js'
import { addCoverage, lockState, selectHoles } from '../write/state.js'
import { selectBlockHash, selectParentHash } from './queries.js'
import { type ReadBatch, type ReadOptions, readRange } from './read-range.js'

type ReadHoleOptions = ReadOptions & { pool: Pool; writer: HistoryWriter }

/** Reads the blocks of a hole upward and stores their facts. Faults of the node are retried for a while. */
export async function readHole(
  hole: BlockRange,
  { pool, writer, ...options }: ReadHoleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { toBlock } = hole
  const above = await selectParentHash(pool, toBlock + 1)
  const previousHash = await selectBlockHash(pool, hole.fromBlock - 1)
  const store = async (read: ReadBatch) => {
    const { batch } = read
    if (batch.toBlock === toBlock && above !== undefined && batch.blocks.at(-1)?.hash !== above) {
      throw new ParentMismatchError(`block ${toBlock} is not the parent of the block after it`)
    }
    try {
      await writer.append(read)
    } catch (error) {
      throw codeOf(error) === DUPLICATE ? refuseStored(batch) : error
    }
  }
  await readRange({ ...hole, previousHash }, { ...options, pools: writer.pools, store }, signal)
}

/** unique_violation */
const DUPLICATE = '23505'

/** The coverage is wrong, or rows were added by hand. */
const refuseStored = ({ fromBlock, toBlock }: BlockRange): OperatorError =>
  new OperatorError(
    `Facts of blocks ${fromBlock} to ${toBlock} are stored, though the blocks do not count as read.\n` +
      `To compare them with the node and replace what differs: auspex backfill --again --from ${fromBlock} --to ${toBlock}`,
  )

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
      await insertDigests(tx, { fromBlock, toBlock })
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
