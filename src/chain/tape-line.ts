import { fold } from '../ledger/fold.js'
import { type LedgerLimits, LedgerStore, type Refusal } from '../ledger/store/ledger-store.js'
import { rewindLedger } from '../ledger/store/rewind.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import { type Batch, type Cursor, type Line, partitionEnd } from './follow/line.js'
import { blockOf, seqOf } from './seq.js'
import { cutFacts } from './store/cut.js'
import { Names } from './store/names.js'
import { buildIndexes, ensurePartitions } from './store/partitions.js'
import { poolsOf, selectPools } from './store/pools.js'
import { cutRecentBlocks, insertRecentBlocks, selectRecentBlock } from './store/recent-blocks.js'
import { insertRefusals } from './store/refusals.js'
import {
  addCoverage,
  type ChainState,
  cutCoverage,
  lockState,
  moveCursor,
  readState,
  startLedger,
} from './store/state.js'
import { toEntries } from './store/to-entries.js'
import { writeTape } from './store/write-tape.js'
import { readTape } from './tape/read-tape.js'
import type { Tape } from './tape/tape.js'

/** Told after each commit, in the order of the chain. Must not throw. */
export type TapeListener = {
  /** `refusals` are entries of the tape that the ledger would not book. */
  onCommitted(tape: Tape, refusals: readonly Refusal[]): void
  /** `freed`: so many logs of the blocks above were quarantined, and are no more. */
  onRewound(toBlock: number, freed: number): void
}

type TapeLineOptions = {
  /** A pool of its own with two connections or more: facts go out over one while rows come in over another. */
  pool: Pool
  listeners?: readonly TapeListener[]
  limits?: LedgerLimits
}

/** Somebody else has booked in the meantime: what is in memory is not what is in the database. */
export class OvertakenError extends Error {
  override name = 'OvertakenError'
}

/**
 * The line that ends in the database. Each batch is one transaction: its facts, the ledger and the
 * cursor move together. After an error the line must not be used again; a new one starts from what
 * the database has.
 */
export class TapeLine implements Line {
  readonly #pool: Pool
  readonly #listeners: readonly TapeListener[]
  readonly #names = new Names()
  readonly #ledger: LedgerStore
  #cursor: Cursor | undefined
  #epoch: number
  /** Up to this block there are partitions. */
  #partitionedTo = -1
  #isIndexed = false
  /** Market makers of the first years: what they do is nobody's. */
  #pools: Set<string>

  private constructor(
    { pool, listeners = [], limits }: TapeLineOptions,
    state: ChainState,
    pools: Set<string>,
  ) {
    this.#pool = pool
    this.#listeners = listeners
    this.#ledger = new LedgerStore(this.#names, limits)
    this.#cursor = state.cursor
    this.#epoch = state.epoch
    this.#pools = pools
  }

  static async open(options: TapeLineOptions): Promise<TapeLine> {
    const { pool } = options
    return new TapeLine(options, await readState(pool), await selectPools(pool))
  }

  get cursor(): Cursor | undefined {
    return this.#cursor
  }

  async append(batch: Batch): Promise<void> {
    const { fromBlock, toBlock, isNearHead } = batch
    const last = batch.blocks.at(-1)
    if (last?.number !== toBlock) throw new Error('a batch ends with the header of its last block')
    const cursor = { block: toBlock, hash: last.hash, timeSec: last.timeSec }
    const tape = readTape({ ...batch, pools: this.#pools })
    await this.#preparePartitions(fromBlock, toBlock, isNearHead)
    const refusals = await transact(this.#pool, async (tx) => {
      await this.#start(tx, fromBlock)
      const refused = await this.#book(tx, batch, tape)
      const recent = isNearHead ? batch.blocks : [last]
      await insertRecentBlocks(tx, recent, { isJournalled: isNearHead })
      await addCoverage(tx, batch)
      await moveCursor(tx, cursor)
      return refused
    })
    this.#cursor = cursor
    for (const pool of poolsOf(tape)) this.#pools.add(pool)
    for (const listener of this.#listeners) listener.onCommitted(tape, refusals)
  }

  async rewind(toBlock: number): Promise<void> {
    const cursor = await selectRecentBlock(this.#pool, toBlock)
    if (cursor === undefined) throw new Error(`block ${toBlock} is too old to go back to`)
    const freed = await transact(this.#pool, async (tx) => {
      await this.#start(tx, toBlock)
      const count = await cutFacts(tx, seqOf(toBlock + 1, 0))
      await rewindLedger(tx, toBlock)
      await cutRecentBlocks(tx, toBlock + 1)
      await cutCoverage(tx, toBlock + 1)
      await moveCursor(tx, cursor)
      return count
    })
    this.#cursor = cursor
    this.#forget()
    this.#pools = await selectPools(this.#pool)
    for (const listener of this.#listeners) listener.onRewound(toBlock, freed)
  }

  async hashOf(block: number): Promise<string | undefined> {
    return (await selectRecentBlock(this.#pool, block))?.hash
  }

  /** Far from the head rows are written into bare tables, which get their indexes when they are full. */
  async #preparePartitions(fromBlock: number, toBlock: number, isNearHead: boolean): Promise<void> {
    if (toBlock > this.#partitionedTo) {
      const bare = !isNearHead
      await transact(this.#pool, (tx) => ensurePartitions(tx, fromBlock, toBlock, { bare }))
      this.#partitionedTo = partitionEnd(toBlock)
    }
    if (!isNearHead) await buildIndexes(this.#pool, { beforeBlock: fromBlock })
    else if (!this.#isIndexed) await buildIndexes(this.#pool)
    this.#isIndexed = isNearHead
  }

  /** Takes the state, and makes sure that it is the one this line knows. */
  async #start(tx: Sql, fromBlock: number): Promise<void> {
    await tx`set local statement_timeout = 0`
    const { cursor, epoch } = await lockState(tx)
    if (cursor?.hash !== this.#cursor?.hash) {
      throw new OvertakenError(
        `the chain is booked up to ${cursor?.block}, not ${this.#cursor?.block}`,
      )
    }
    if (epoch !== this.#epoch) {
      this.#forget()
      this.#pools = await selectPools(tx)
    }
    this.#epoch = epoch
    if (cursor === undefined) await startLedger(tx, fromBlock)
  }

  async #book(tx: Sql, batch: Batch, tape: Tape): Promise<Refusal[]> {
    const { wallets, tokens } = await this.#names.resolve(tx, tape, { journal: batch.isNearHead })
    for (const wallet of wallets) this.#ledger.startWallet(wallet)
    for (const token of tokens) this.#ledger.startToken(token)
    await allDone([writeTape(tx, tape, this.#names), this.#fold(batch, tape)])
    await this.#ledger.write(tx)
    const refusals = this.#ledger.takeRefusals()
    if (refusals.length > 0) await insertRefusals(tx, refusals)
    return refusals
  }

  async #fold(batch: Batch, tape: Tape): Promise<void> {
    const entries = await toEntries(this.#pool, tape, this.#names)
    await this.#ledger.load(this.#pool, entries)
    let block = Number.NaN
    for (const entry of entries) {
      const entryBlock = blockOf(entry.seq)
      if (entryBlock !== block) this.#ledger.startBlock(entryBlock, batch.isNearHead)
      block = entryBlock
      fold(this.#ledger, entry)
    }
    this.#ledger.startBlock(batch.toBlock, batch.isNearHead)
  }

  #forget(): void {
    this.#names.forget()
    this.#ledger.forget()
  }
}

/** Fails no earlier than all have ended: in the middle of a COPY nothing can be rolled back. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}
