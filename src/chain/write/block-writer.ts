import { setImmediate as turn } from 'node:timers/promises'
import { partitionEnd } from '../../core/blocks.js'
import type { Entry } from '../../ledger/entry.js'
import {
  type LedgerLimits,
  LedgerStore,
  type RefusedEntry,
} from '../../ledger/rows/ledger-store.js'
import { rewindLedger } from '../../ledger/rows/undo-journal.js'
import { ReadAhead } from '../../lib/read-ahead.js'
import { withTimeout } from '../../lib/timeout.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { attributeBatchInSteps } from '../attribute/attribute-batch.js'
import { toEntries } from '../facts/entries.js'
import { insertRefusedEntries } from '../facts/quarantine.js'
import { poolsIn, selectPools } from '../facts/raw-log.js'
import type { BatchFacts } from '../facts/registry.js'
import type { Batch, Batches, BlockSink, BookedRange, Cursor } from '../follow/block-sink.js'
import { IdRegistry } from '../ids/id-registry.js'
import { cutFacts, FactWriter } from './fact-writer.js'
import { buildIndexes, ensurePartitions } from './partitions.js'
import {
  addCoverage,
  type ChainState,
  cutCoverage,
  cutRecentBlocks,
  insertRecentBlocks,
  lockState,
  moveCursor,
  readState,
  selectRecentBlock,
  startLedger,
} from './state.js'

/** Follows what is booked, in the order of the chain. Must not throw. */
export type BlockListener = {
  /**
   * Looks at a tape that may still be rolled back. What it returns is called after the commit, and
   * should hold no more of the tape than it needs. `refusals`: what the ledger would not book.
   */
  onBooked(tape: BatchFacts, refusals: readonly RefusedEntry[]): () => void
  /** `freed`: so many logs of the blocks above were quarantined, and are no more. */
  onRewound(toBlock: number, freed: number): void
}

type BlockWriterOptions = {
  pool: Pool
  listeners?: readonly BlockListener[]
  limits?: LedgerLimits
}

/** Somebody else has booked in the meantime: what is in memory is not what is in the database. */
export class OvertakenError extends Error {
  override name = 'OvertakenError'
}

/** What is left of a batch when its logs, the most of it, have been read. */
type Read = BookedRange & Pick<Batch, 'blocks' | 'isNearHead'> & { tape: BatchFacts }

/** The logs of so many batches are read before they can be booked: while PostgreSQL writes, too. */
const READ_AHEAD = 4
/** Far below the head so long a time is booked together: rows that change again are written once. */
const TRANSACTION_MS = 2_000
/** A table with so much text is sent at once, to keep PostgreSQL at work. */
const SEND_CHARS = 262_144

/**
 * The line that ends in the database. In each transaction facts, ledger and cursor move together.
 * After an error the line must not be used again; a new one starts from what the database has.
 */
export class BlockWriter implements BlockSink {
  readonly #pool: Pool
  readonly #listeners: readonly BlockListener[]
  readonly #names = new IdRegistry()
  readonly #ledger: LedgerStore
  #cursor: Cursor | undefined
  #epoch: number
  /** Up to this block there are partitions. */
  #partitionedTo = -1
  #isIndexed = false
  /** Market makers of the first years: what they do is nobody's. */
  #pools: Set<string>

  private constructor(
    { pool, listeners = [], limits }: BlockWriterOptions,
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

  static async open(options: BlockWriterOptions): Promise<BlockWriter> {
    const { pool } = options
    return new BlockWriter(options, await readState(pool), await selectPools(pool))
  }

  get cursor(): Cursor | undefined {
    return this.#cursor
  }

  async append(batches: Batches, onBooked?: (booked: BookedRange) => void): Promise<void> {
    const ahead = new ReadAhead(this.#read(batches), READ_AHEAD)
    try {
      for (;;) {
        const { done, value: first } = await ahead.next
        if (done) return
        await this.#preparePartitions(first)
        for (const booked of await this.#commit(ahead, first)) onBooked?.(booked)
      }
    } finally {
      ahead.close()
    }
  }

  async rewind(toBlock: number): Promise<void> {
    const cursor = await selectRecentBlock(this.#pool, toBlock)
    if (cursor === undefined) throw new Error(`block ${toBlock} is too old to go back to`)
    const freed = await transact(this.#pool, async (tx) => {
      await this.#start(tx, toBlock)
      const count = await cutFacts(tx, toBlock + 1)
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

  async *#read(batches: Batches): AsyncGenerator<Read> {
    for await (const batch of batches) {
      if (batch.blocks.at(-1)?.number !== batch.toBlock)
        throw new Error('a batch ends with the header of its last block')
      const tape = await this.#attributeBatch(batch)
      for (const pool of poolsIn(tape.rawLogs)) this.#pools.add(pool)
      yield toRead(batch, tape)
    }
  }

  async #attributeBatch(batch: Batch): Promise<BatchFacts> {
    for (const steps = attributeBatchInSteps({ ...batch, pools: this.#pools }); ; ) {
      const { done, value } = steps.next()
      if (done) return value
      await turn()
    }
  }

  /** Far from the head rows are written into bare tables, which get their indexes when they are full. */
  async #preparePartitions({ fromBlock, toBlock, isNearHead }: Read): Promise<void> {
    if (toBlock > this.#partitionedTo) {
      const bare = !isNearHead
      await transact(this.#pool, (tx) => ensurePartitions(tx, fromBlock, toBlock, { bare }))
      this.#partitionedTo = partitionEnd(toBlock)
    }
    if (!isNearHead) await buildIndexes(this.#pool, { beforeBlock: fromBlock })
    else if (!this.#isIndexed) await buildIndexes(this.#pool)
    this.#isIndexed = isNearHead
  }

  /** Books the next batches, as many as belong together, in one transaction. */
  async #commit(ahead: ReadAhead<Read>, first: Read): Promise<BookedRange[]> {
    const booked: BookedRange[] = []
    const told: (() => void)[] = []
    let last = first
    await transact(this.#pool, async (tx) => {
      const untilMs = performance.now() + TRANSACTION_MS
      const facts = new FactWriter(this.#names)
      const refusals: RefusedEntry[] = []
      await this.#start(tx, first.fromBlock)
      // What is lost far below the head when the machine fails is read once more.
      if (!first.isNearHead) await tx`set local synchronous_commit = off`
      for (let read: Read | undefined = first; read !== undefined; ) {
        last = read
        await this.#book(tx, read, facts, () => ahead.take())
        const refused = this.#ledger.takeRefusals()
        refusals.push(...refused)
        for (const listener of this.#listeners) told.push(listener.onBooked(read.tape, refused))
        booked.push(toBooked(read))
        read = await this.#nextOf(ahead, read, untilMs)
      }
      await facts.sendAll(tx)
      await this.#ledger.write(tx)
      if (refusals.length > 0) await insertRefusedEntries(tx, refusals)
      await this.#finish(tx, first.fromBlock, last)
    })
    this.#cursor = cursorOf(last)
    for (const tell of told) tell()
    return booked
  }

  /** The next batch, if it belongs into the same transaction and comes in time. */
  async #nextOf(ahead: ReadAhead<Read>, { toBlock, isNearHead }: Read, untilMs: number) {
    if (isNearHead) return undefined
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0) return undefined
    // Late, or whatever is wrong with the next one: these are good.
    const next = await withTimeout(ahead.next, leftMs, 'late').catch(() => undefined)
    if (next === undefined || next.done) return undefined
    const { value } = next
    const isOfSamePartition = partitionEnd(value.fromBlock) === partitionEnd(toBlock)
    return !value.isNearHead && isOfSamePartition ? value : undefined
  }

  /** Takes the state, and makes sure that it is the one this line knows. */
  async #start(tx: Sql, fromBlock: number): Promise<void> {
    const [, { cursor, epoch }] = await Promise.all([
      tx`set local statement_timeout = 0`,
      lockState(tx),
    ])
    if (cursor?.hash !== this.#cursor?.hash) {
      throw new OvertakenError(
        `the chain is booked up to ${cursor?.block}, not ${this.#cursor?.block}`,
      )
    }
    if (epoch !== this.#epoch) {
      this.#forget()
      // Those of batches that are read and not booked yet stay.
      for (const pool of await selectPools(tx)) this.#pools.add(pool)
    }
    this.#epoch = epoch
    if (cursor === undefined) await startLedger(tx, fromBlock)
  }

  /** Puts a tape into the ledger's memory and on the way to its tables. */
  async #book(tx: Sql, read: Read, facts: FactWriter, onSend: () => void): Promise<void> {
    const { tape, isNearHead } = read
    const { wallets, tokens } = await this.#names.resolve(tx, tape, { journal: isNearHead })
    for (const wallet of wallets) this.#ledger.addNewWallet(wallet)
    for (const token of tokens) this.#ledger.addNewToken(token)
    const entries = await toEntries(tx, tape, this.#names)
    await this.#ledger.load(tx, entries)
    facts.add(tape)
    onSend()
    await allDone([facts.send(tx, SEND_CHARS), this.#fold(read, entries)])
  }

  async #fold({ toBlock, isNearHead }: Read, entries: readonly Entry[]): Promise<void> {
    await this.#ledger.foldEntries(entries, () => isNearHead)
    this.#ledger.startBlock(toBlock, isNearHead)
  }

  async #finish(tx: Sql, fromBlock: number, last: Read): Promise<void> {
    const { toBlock, blocks, isNearHead } = last
    const recent = isNearHead ? blocks : blocks.slice(-1)
    await Promise.all([
      insertRecentBlocks(tx, recent, { isJournalled: isNearHead }),
      addCoverage(tx, { fromBlock, toBlock }),
      moveCursor(tx, cursorOf(last)),
    ])
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

const toRead = ({ logs, refused = [], ...rest }: Batch, tape: BatchFacts): Read => ({
  ...rest,
  logs: logs.length,
  refused: refused.length,
  tape,
})

const toBooked = ({ fromBlock, toBlock, logs, refused }: Read): BookedRange => ({
  ...{ fromBlock, toBlock, logs, refused },
})

function cursorOf({ toBlock, blocks }: Read): Cursor {
  const { hash = '', timeSec = 0 } = blocks.at(-1) ?? {}
  return { block: toBlock, hash, timeSec }
}
