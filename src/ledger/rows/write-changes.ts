import type { Sql } from '../../store/connection.js'
import { copyNumbers } from '../../store/copy-numbers.js'
import type { StateRow, TableShape } from './state-table.js'

/** Rows of one table, all of them new to the database or none. */
export type Change = { table: TableShape; isNew: boolean; rows: readonly StateRow[] }

/** A block near the head changes few rows of each table: then the way there and back counts most. */
const FEW_ROWS = 500

/** Needs `preferIndexes` before it. */
export async function writeChanges(tx: Sql, changes: readonly Change[]): Promise<void> {
  const isFew = ({ rows }: Change) => rows.length <= FEW_ROWS
  await Promise.all(changes.filter(isFew).map((change) => writeFew(tx, change)))
  for (const change of changes) if (!isFew(change)) await writeMany(tx, change)
}

/** All numbers of all rows travel as one array. */
async function writeFew(tx: Sql, { table, isNew, rows }: Change): Promise<void> {
  const { columns } = table
  const flat = rows.flatMap((row) => columns.map(({ field }) => row[field]))
  const items = columns.map(({ name }, index) => `flat[start + ${index}] as ${name}`)
  const source = `
    select ${items.join(', ')}
      from (select $1::text::bigint[] as flat offset 0) as given,
           generate_series(1, cardinality(flat), ${columns.length}) as start`
  const statement = isNew
    ? `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')}) ${source}`
    : updateFrom(table, `(${source} offset 0)`)
  await tx.unsafe(statement, [`{${flat.join()}}`], { prepare: true })
}

async function writeMany(tx: Sql, { table, isNew, rows }: Change): Promise<void> {
  const { name, columns } = table
  const values = valuesOf(
    rows,
    columns.map(({ field }) => field),
  )
  if (isNew) return copyNumbers(tx, name, columns, values)
  const changed = `changed_${name}`
  await tx.unsafe(`create temp table if not exists ${changed} (like ${name}) on commit delete rows`)
  await copyNumbers(tx, changed, columns, values)
  await tx.unsafe(updateFrom(table, changed))
}

/** One array for all rows: each is written before the next one comes. */
function* valuesOf(
  rows: readonly StateRow[],
  fields: readonly string[],
): Generator<readonly (number | bigint)[]> {
  const values = new Array<number | bigint>(fields.length)
  for (const row of rows) {
    for (let index = 0; index < fields.length; index++)
      values[index] = row[fields[index] ?? ''] ?? 0
    yield values
  }
}

const updateFrom = ({ name, keys, values }: TableShape, source: string): string => `
  update ${name}
     set ${values.map((value) => `${value} = changed.${value}`).join(', ')}
    from ${source} as changed
   where ${keys.map((key) => `${name}.${key} = changed.${key}::integer`).join(' and ')}`
