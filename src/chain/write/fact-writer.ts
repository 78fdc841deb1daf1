import { blockOf, endOfBlock, LOGS_PER_BLOCK } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { COPY_CHUNK_CHARS, copyLines } from '../../store/copy.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { type BatchBlock, BLOCK_ROWS } from '../facts/block.js'
import type { ChainFact, FactRows, IdLookup } from '../facts/fact-kind.js'
import { insertQuarantine, type QuarantineFact } from '../facts/quarantine.js'
import { quarantineUnstorable } from '../facts/raw-log.js'
import { type BatchFacts, FACT_TABLES, KINDS } from '../facts/registry.js'
import { deleteIdsFrom, lockIds } from '../ids/queries.js'
import { deleteDigestsFrom } from './fact-digests.js'

type Source = { rows: FactRows<unknown>; factsIn(batch: BatchFacts): readonly unknown[] }

const SOURCES: readonly Source[] = [
  { rows: BLOCK_ROWS, factsIn: blocksWithFacts },
  ...KINDS.flatMap(([list, { rows }]) =>
    rows?.toLine === undefined ? [] : [{ rows, factsIn: (batch: BatchFacts) => batch[list] }],
  ),
]

/**
 * Writes the facts of one transaction. Rows of several batches are put together, because each COPY
 * costs a round trip however few its rows are. The ids of a batch must be resolved when it is added,
 * and its partitions be there when it is sent.
 */
export class FactWriter {
  readonly #ids: IdLookup
  readonly #tables = SOURCES.map((source) => ({ source, texts: [] as string[] }))
  #quarantine: QuarantineFact[] = []

  constructor(ids: IdLookup) {
    this.#ids = ids
  }

  add(batch: BatchFacts): void {
    for (const { source, texts } of this.#tables) {
      const { toLine } = source.rows
      let text = texts.pop() ?? ''
      for (const fact of source.factsIn(batch)) {
        if (text.length >= COPY_CHUNK_CHARS) {
          texts.push(text)
          text = ''
        }
        text += toLine?.(fact, this.#ids) ?? ''
      }
      if (text !== '') texts.push(text)
    }
    this.#quarantine.push(...quarantineOf(batch))
  }

  /**
   * Sends the tables that have this much text or more, and those that later batches of the transaction
   * select. No other statement may be sent meanwhile.
   */
  async send(tx: Sql, charsMin: number): Promise<void> {
    for (const table of this.#tables) {
      const { texts, source } = table
      const { rows } = source
      const chars = texts.reduce((sum, { length }) => sum + length, 0)
      if (chars < (rows.isSelectedInTransaction ? 1 : charsMin)) continue
      table.texts = []
      await copyLines(tx, rows.table, rows.columns, texts)
    }
  }

  async sendAll(tx: Sql): Promise<void> {
    await this.send(tx, 1)
    const quarantine = this.#quarantine
    this.#quarantine = []
    await insertQuarantine(tx, quarantine)
  }
}

/** Writes one batch. */
export async function writeFacts(tx: Sql, batch: BatchFacts, ids: IdLookup): Promise<void> {
  const writer = new FactWriter(ids)
  writer.add(batch)
  await writer.sendAll(tx)
}

/** The rows of a batch as `writeFacts` stores them, table by table; those of the quarantine are not among them. */
export function linesOf(batch: BatchFacts, ids: IdLookup): { rows: FactRows<unknown>; lines: string[] }[] {
  return SOURCES.map(({ rows, factsIn }) => ({
    rows,
    lines: factsIn(batch)
      .map((fact) => rows.toLine?.(fact, ids) ?? '')
      .filter((line) => line !== ''),
  }))
}

/** All that goes into the quarantine, of logs that cannot be stored as they are too. */
export const quarantineOf = ({ quarantine, rawLogs }: BatchFacts): QuarantineFact[] => [
  ...quarantine,
  ...quarantineUnstorable(rawLogs),
]

/**
 * Removes every fact from this block on, and the ids that these blocks named first. Comes before the
 * ledger is reverted, which deletes the journal. Returns how many rows of the quarantine went.
 */
export async function deleteFactsFrom(tx: Sql, fromBlock: number): Promise<number> {
  const fromSeq = fromBlock * LOGS_PER_BLOCK
  let quarantined = 0
  await deleteDigestsFrom(tx, fromBlock)
  await lockIds(tx)
  await deleteIdsFrom(tx, fromBlock, fromSeq)
  for (const { table, columns } of FACT_TABLES) {
    const [orderColumn] = columns
    const from = orderColumn === 'seq' ? fromSeq : fromBlock
    const { count } = await tx.unsafe(`delete from ${table} where ${orderColumn} >= $1`, [from])
    if (table === 'quarantine') quarantined = count
  }
  return quarantined
}

/** Removes the facts of these blocks, but no ids. Which entries the ledger refuses is decided when it is rebuilt. */
export async function deleteFacts(tx: Sql, { fromBlock, toBlock }: BlockRange): Promise<void> {
  for (const { table, columns } of FACT_TABLES) {
    const [orderColumn] = columns
    const range =
      orderColumn === 'seq' ? [fromBlock * LOGS_PER_BLOCK, endOfBlock(toBlock)] : [fromBlock, toBlock]
    const isFact = table === 'quarantine' ? "and reason <> 'out_of_range'" : ''
    await tx.unsafe(`delete from ${table} where ${orderColumn} between $1 and $2 ${isFact}`, range)
  }
}

/**
 * Only blocks with facts have a row: which others a batch names depends on where it ended and how far
 * the head was, and what is stored must not.
 */
function blocksWithFacts(batch: BatchFacts): BatchBlock[] {
  const numbers = new Set<number>()
  for (const [list, { rows }] of KINDS) {
    if (rows === undefined) continue
    let last = -1
    for (const fact of batch[list]) {
      const number = blockOfFact(fact)
      if (number !== last) numbers.add(number)
      last = number
    }
  }
  return batch.blocks.filter(({ number }) => numbers.has(number))
}

const blockOfFact = (fact: ChainFact): number => ('seq' in fact ? blockOf(fact.seq) : fact.block)
