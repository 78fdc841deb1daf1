import assert from 'node:assert/strict'
import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { codeOf, OperatorError } from '../../core/errors.js'
import { blockOf, endOfBlock, seqOf } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'
import { LedgerStore } from '../../ledger/rows/ledger-store.js'
import { readAhead } from '../../lib/read-ahead.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import type { Pool, Sql } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { transact } from '../../store/transaction.js'
import { eachEntries, wholeBlocks } from '../facts/entries.js'
import { insertRefusedEntries } from '../facts/quarantine.js'
import { IdRegistry } from '../ids/id-registry.js'
import { selectState } from '../queries.js'
import { lockState } from '../write/state.js'
import { moveLedgerStart, selectPossibleStart } from './queries.js'
import {
  addIndexes,
  addPartitions,
  analyzeShadowTables,
  createShadowTables,
  insertProgress,
  moveProgress,
  selectProgress,
  swapShadowTables,
  useShadowTables,
} from './shadow-tables.js'

type RebuildOptions = {
  pool: Pool
  /** The last block whose facts are folded, and the last one of the ledger in use. */
  onProgress: (block: number, lastBlock: number) => void
  /** A query reads the old ledger: the swap is tried again. */
  onBusy: () => void
  /** Rows of each kind that are read at once. */
  rowsMax?: number | undefined
  timing?: Timing | undefined
}

/** Only this few blocks are left for the transaction in which the head waits. */
const LAST_BLOCKS_MAX = REORG_BLOCKS_MAX + 32
const BUSY_MS = 5_000

/**
 * Rebuilds the ledger from stored facts, from an earlier block on, in tables beside those in use, which they
 * then replace. The head waits only at the end: for the blocks that a reorganisation may revert, which need
 * their journal. After an interruption the rebuild continues where it was.
 */
export class Rebuild {
  readonly #options: RebuildOptions
  readonly #fromBlock: number
  readonly #ids = new IdRegistry()
  readonly #ledger = new LedgerStore(this.#ids)
  #doneSeq: number

  private constructor(options: RebuildOptions, fromBlock: number, doneSeq: number | undefined) {
    this.#options = options
    this.#fromBlock = fromBlock
    this.#doneSeq = doneSeq ?? NOTHING_DONE
    if (doneSeq !== undefined) return
    // The tables are empty: only rows that this instance creates exist.
    this.#ledger.addNewWallet(0)
    this.#ledger.addNewToken(0)
  }

  static async run(options: RebuildOptions, fromBlock: number, signal: AbortSignal): Promise<void> {
    const doneSeq = await transact(options.pool, (tx) => begin(tx, fromBlock))
    await new Rebuild(options, fromBlock, doneSeq).#run(signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { pool, onBusy, timing = systemTiming } = this.#options
    await this.#approach(signal)
    await transact(pool, async (tx) => {
      await useShadowTables(tx)
      await addIndexes(tx)
      await analyzeShadowTables(tx)
    })
    for (;;) {
      await this.#approach(signal)
      if (await this.#finish()) return
      onBusy()
      await timing.sleep(BUSY_MS, signal)
    }
  }

  /** Folds what no reorganisation can touch, until there is little left. */
  async #approach(signal: AbortSignal): Promise<void> {
    const { pool, onProgress, rowsMax } = this.#options
    for (;;) {
      const { block: lastBlock } = await selectState(pool)
      assert(lastBlock !== null, 'a ledger has a last block')
      const nextBlock = Math.max(this.#fromBlock, blockOf(this.#doneSeq + 1))
      onProgress(nextBlock - 1, lastBlock)
      if (lastBlock - nextBlock <= LAST_BLOCKS_MAX) return
      await transact(pool, addPartitions)
      const range = this.#rangeTo(lastBlock - REORG_BLOCKS_MAX)
      for await (const entries of readAhead(eachEntries(pool, range, rowsMax))) {
        signal.throwIfAborted()
        await this.#book(entries)
        onProgress(blockOf(this.#doneSeq), lastBlock)
      }
      await this.#skipTo(range.toSeq)
    }
  }

  async #book(entries: readonly Entry[]): Promise<void> {
    const toSeq = entries.at(-1)?.seq ?? this.#doneSeq
    await transact(this.#options.pool, async (tx) => {
      await useShadowTables(tx)
      // Commits that are lost when the machine fails lose their progress too: these entries are folded again.
      await tx`set local synchronous_commit = off`
      await moveProgress(tx, this.#doneSeq, toSeq)
      await this.#fold(tx, entries, Number.POSITIVE_INFINITY)
    })
    this.#doneSeq = toSeq
  }

  async #skipTo(toSeq: number): Promise<void> {
    await transact(this.#options.pool, (tx) => moveProgress(tx, this.#doneSeq, toSeq))
    this.#doneSeq = toSeq
  }

  /** `false`: the tables in use are being read, and everything is as it was before. */
  async #finish(): Promise<boolean> {
    // Outcomes that were stated meanwhile count for the last blocks.
    this.#ids.forget()
    try {
      await transact(this.#options.pool, (tx) => this.#replace(tx))
      return true
    } catch (error) {
      if (!BUSY_CODES.has(codeOf(error) ?? '')) throw error
      this.#ledger.forget()
      return false
    }
  }

  async #replace(tx: Sql): Promise<void> {
    await useShadowTables(tx)
    const { cursor } = await lockState(tx)
    assert(cursor !== undefined, 'a ledger has a last block')
    if ((await selectPossibleStart(tx, await selectState(tx))) !== this.#fromBlock) {
      throw new OperatorError('The stored facts have changed meanwhile. Run the same command again.')
    }
    await tx`select pg_advisory_xact_lock(${LOCKS.partitions})`
    await addPartitions(tx)
    const chunks = eachEntries(tx, this.#rangeTo(cursor.block), this.#options.rowsMax)
    for await (const entries of wholeBlocks(chunks)) {
      await this.#fold(tx, entries, cursor.block - REORG_BLOCKS_MAX + 1)
    }
    this.#ledger.startBlock(cursor.block, true)
    await this.#ledger.write(tx)
    await addIndexes(tx)
    await swapShadowTables(tx)
    await moveLedgerStart(tx, this.#fromBlock)
  }

  async #fold(tx: Sql, entries: readonly Entry[], journalFrom: number): Promise<void> {
    await this.#ids.resolveEntries(tx, entries)
    await this.#ledger.load(tx, entries)
    await this.#ledger.foldEntries(entries, (block) => block >= journalFrom)
    await this.#ledger.write(tx)
    await insertRefusedEntries(tx, this.#ledger.takeRefusals())
  }

  /** What is not folded yet, up to the end of this block. */
  #rangeTo(block: number): { fromSeq: number; toSeq: number } {
    const fromSeq = Math.max(seqOf(this.#fromBlock, 0), this.#doneSeq + 1)
    return { fromSeq, toSeq: endOfBlock(block) }
  }
}

const NOTHING_DONE = -1
/** lock_not_available, deadlock_detected */
const BUSY_CODES = new Set(['55P03', '40P01'])

/** How far an earlier attempt has come; `undefined`: it begins now, with empty tables. */
async function begin(tx: Sql, fromBlock: number): Promise<number | undefined> {
  const doneSeq = await selectProgress(tx, fromBlock)
  if (doneSeq !== undefined) return doneSeq
  await createShadowTables(tx)
  await insertProgress(tx, fromBlock)
  return undefined
}
