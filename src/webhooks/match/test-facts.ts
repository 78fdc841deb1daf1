import { onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import type { BatchBlock } from '../../chain/facts/block.js'
import { chargeConversions } from '../../chain/facts/conversion.js'
import { toEntries } from '../../chain/facts/entries.js'
import { type BatchFacts, createBatchFacts } from '../../chain/facts/registry.js'
import { IdRegistry } from '../../chain/ids/id-registry.js'
import { deleteFactsFrom, FactWriter } from '../../chain/write/fact-writer.js'
import { ensurePartitions } from '../../chain/write/partitions.js'
import {
  deleteRecentBlocksFrom,
  insertRecentBlocks,
  insertReorg,
  moveCursor,
  selectRecentBlock,
  startLedger,
} from '../../chain/write/state.js'
import { seqOf } from '../../core/seq.js'
import { BLOCK, CONDITION, NO, word, YES } from '../../events/test-facts.js'
import { LedgerStore } from '../../ledger/rows/ledger-store.js'
import { revertLedger } from '../../ledger/rows/undo-journal.js'
import { hexToBytes } from '../../lib/hex.js'
import type { Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'

type Facts = Partial<Omit<BatchFacts, 'blocks'>>
type FactsAt = Facts | ((logAt: (logIndex: number, tx?: string) => LogPosition) => Facts)
type LogPosition = { seq: number; timeSec: number; txHash: string }

/** Blocks come every two seconds. */
export const timeOfBlock = (number: number): number => BLOCK.timeSec + (number - BLOCK.number) * 2

/**
 * A chain that a test writes by hand, into the tables and through the ledger of the service. Its first
 * block has nothing in it.
 */
export class TestFacts {
  readonly database: TestDatabase
  readonly #ids = new IdRegistry()
  readonly #ledger = new LedgerStore(this.#ids)
  #head = BLOCK.number
  /** Other hashes after each reorganisation. */
  #fork = 0

  private constructor(database: TestDatabase) {
    this.database = database
  }

  /** A database of its own is dropped when the test ends; a shared one is not. */
  static async open(shared?: TestDatabase): Promise<TestFacts> {
    const database = shared ?? (await createTestDatabase())
    if (shared === undefined) onTestFinished(() => database.drop())
    const facts = new TestFacts(database)
    await transact(database.sql, async (tx) => {
      await ensurePartitions(tx, BLOCK.number, BLOCK.number + 10_000, { bare: false })
      await startLedger(tx, BLOCK.number, BLOCK)
    })
    facts.#head = BLOCK.number - 1
    await facts.append({})
    return facts
  }

  get sql() {
    return this.database.sql
  }

  /** Number of the last block. */
  get head(): number {
    return this.#head
  }

  get headSeq(): number {
    return seqOf(this.#head + 1, 0) - 1
  }

  /** Books the next block, and returns its number. A function gets `logAt`, which makes the fields of a log by its index. */
  async append(facts: FactsAt = {}, timeSec = timeOfBlock(this.#head + 1)): Promise<number> {
    const number = this.#head + 1
    const block: BatchBlock = {
      number,
      timeSec,
      hash: this.#hashOf(number),
      parentHash: this.#hashOf(number - 1),
    }
    const logAt = (logIndex: number, tx = `${number}${logIndex}`) => ({
      seq: seqOf(number, logIndex),
      timeSec,
      txHash: word(tx),
    })
    const ownFacts = typeof facts === 'function' ? facts(logAt) : facts
    const batch = { ...createBatchFacts(), ...ownFacts, blocks: [block] }
    await transact(this.sql, (tx) => this.#book(tx, batch, block))
    this.#head = number
    return number
  }

  /** Reverts the blocks above. */
  async revertTo(toBlock: number): Promise<void> {
    const cursor = await selectRecentBlock(this.sql, toBlock)
    if (cursor === undefined) throw new Error(`there is no block ${toBlock}`)
    await transact(this.sql, async (tx) => {
      await deleteFactsFrom(tx, toBlock + 1)
      await revertLedger(tx, toBlock, await insertReorg(tx, toBlock))
      await deleteRecentBlocksFrom(tx, toBlock + 1)
      await moveCursor(tx, cursor)
    })
    this.#ids.forget()
    this.#ledger.forget()
    this.#head = toBlock
    this.#fork++
  }

  async #book(tx: Sql, batch: BatchFacts, block: BatchBlock): Promise<void> {
    const { wallets, tokens } = await this.#ids.resolve(tx, batch, { journal: true })
    for (const wallet of wallets) this.#ledger.addNewWallet(wallet)
    for (const token of tokens) this.#ledger.addNewToken(token)
    await chargeConversions(tx, batch)
    const entries = await toEntries(tx, batch, this.#ids)
    await this.#ledger.load(tx, entries)
    const writer = new FactWriter(this.#ids)
    writer.add(batch)
    await writer.sendAll(tx)
    await this.#ledger.foldEntries(entries, () => true)
    this.#ledger.startBlock(block.number, true)
    await this.#ledger.write(tx)
    await insertRecentBlocks(tx, [block], { isJournalled: true })
    await moveCursor(tx, { block: block.number, hash: block.hash, timeSec: block.timeSec })
  }

  #hashOf = (number: number): string => word(`${number}${this.#fork}`)
}

const CATALOGUED = { first_seen: new Date(0), active: true, closed: false, archived: false, neg_risk: false }

/** The catalogue has the market of `test-facts.ts`, with the tags `weather` and `world`. */
export async function insertTestMarket(sql: Sql): Promise<void> {
  await sql`insert into events ${sql({ ...CATALOGUED, id: 1, slug: 'weather', title: 'Weather' })}`
  const row = {
    ...CATALOGUED,
    id: 1,
    event: 1,
    accepting_orders: true,
    enable_order_book: true,
    question: 'Will it rain?',
    slug: 'will-it-rain',
    outcomes: ['Yes', 'No'],
    image: 'https://pictures.example/rain.png',
    condition: hexToBytes(CONDITION),
    tokens: `{"\\\\x${YES.slice(2)}","\\\\x${NO.slice(2)}"}`,
  }
  await sql`insert into markets ${sql(row)}`
  await sql`
    insert into market_tokens ${sql([
      { token: hexToBytes(YES), market: 1, outcome: 0 },
      { token: hexToBytes(NO), market: 1, outcome: 1 },
    ])}`
  await sql`
    insert into tags ${sql([
      { id: 1, slug: 'weather', label: 'Weather Forecasts' },
      { id: 2, slug: 'world', label: 'World' },
    ])}`
  await sql`
    insert into event_tags ${sql([
      { event: 1, tag: 1, place: 0 },
      { event: 1, tag: 2, place: 1 },
    ])}`
}
