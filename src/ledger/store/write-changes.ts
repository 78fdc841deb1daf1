import { copyLines } from '../../chain/store/copy.js'
import type { Sql } from '../../store/connection.js'
import type { TableShape } from './state-table.js'

/** Rows of one table, all of them new to the database or none. */
export type Change = {
  table: TableShape
  isNew: boolean
  count: number
  /** As `StateTable.toLine` makes them. */
  lines: Iterable<string>
}

/** A block near the head changes few rows of each table: then the way there and back counts most. */
const FEW_ROWS = 500

/** Needs `preferIndexes` before it. */
export async function writeChanges(tx: Sql, changes: readonly Change[]): Promise<void> {
  const isFew = ({ count }: Change) => count <= FEW_ROWS
  await Promise.all(changes.filter(isFew).map((change) => writeFew(tx, change)))
  for (const change of changes) if (!isFew(change)) await writeMany(tx, change)
}

/** All numbers of all rows travel as one array. */
async function writeFew(tx: Sql, { table, isNew, lines }: Change): Promise<void> {
  const columns = columnsOf(table)
  const flat = [...lines].join('').trimEnd().replaceAll('\t', ',').replaceAll('\n', ',')
  const rows = `
    select ${columns.map((column, index) => `flat[start + ${index}] as ${column}`).join(', ')}
      from (select $1::text::bigint[] as flat offset 0) as given,
           generate_series(1, cardinality(flat), ${columns.length}) as start`
  const statement = isNew
    ? `insert into ${table.name} (${columns.join(', ')}) ${rows}`
    : updateFrom(table, `(${rows} offset 0)`)
  await tx.unsafe(statement, [`{${flat}}`], { prepare: true })
}

async function writeMany(tx: Sql, { table, isNew, lines }: Change): Promise<void> {
  const { name } = table
  if (isNew) return copyLines(tx, name, columnsOf(table), lines)
  const changed = `changed_${name}`
  await tx.unsafe(`create temp table if not exists ${changed} (like ${name}) on commit delete rows`)
  await copyLines(tx, changed, columnsOf(table), lines)
  await tx.unsafe(updateFrom(table, changed))
}

const columnsOf = ({ keys, values }: TableShape): string[] => [...keys, ...values]

const updateFrom = ({ name, keys, values }: TableShape, source: string): string => `
  update ${name}
     set ${values.map((value) => `${value} = changed.${value}`).join(', ')}
    from ${source} as changed
   where ${keys.map((key) => `${name}.${key} = changed.${key}::integer`).join(' and ')}`
