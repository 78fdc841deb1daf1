import { FACT_TABLES } from '../../chain/facts/registry.js'
import { FILL_FLAGS, SPLIT_FLAGS } from '../../core/fact-flags.js'
import {
  type ArchiveTable,
  moneyOf,
  type SqlColumn,
  type SqlTable,
  sqlTable,
  timeOfSec,
} from './archive-table.js'
import { type ShownColumn, type StoredColumn, showColumn } from './stored-columns.js'

/** Rows of a table of facts under a name of their own. */
type FactFiles = { name: string; table: string; where?: string | undefined }

/** What the ledger refuses is decided again when it is built, so the archive leaves it out. */
const FILTERS: Readonly<Record<string, string>> = { quarantine: "f.reason <> 'out_of_range'" }

/** Splits and merges are one table of the database and two of the archive. */
export const FACT_FILES: readonly FactFiles[] = FACT_TABLES.flatMap(({ table }): FactFiles[] =>
  table === 'splits'
    ? [
        { name: 'splits', table, where: `f.flags & ${SPLIT_FLAGS.merge} = 0` },
        { name: 'merges', table, where: `f.flags & ${SPLIT_FLAGS.merge} <> 0` },
      ]
    : [{ name: table, table, where: FILTERS[table] }],
)

/** Columns that say in words what flags and numbers mean, for readers who have no list of our flags. */
const IN_WORDS: Readonly<Record<string, readonly SqlColumn[]>> = {
  fills: [
    {
      name: 'side',
      type: 'text',
      sql: `case when f.flags & ${FILL_FLAGS.sell} = 0 then 'BUY' else 'SELL' end`,
    },
    {
      name: 'role',
      type: 'text',
      sql: `case when f.flags & ${FILL_FLAGS.taker} = 0 then 'maker' else 'taker' end`,
    },
    moneyOf(
      'price',
      '(case when f.shares = 0 then 0 else div(2000000::numeric * f.usd + f.shares, 2 * f.shares) end)',
    ),
    { name: 'is_combo', type: 'boolean', sql: `f.flags & ${FILL_FLAGS.combo} <> 0` },
    { name: 'is_neg_risk', type: 'boolean', sql: `f.flags & ${FILL_FLAGS.negRisk} <> 0` },
    { name: 'is_fee_in_shares', type: 'boolean', sql: `f.flags & ${FILL_FLAGS.feeInShares} <> 0` },
  ],
  splits: [{ name: 'is_by_wallet', type: 'boolean', sql: `f.flags & ${SPLIT_FLAGS.user} <> 0` }],
  merges: [{ name: 'is_by_wallet', type: 'boolean', sql: `f.flags & ${SPLIT_FLAGS.user} <> 0` }],
  fees: [
    {
      name: 'kind_name',
      type: 'text',
      sql: "(array['charged', 'refunded', 'withdrawn'])[f.kind + 1]",
    },
  ],
}

/** Every table of facts: a new kind of fact is archived from its first day on. */
export const factTables = (stored: readonly StoredColumn[]): ArchiveTable[] =>
  FACT_FILES.map((files) => sqlTable(defineFacts(files, shownFacts(stored, files.table))))

/** The columns of the database in the order in which the kind of fact names them. */
export function shownFacts(stored: readonly StoredColumn[], table: string): ShownColumn[] {
  const columns = FACT_TABLES.find((facts) => facts.table === table)?.columns ?? []
  return columns.map((name) => {
    const column = stored.find((each) => each.table === table && each.name === name)
    if (column === undefined) throw new Error(`the database has no column ${table}.${name}`)
    // The table of the blocks has the time itself.
    if (table === 'blocks' && name === 'time')
      return { stored: column, columns: [timeOfSec('time', 'f.time')], join: '' }
    return showColumn(column, 'f')
  })
}

function defineFacts({ name, table, where }: FactFiles, shown: readonly ShownColumn[]): SqlTable {
  const [orderColumn] = shown
  const isBySeq = orderColumn?.stored.name === 'seq'
  const column = `f.${orderColumn?.stored.name}`
  const joins = shown.map(({ join }) => join).filter((join) => join !== '')
  const time = table === 'blocks' ? [] : [{ ...timeOfSec('time', 'b.time'), isNullable: true }]
  const block = isBySeq
    ? [{ name: 'block', type: 'integer' as const, sql: `(${column} >> 20)::integer` }]
    : []
  const timed =
    table === 'blocks' ? '' : `left join blocks b on b.number = ${isBySeq ? `${column} >> 20` : column}`
  const others = shown.slice(1).map(({ stored }) => `f.${stored.name}`)
  const order = isBySeq && table !== 'transfers' && table !== 'quarantine' ? [] : others.slice(0, 6)
  return {
    name,
    follows: 'facts',
    columns: [...shown.flatMap(({ columns }) => columns), ...block, ...time, ...(IN_WORDS[name] ?? [])],
    from: `${table} f ${timed} ${joins.join(' ')}
      where ${column} between $1 and $2 ${where === undefined ? '' : `and ${where}`}
      order by ${[column, ...order].join(', ')}`,
    parameters: ({ fromSeq, toSeq, fromBlock, toBlock }) =>
      isBySeq ? [fromSeq, toSeq] : [fromBlock, toBlock],
  }
}
