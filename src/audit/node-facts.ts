import { attributeBatch } from '../chain/attribute/attribute-batch.js'
import { ID_COLUMNS, type IdLookup } from '../chain/facts/fact-kind.js'
import { toStoredText } from '../chain/facts/quarantine.js'
import { type BatchFacts, FACT_TABLES } from '../chain/facts/registry.js'
import { toBatchBlock } from '../chain/follow/headers.js'
import type { ReadBlock } from '../chain/follow/read-blocks.js'
import type { IdTable } from '../chain/ids/queries.js'
import { linesOf, quarantineOf } from '../chain/write/fact-writer.js'
import { toTokenId } from '../core/ids.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { groupBy } from '../lib/group-by.js'
import type { Sql } from '../store/connection.js'
import { NULL } from '../store/copy.js'
import { describeChanges } from './compare.js'
import type { Difference } from './finding.js'
import { selectNames } from './names.js'

/** A row of a table of facts as text by column, with natural ids; null: no value. */
type FactCells = Record<string, string | null>

/** Rows by table. */
export type FactTables = ReadonlyMap<string, readonly FactCells[]>

/** What the database should have of a block, by what the node says of it. */
export const attributeBlock = ({ head, logs, refused }: ReadBlock, pools: ReadonlySet<string>): BatchFacts =>
  attributeBatch({ logs, refused, blocks: [toBatchBlock(head)], pools })

/** Every row that the facts of a block give. */
export function toFactTables(facts: BatchFacts): FactTables {
  const ids = new LocalIds()
  const tables = new Map<string, readonly FactCells[]>()
  for (const { rows, lines } of linesOf(facts, ids)) {
    const cells = lines.map((line) => line.slice(0, -1).split('\t').map(fromCopyText))
    tables.set(
      rows.table,
      cells.map((values) => toNamed(rows.columns, values, (table, id) => ids.name(table, id))),
    )
  }
  const quarantine = quarantineOf(facts).map((log) => ({
    seq: String(log.seq),
    reason: log.reason,
    detail: toStoredText(log.detail),
    contract: toByteText(log.contract),
    topics: toStoredText(log.topics.join()),
    data: toStoredText(log.data),
    tx_hash: toByteText(log.txHash),
  }))
  return tables.set('quarantine', quarantine)
}

/** Every row that is stored of these blocks, by block. */
export async function selectFactTables(
  sql: Sql,
  blocks: readonly number[],
): Promise<Map<number, FactTables>> {
  const stored = await Promise.all(
    FACT_TABLES.map(async ({ table, columns }) => {
      const rows = await selectCells(sql, table, columns, blocks)
      return { table, columns, rows }
    }),
  )
  const ids = new Map<IdTable, Set<number>>()
  for (const { columns, rows } of stored) {
    for (const [index, column] of columns.entries()) {
      const table = ID_COLUMNS[column]
      if (table === undefined) continue
      const wanted = ids.get(table) ?? new Set()
      ids.set(table, wanted)
      for (const cells of rows) for (const id of idsIn(cells[index] ?? null)) wanted.add(id)
    }
  }
  const names = await selectNames(sql, ids)
  const tables = new Map<number, Map<string, FactCells[]>>()
  for (const { table, columns, rows } of stored) {
    const [place = ''] = columns
    const named = rows.map((cells) => toNamed(columns, cells, names))
    for (const [block, ofBlock] of groupBy(named, (row) => blockOfRow(place, row))) {
      const known = tables.get(block) ?? new Map<string, FactCells[]>()
      tables.set(block, known.set(table, ofBlock))
    }
  }
  return tables
}

const blockOfRow = (place: string, row: FactCells): number =>
  place === 'seq' ? blockOf(Number(row.seq)) : Number(row[place])

/** A split without tokens is of the set of its condition. */
const WHOLE_SET = `coalesce(facts.tokens, array(
  select id from tokens as own
   where own.condition = facts.condition and outcome is not null order by outcome))`

async function selectCells(
  sql: Sql,
  table: string,
  columns: readonly string[],
  blocks: readonly number[],
): Promise<(string | null)[][]> {
  const [place = ''] = columns
  const texts = columns.map((column) =>
    table === 'splits' && column === 'tokens' ? `${WHOLE_SET}::text` : `facts.${column}::text`,
  )
  const isOfBlock =
    place === 'seq'
      ? sql`seq between number_wanted::bigint << 20 and (number_wanted::bigint + 1 << 20) - 1`
      : sql`${sql(place)} = number_wanted`
  // Neither can be read again: the ledger refused the first, and an earlier answer of the node had the second.
  const isOfNode = table === 'quarantine' ? sql`and reason <> all(${NOT_OF_NODE})` : sql``
  const rows = await sql<{ cells: (string | null)[] }[]>`
    select array[${sql.unsafe(texts.join(', '))}] as cells
      from unnest(${blocks}::integer[]) as number_wanted
     cross join lateral (select * from ${sql(table)} where ${isOfBlock} ${isOfNode}) as facts`
  return rows.map(({ cells }) => cells)
}

const NOT_OF_NODE = ['out_of_range', 'not_in_receipts']

/** Columns that tell the rows of a table apart, where it is not the place alone. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  transfers: ['seq', 'sub'],
  supply_changes: ['block', 'token'],
  quarantine: ['seq', 'reason'],
}

/** `txOf` has the transaction of a log by what the node says. */
export function compareFacts(
  stored: FactTables,
  given: FactTables,
  txOf: (seq: number) => string | undefined,
): Difference[] {
  const differences: Difference[] = []
  for (const { table, columns } of FACT_TABLES) {
    const [place = ''] = columns
    const keys = KEYS[table] ?? [place]
    const keyOf = (row: FactCells) => keys.map((key) => row[key]).join()
    const open = new Map<string, FactCells>()
    // Of two logs with one key, the quarantine stores the first.
    for (const row of given.get(table) ?? []) if (!open.has(keyOf(row))) open.set(keyOf(row), row)
    const add = (row: FactCells, what: string) =>
      differences.push({ keys: placeOfRow(table, place, row, txOf), what })
    for (const row of stored.get(table) ?? []) {
      const twin = open.get(keyOf(row))
      open.delete(keyOf(row))
      const what = twin === undefined ? SURPLUS : describeChanges(columns, row, twin, 'the node gives')
      if (what !== '') add(row, what)
    }
    for (const row of open.values()) add(row, MISSING)
  }
  return differences
}

const SURPLUS = 'is stored, and the node does not give it'
const MISSING = 'is not stored, and the node gives it'

function placeOfRow(
  table: string,
  place: string,
  row: FactCells,
  txOf: (seq: number) => string | undefined,
): Difference['keys'] {
  const at = Number(row[place])
  if (place !== 'seq') {
    const token = row.token ?? ''
    return { block: at, row: `of ${table}`, ...(token === '' ? {} : { token }) }
  }
  const stored = row.tx_hash == null ? '' : `0x${row.tx_hash.slice(2)}`
  return {
    block: blockOf(at),
    transaction: txOf(at) ?? stored,
    log: logIndexOf(at),
    row: `of ${table}`,
  }
}

/** Numbers natural ids, so that rows can be written before any of them is known to the database. */
class LocalIds implements IdLookup {
  readonly #names: Record<IdTable, string[]> = {
    wallets: [],
    tokens: [],
    conditions: [],
    builders: [],
  }

  wallet = (name: string) => this.#idOf('wallets', name)
  token = (name: string) => this.#idOf('tokens', name)
  condition = (name: string) => this.#idOf('conditions', name)
  builder = (name: string) => this.#idOf('builders', name)

  /** Of no condition, so that each split has its tokens in its row. */
  tokensOf = () => []

  name(table: IdTable, id: number): string {
    const name = this.#names[table][id] ?? ''
    return table === 'tokens' ? toTokenId(name) : name
  }

  #idOf(table: IdTable, name: string): number {
    return this.#names[table].push(name) - 1
  }
}

function toNamed(
  columns: readonly string[],
  cells: readonly (string | null)[],
  nameOf: (table: IdTable, id: number) => string,
): FactCells {
  return Object.fromEntries(
    columns.map((column, index) => {
      const cell = cells[index] ?? null
      const table = ID_COLUMNS[column]
      if (table === undefined || cell === null || isBytes(cell)) return [column, cell]
      return [
        column,
        idsIn(cell)
          .map((id) => nameOf(table, id))
          .join(),
      ]
    }),
  )
}

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
