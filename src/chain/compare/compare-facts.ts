import { endOfBlock, seqOf } from '../../core/seq.js'
import { groupBy } from '../../lib/group-by.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { NULL } from '../../store/copy.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { ID_COLUMNS, type IdLookup } from '../facts/fact-kind.js'
import { toStoredText } from '../facts/quarantine.js'
import { type BatchFacts, FACT_TABLES } from '../facts/registry.js'
import { byIdTable, type IdTable, selectNames } from '../ids/queries.js'
import { linesOf, quarantineOf } from '../write/fact-writer.js'

/** Columns of a row as text, in the order of its table; null: no value. */
type Cells = readonly (string | null)[]
type NameOf = (table: IdTable, id: number) => string

/** A row of a table of facts. `named` has the columns by name, with natural ids instead of numbers. */
export type FactRow = { cells: Cells; named: Readonly<Record<string, string | null>> }

/** A stored row, and the row with the same key that follows from the node's logs; one of them may be missing. */
export type FactPair = {
  table: string
  columns: readonly string[]
  stored: FactRow | undefined
  fromNode: FactRow | undefined
}

/** Every row that is stored of these blocks beside every row that the facts of the node give. */
export async function compareFacts(sql: Sql, facts: BatchFacts, range: BlockRange): Promise<FactPair[]> {
  const fromNode = toNodeRows(facts)
  const stored = await selectStoredRows(sql, range)
  return FACT_TABLES.flatMap(({ table, columns }) => {
    const keys = KEYS[table] ?? columns.slice(0, 1)
    const keyOf = ({ named }: FactRow) => keys.map((key) => named[key]).join()
    const open = new Map<string, FactRow>()
    // Of two logs with one key, the quarantine stores the first.
    for (const row of fromNode.get(table) ?? []) if (!open.has(keyOf(row))) open.set(keyOf(row), row)
    const pairs = (stored.get(table) ?? []).map((row): FactPair => {
      const key = keyOf(row)
      const match = open.get(key)
      open.delete(key)
      return { table, columns, stored: row, fromNode: match }
    })
    for (const row of open.values()) pairs.push({ table, columns, stored: undefined, fromNode: row })
    return pairs
  })
}

export const isSameFact = ({ columns, stored, fromNode }: FactPair): boolean =>
  stored !== undefined &&
  fromNode !== undefined &&
  columns.every((column) => stored.named[column] === fromNode.named[column])

/** How often stored rows have an id where the node gives a name. */
export type IdVote = { name: string; id: number; count: number }

/** The most frequent come first. */
export function countIdVotes(pairs: readonly FactPair[]): Record<IdTable, IdVote[]> {
  const votes = byIdTable(() => new Map<string, IdVote>())
  for (const { columns, stored, fromNode } of pairs) {
    if (stored === undefined || fromNode === undefined) continue
    for (const [index, column] of columns.entries()) {
      const table = ID_COLUMNS[column]
      const ids = idsIn(stored.cells[index] ?? null)
      const names = fromNode.named[column]?.split(',')
      if (table === undefined || names?.length !== ids.length) continue
      for (const [position, id] of ids.entries()) {
        const name = names[position] ?? ''
        const vote = votes[table].get(`${name} ${id}`) ?? { name, id, count: 0 }
        vote.count++
        votes[table].set(`${name} ${id}`, vote)
      }
    }
  }
  return byIdTable((table) => [...votes[table].values()].sort((a, b) => b.count - a.count))
}

/** Columns that tell the rows of a table apart, where it is not the first one alone. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  transfers: ['seq', 'sub'],
  supply_changes: ['block', 'token'],
  quarantine: ['seq', 'reason'],
}

/** The rows that the facts would be stored as, by table. */
function toNodeRows(facts: BatchFacts): Map<string, FactRow[]> {
  const ids = new LocalIds()
  const tables = new Map<string, FactRow[]>()
  for (const { rows, lines } of linesOf(facts, ids)) {
    const cells = lines.map((line) => line.slice(0, -1).split('\t').map(fromCopyText))
    tables.set(
      rows.table,
      cells.map((each) => toFactRow(rows.columns, each, ids.name)),
    )
  }
  const quarantine = quarantineOf(facts).map((log) => ({
    cells: [],
    named: {
      seq: String(log.seq),
      reason: log.reason,
      detail: toStoredText(log.detail),
      contract: toByteText(log.contract),
      topics: toStoredText(log.topics.join()),
      data: toStoredText(log.data),
      tx_hash: toByteText(log.txHash),
    },
  }))
  return tables.set('quarantine', quarantine)
}

/** By table. Without entries that the ledger refused: that is decided when it is rebuilt. */
async function selectStoredRows(sql: Sql, range: BlockRange): Promise<Map<string, FactRow[]>> {
  const selects = FACT_TABLES.map(({ table, columns }) => selectCells(sql, table, columns, range))
  const rows = await sql<{ fact: string; cells: Cells }[]>`${joinFragments(sql, selects, sql`union all`)}`
  const byTable = groupBy(rows, ({ fact }) => fact)
  const stored = FACT_TABLES.map(({ table, columns }) => {
    const cells = (byTable.get(table) ?? []).map((row) => row.cells)
    return { table, columns, cells }
  })
  const ids = byIdTable(() => new Set<number>())
  for (const { columns, cells } of stored) {
    for (const [index, column] of columns.entries()) {
      const table = ID_COLUMNS[column]
      if (table === undefined) continue
      for (const row of cells) for (const id of idsIn(row[index] ?? null)) ids[table].add(id)
    }
  }
  const nameOf = await selectNames(sql, ids)
  return new Map(
    stored.map(({ table, columns, cells }) => [table, cells.map((row) => toFactRow(columns, row, nameOf))]),
  )
}

/** A split without tokens is of the set of its condition. */
const WHOLE_SET = `coalesce(facts.tokens, array(
  select id from tokens as own
   where own.condition = facts.condition and outcome is not null order by outcome))`

function selectCells(
  sql: Sql,
  table: string,
  columns: readonly string[],
  { fromBlock, toBlock }: BlockRange,
): Fragment {
  const [orderColumn = ''] = columns
  const [from, to] = orderColumn === 'seq' ? [seqOf(fromBlock, 0), endOfBlock(toBlock)] : [fromBlock, toBlock]
  const texts = columns.map((column) =>
    table === 'splits' && column === 'tokens' ? `${WHOLE_SET}::text` : `facts.${column}::text`,
  )
  const isFact = table === 'quarantine' ? sql`and reason <> 'out_of_range'` : sql``
  return sql`
    (select ${sql.unsafe(`'${table}' as fact, array[${texts.join(', ')}] as cells`)}
       from ${sql(table)} as facts
      where ${sql(orderColumn)} between ${from} and ${to} ${isFact}
      order by ${sql(orderColumn)})`
}

/** Numbers natural ids, so that rows can be made before any of them is known to the database. */
class LocalIds implements IdLookup {
  readonly #names = byIdTable((): string[] => [])

  wallet = (name: string) => this.#idOf('wallets', name)
  token = (name: string) => this.#idOf('tokens', name)
  condition = (name: string) => this.#idOf('conditions', name)
  builder = (name: string) => this.#idOf('builders', name)

  /** Always empty, so that the row of each split lists its tokens. */
  tokensOf = () => []

  name = (table: IdTable, id: number): string => this.#names[table][id] ?? ''

  #idOf(table: IdTable, name: string): number {
    return this.#names[table].push(name) - 1
  }
}

function toFactRow(columns: readonly string[], cells: Cells, nameOf: NameOf): FactRow {
  const named: Record<string, string | null> = {}
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? null
    const table = ID_COLUMNS[column]
    named[column] =
      table === undefined || cell === null || isBytes(cell) ? cell : toNames(cell, table, nameOf)
  }
  return { cells, named }
}

const toNames = (cell: string, table: IdTable, nameOf: NameOf): string =>
  idsIn(cell)
    .map((id) => nameOf(table, id))
    .join()

/** The quarantine has the address of a contract itself. */
const isBytes = (cell: string): boolean => cell.startsWith('\\x')

/** An id, or a list of them. */
const idsIn = (cell: string | null): number[] =>
  cell === null || isBytes(cell) ? [] : (cell.match(/\d+/g) ?? []).map(Number)

/** A column in the text format of COPY, which our texts escape by backslashes. */
const fromCopyText = (text: string): string | null =>
  text === NULL
    ? null
    : Buffer.from(
        text.replace(/\\(.)/g, (_, char: string) => CHARS[char] ?? char),
        'latin1',
      ).toString()

const CHARS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const toByteText = (hex: string): string => `\\x${hex.slice(2)}`
