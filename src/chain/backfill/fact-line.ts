import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { poolsIn, selectPools } from '../facts/raw-log.js'
import type { Batch } from '../follow/block-sink.js'
import { IdRegistry } from '../ids/id-registry.js'
import { writeFacts } from '../write/fact-writer.js'
import { buildIndexes, ensurePartitions } from '../write/partitions.js'
import { addCoverage, lockState, selectHoles } from '../write/state.js'

/**
 * Stores the facts of old blocks, in ascending order, beside a line that books the head. Each batch
 * is one transaction that ends with the coverage: what is covered is there, once, and nothing else
 * is. The head waits only while that end is committed. After an error it must not be used again.
 */
export class FactLine {
  readonly #pool: Pool
  readonly #names = new IdRegistry()
  /** Market makers of the first years: what they do is nobody's. */
  readonly #pools: Set<string>
  #fills = 0

  private constructor(pool: Pool, pools: Set<string>) {
    this.#pool = pool
    this.#pools = pools
  }

  static async open(pool: Pool): Promise<FactLine> {
    return new FactLine(pool, await selectPools(pool))
  }

  /** Stored so far. */
  get fills(): number {
    return this.#fills
  }

  async append(batch: Batch): Promise<void> {
    const { fromBlock, toBlock } = batch
    const tape = attributeBatch({ ...batch, pools: this.#pools })
    await transact(this.#pool, (tx) => ensurePartitions(tx, fromBlock, toBlock, { bare: true }))
    await buildIndexes(this.#pool, { beforeBlock: fromBlock })
    await this.#names.resolveEarly(this.#pool, tape)
    await transact(this.#pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      await writeFacts(tx, tape, this.#names)
      await lockState(tx)
      const [hole] = await selectHoles(tx, batch)
      if (hole?.fromBlock !== fromBlock || hole.toBlock !== toBlock) {
        throw new Error(`somebody else has read blocks of ${fromBlock} to ${toBlock}`)
      }
      await addCoverage(tx, batch)
    })
    for (const pool of poolsIn(tape.rawLogs)) this.#pools.add(pool)
    this.#fills += tape.fills.length
  }
}
