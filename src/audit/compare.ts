import type { Fragment, Sql } from '../store/connection.js'
import { EXAMPLES_MAX, type Tally } from './finding.js'

/** A table whose key columns are integers. */
export type ComparedTable = { name: string; keys: readonly string[]; values: readonly string[] }

type Row = Record<string, number | string | null> & { rows: number; differences: number }

/**
 * Compares the stored rows of a table with those that a query derives from facts, which has the same
 * columns. `only` is a condition on the stored rows.
 */
export async function compareTable(
  sql: Sql,
  table: ComparedTable,
  { only, derived }: { only: Fragment; derived: Fragment },
  tally: Tally,
): Promise<void> {
  const { name, keys, values } = table
  const each = (text: (column: string) => string, columns: readonly string[]) =>
    sql.unsafe(columns.map(text).join(', '))
  const isSame = keys.map((key) => `stored.${key} = derived.${key}`).join(' and ')
  const rows = await sql<Row[]>`
    with stored as (select * from ${sql(name)} where ${only}),
         derived as (${derived}),
         compared as materialized (
           select ${each((key) => `coalesce(stored.${key}, derived.${key}) as ${key}`, keys)},
                  ${each((value) => `stored.${value}::text as stored_${value}`, values)},
                  ${each((value) => `derived.${value}::text as derived_${value}`, values)},
                  row(${each((value) => `stored.${value}`, values)})
                    is distinct from row(${each((value) => `derived.${value}`, values)}) as differs
             from stored
             full join derived on ${sql.unsafe(isSame)}
         ),
         counts as (
           select count(*)::integer as rows, (count(*) filter (where differs))::integer as differences
             from compared
         )
    select *
      from counts
      left join (select * from compared where differs order by ${each((key) => key, keys)}
                  limit ${EXAMPLES_MAX}) as examples on true`
  const [{ rows: compared, differences } = { rows: 0, differences: 0 }] = rows
  tally.rows += compared
  for (const [index, row] of rows.entries()) {
    if (differences === 0) return
    const ids = Object.fromEntries(keys.map((key) => [key, Number(row[key])]))
    const isLast = index === rows.length - 1
    const what = describeRow(values, row)
    tally.add({ keys: ids, what }, isLast ? differences - index : 1)
  }
}

/** The driver turns the names of columns into camel case. */
function describeRow(values: readonly string[], row: Row): string {
  const cellsOf = (side: string): Cells =>
    Object.fromEntries(values.map((value) => [value, row[toCamel(`${side}_${value}`)] ?? null]))
  const stored = cellsOf('stored')
  const derived = cellsOf('derived')
  if (values.every((value) => derived[value] === null)) return SURPLUS
  if (values.every((value) => stored[value] === null)) return MISSING
  return describeChanges(values, stored, derived, 'the facts give')
}

const toCamel = (column: string): string =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The columns that identify rows, and those that are compared. */
export type Comparison<Row> = {
  keys: readonly (keyof Row & string)[]
  values: readonly (keyof Row & string)[]
}

type Cells = Record<string, number | bigint | string | null>

/** Both must have the same rows with the same values: each difference of a row counts once. */
export function compareRows<Row extends Cells>(
  { keys, values }: Comparison<Row>,
  stored: Iterable<Row>,
  derived: Iterable<Row>,
  tally: Tally,
): void {
  const keyOf = (row: Row) => keys.map((key) => row[key]).join()
  const idsOf = (row: Row) => Object.fromEntries(keys.map((key) => [key, Number(row[key])]))
  const open = new Map<string, Row>()
  for (const row of derived) open.set(keyOf(row), row)
  for (const row of stored) {
    const key = keyOf(row)
    const match = open.get(key)
    open.delete(key)
    tally.rows++
    const what = match === undefined ? SURPLUS : describeChanges(values, row, match, 'the facts give')
    if (what !== '') tally.add({ keys: idsOf(row), what })
  }
  for (const row of open.values()) tally.add({ keys: idsOf(row), what: MISSING })
}

const SURPLUS = 'is stored, and no fact accounts for it'
const MISSING = 'is not stored, and the facts say that there is one'

/** Empty: there is none. `source` says where the other values come from: `the facts give`. */
export function describeChanges(
  values: readonly string[],
  stored: Cells,
  derived: Cells,
  source: string,
): string {
  return values
    .filter((value) => stored[value] !== derived[value])
    .map((value) => `${value} is stored as ${stored[value]}, and ${source} ${derived[value]}`)
    .join('; ')
}
