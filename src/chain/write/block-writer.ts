import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { partitionEnd } from '../../core/blocks.js'
import { type LedgerLimits, LedgerStore, type RefusedEntry } from '../../ledger/rows/ledger-store.js'
import { revertLedger } from '../../ledger/rows/undo-journal.js'
import { ReadAhead } from '../../lib/read-ahead.js'
import { withTimeout } from '../../lib/timeout.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { LogDecoder } from '../../upstreams/polygon/decode.js'
import { attributeBatchInSteps } from '../attribute/attribute-batch.js'
import { chargeConversions } from '../facts/conversion.js'
import { toEntries } from '../facts/entries.js'
import { insertRefusedEntries } from '../facts/quarantine.js'
import { poolsIn, selectPools } from '../facts/raw-log.js'
import { type BatchFacts, createBatchFacts } from '../facts/registry.js'
import type { Batches, BlockId, BlockSink, BookedRange, ChainCursor } from '../follow/block-sink.js'
import { IdRegistry } from '../ids/id-registry.js'
import { countQuarantined } from '../queries.js'
import type { Batch } from '../read/batch.js'
import { unpackFacts } from '../read/pack-facts.js'
import { insertDigests } from './fact-digests.js'
import { deleteFactsFrom, FactWriter } from './fact-writer.js'
import { buildIndexes, ensurePartitions } from './partitions.js'
import { buildReadIndexes } from './read-indexes.js'
import {
  addCoverage,
  type ChainState,
  deleteCoverageFrom,
  deleteRecentBlocksFrom,
  insertRecentBlocks,
  insertReorg,
  lockState,
  moveCursor,
  readState,
  selectAnchors,
  selectRecentBlock,
  startLedger,
} from './state.js'

/** Called in the order of the chain. Must not throw, unless a method says so. */
export type BlockListener = {
  /**
   * Called before the commit: the batch may still be rolled back. The function that it returns is
   * called after the commit, and should hold no more of the facts than it needs. `refusals`: the
   * entries that the ledger refused to book.
   */
  onBooked(facts: BatchFacts, refusals: readonly RefusedEntry[]): () => void
  /** Called before the commit that reverts this many blocks above `toBlock`. */
  onReverting?(toBlock: number, removedBlocks: number): void
  /** `unquarantined`: this many logs of the blocks above were in quarantine and are deleted. */
  onReverted(toBlock: number, unquarantined: number): void
  /** Called last in each transaction, to store what has to be committed with it. May throw. */
  beforeCommit?(tx: Sql): Promise<void>
  /** Another process has rebuilt the ledger or replaced facts; this many logs are in quarantine now. */
  onRebuilt?(quarantined: number): void
}

type BlockWriterOptions = {
  pool: Pool
  listeners?: readonly BlockListener[]
  limits?: LedgerLimits
}

/** Another process has booked meanwhile: what is in memory is not what is in the database. */
export class OvertakenError extends Error {
  override name = 'OvertakenError'
}

/**
 * What is left of a batch after the attribution: not its logs, which take the most memory. Facts of
 * another thread stay packed until they are booked.
 */
type AttributedBatch = BookedRange &
  Pick<Batch, 'blocks' | 'isNearHead'> & { facts: BatchFacts | readonly ArrayBuffer[] }

/** This many batches are attributed before they can be booked, while PostgreSQL writes. */
const ATTRIBUTED_AHEAD = 4
/** Far below the head one transaction takes this long: rows that change again are written once. */
const TRANSACTION_MS = 2_000
/** Rows of a table are sent when they are this much text, to keep PostgreSQL busy. */
const SEND_CHARS = 262_144

/**
 * Writes batches of blocks into the database: in each transaction facts, ledger and cursor move
 * together. After an error it must not be used again; a new one starts from what the database has.
 */
export class BlockWriter implements BlockSink {
  cursor: ChainCursor | undefined
  readonly #pool: Pool
  readonly #decoder = new LogDecoder()
  readonly #listeners: readonly BlockListener[]
  readonly #ids = new IdRegistry()
  readonly #ledger: LedgerStore
  #epoch: number
  /** Up to this block the partitions exist. */
  #partitionedTo = -1
  #isIndexed = false
  /** Automatic market makers of the first years: their trades are attributed to no wallet. */
  #pools: Set<string>

  private constructor(
    { pool, listeners = [], limits }: BlockWriterOptions,
    state: ChainState,
    pools: Set<string>,
  ) {
    this.#pool = pool
    this.#listeners = listeners
    this.#ledger = new LedgerStore(this.#ids, limits)
    this.cursor = state.cursor
    this.#epoch = state.epoch
    this.#pools = pools
  }

  static async open(options: BlockWriterOptions): Promise<BlockWriter> {
    const { pool } = options
    return new BlockWriter(options, await readState(pool), await selectPools(pool))
  }

  get pools(): ReadonlySet<string> {
    return this.#pools
  }

  async append(batches: Batches, onBooked?: (booked: BookedRange) => void): Promise<void> {
    const ahead = new ReadAhead(this.#attributeAll(batches), ATTRIBUTED_AHEAD)
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

  async revert(toBlock: number): Promise<void> {
    const cursor = await selectRecentBlock(this.#pool, toBlock)
    if (cursor === undefined) throw new Error(`block ${toBlock} is too old to go back to`)
    const unquarantined = await transact(this.#pool, async (tx) => {
      await this.#start(tx)
      const count = await deleteFactsFrom(tx, toBlock + 1)
      await revertLedger(tx, toBlock, await insertReorg(tx, toBlock))
      await deleteRecentBlocksFrom(tx, toBlock + 1)
      await deleteCoverageFrom(tx, toBlock + 1)
      await moveCursor(tx, cursor)
      const removedBlocks = (this.cursor?.block ?? toBlock) - toBlock
      for (const listener of this.#listeners) listener.onReverting?.(toBlock, removedBlocks)
      await this.#beforeCommit(tx)
      return count
    })
    this.cursor = cursor
    this.#forget()
    this.#pools = await selectPools(this.#pool)
    for (const listener of this.#listeners) listener.onReverted(toBlock, unquarantined)
  }

  async hashOf(block: number): Promise<string | undefined> {
    return (await selectRecentBlock(this.#pool, block))?.hash
  }

  findAnchors(headBlock: number): Promise<readonly BlockId[]> {
    return selectAnchors(this.#pool, headBlock)
  }

  async *#attributeAll(batches: Batches): AsyncGenerator<AttributedBatch> {
    for await (const batch of batches) {
      if (batch.blocks.at(-1)?.number !== batch.toBlock)
        throw new Error('a batch ends with the header of its last block')
      const { logs, refused = [], attributed, ...rest } = batch
      if (attributed !== undefined) {
        yield { ...rest, ...attributed, refused: 0 }
        continue
      }
      const facts = await this.#attribute(batch)
      this.#addPools(facts)
      yield { ...rest, logs: logs.length, refused: refused.length, facts }
    }
  }

  #addPools({ rawLogs }: BatchFacts): void {
    for (const pool of poolsIn(rawLogs)) this.#pools.add(pool)
  }

  async #factsOf({ facts }: AttributedBatch): Promise<BatchFacts> {
    if ('rawLogs' in facts) return facts
    const unpacked = createBatchFacts()
    for (const packed of facts) {
      unpackFacts(unpacked, packed)
      await yieldToEventLoop()
    }
    this.#addPools(unpacked)
    return unpacked
  }

  async #attribute(batch: Batch): Promise<BatchFacts> {
    const input = { ...batch, pools: this.#pools, decoder: this.#decoder }
    for (const steps = attributeBatchInSteps(input); ; ) {
      const { done, value } = steps.next()
      if (done) return value
      await yieldToEventLoop()
    }
  }

  /** Far from the head rows are written into partitions without indexes, which are built when they are full. */
  async #preparePartitions({ fromBlock, toBlock, isNearHead }: AttributedBatch): Promise<void> {
    if (toBlock > this.#partitionedTo) {
      const bare = !isNearHead
      await transact(this.#pool, (tx) => ensurePartitions(tx, fromBlock, toBlock, { bare }))
      this.#partitionedTo = partitionEnd(toBlock)
    }
    if (!isNearHead) await buildIndexes(this.#pool, { beforeBlock: fromBlock })
    else if (!this.#isIndexed) {
      await buildIndexes(this.#pool)
      await buildReadIndexes(this.#pool)
    }
    this.#isIndexed = isNearHead
  }

  /** Books the next batches, as many as belong together, in one transaction. */
  async #commit(ahead: ReadAhead<AttributedBatch>, first: AttributedBatch): Promise<BookedRange[]> {
    const booked: BookedRange[] = []
    const afterCommit: (() => void)[] = []
    let last = first
    await transact(this.#pool, async (tx) => {
      const untilMs = performance.now() + TRANSACTION_MS
      const writer = new FactWriter(this.#ids)
      const refusals: RefusedEntry[] = []
      await this.#start(tx)
      if (this.cursor === undefined) await startLedger(tx, first.fromBlock, first.blocks[0])
      // What is lost far below the head when the machine fails is read from the node once more.
      if (!first.isNearHead) await tx`set local synchronous_commit = off`
      for (let batch: AttributedBatch | undefined = first; batch !== undefined; ) {
        last = batch
        const facts = await this.#factsOf(batch)
        await this.#book(tx, { ...batch, facts }, writer, () => ahead.take())
        const refused = this.#ledger.takeRefusals()
        refusals.push(...refused)
        for (const listener of this.#listeners) {
          afterCommit.push(listener.onBooked(facts, refused))
        }
        const { fromBlock, toBlock, logs } = batch
        booked.push({ fromBlock, toBlock, logs, refused: batch.refused })
        batch = await this.#nextOf(ahead, batch, untilMs)
      }
      await writer.sendAll(tx)
      await insertDigests(tx, { fromBlock: first.fromBlock, toBlock: last.toBlock })
      await this.#ledger.write(tx)
      await insertRefusedEntries(tx, refusals)
      await this.#finish(tx, first.fromBlock, last)
      await this.#beforeCommit(tx)
    })
    this.cursor = cursorOf(last)
    for (const notify of afterCommit) notify()
    return booked
  }

  /** The next batch, if it belongs into the same transaction and comes in time. */
  async #nextOf(
    ahead: ReadAhead<AttributedBatch>,
    { toBlock, isNearHead }: AttributedBatch,
    untilMs: number,
  ) {
    if (isNearHead) return undefined
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0) return undefined
    // If the next batch is late or fails, those before it are committed without it.
    const next = await withTimeout(ahead.next, leftMs, 'late').catch(() => undefined)
    if (next === undefined || next.done) return undefined
    const { value } = next
    const isOfSamePartition = partitionEnd(value.fromBlock) === partitionEnd(toBlock)
    return !value.isNearHead && isOfSamePartition ? value : undefined
  }

  /** Locks the state, and throws if it is not the one that this writer left. */
  async #start(tx: Sql): Promise<void> {
    const [, { cursor, epoch }] = await Promise.all([tx`set local statement_timeout = 0`, lockState(tx)])
    if (cursor?.hash !== this.cursor?.hash) {
      throw new OvertakenError(`the chain is booked up to ${cursor?.block}, not ${this.cursor?.block}`)
    }
    if (epoch !== this.#epoch) {
      this.#forget()
      // Pools of batches that are attributed and not booked yet stay in the set.
      for (const pool of await selectPools(tx)) this.#pools.add(pool)
      const quarantined = await countQuarantined(tx)
      for (const listener of this.#listeners) listener.onRebuilt?.(quarantined)
    }
    this.#epoch = epoch
  }

  /** Books a batch into the ledger's memory while its facts are sent to their tables. */
  async #book(
    tx: Sql,
    { facts, toBlock, isNearHead }: AttributedBatch & { facts: BatchFacts },
    writer: FactWriter,
    onSend: () => void,
  ): Promise<void> {
    const { wallets, tokens } = await this.#ids.resolve(tx, facts, { journal: isNearHead })
    for (const wallet of wallets) this.#ledger.addNewWallet(wallet)
    for (const token of tokens) this.#ledger.addNewToken(token)
    await chargeConversions(tx, facts)
    const entries = await toEntries(tx, facts, this.#ids)
    await this.#ledger.load(tx, entries)
    writer.add(facts)
    onSend()
    await allDone([writer.send(tx, SEND_CHARS), this.#ledger.foldEntries(entries, () => isNearHead)])
    this.#ledger.startBlock(toBlock, isNearHead)
  }

  async #finish(tx: Sql, fromBlock: number, last: AttributedBatch): Promise<void> {
    const { toBlock, blocks, isNearHead } = last
    const recent = isNearHead ? blocks : blocks.slice(-1)
    await Promise.all([
      insertRecentBlocks(tx, recent, { isJournalled: isNearHead }),
      addCoverage(tx, { fromBlock, toBlock }),
      moveCursor(tx, cursorOf(last)),
    ])
  }

  async #beforeCommit(tx: Sql): Promise<void> {
    for (const listener of this.#listeners) await listener.beforeCommit?.(tx)
  }

  #forget(): void {
    this.#ids.forget()
    this.#ledger.forget()
  }
}

/** Fails only when all have ended: a transaction cannot be rolled back in the middle of a COPY. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}

function cursorOf({ toBlock, blocks }: AttributedBatch): ChainCursor {
  const { hash = '', timeSec = 0 } = blocks.at(-1) ?? {}
  return { block: toBlock, hash, timeSec }
}
