import type { Sql } from '../../store/connection.js'
import { FACT_TABLES } from '../facts/registry.js'

type Column = { table: string; column: string; type: string; isKey: boolean }

/** Every column of the tables of facts. */
const selectColumns = (sql: Sql): Promise<Column[]> => sql<Column[]>`
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
         a.attnum = any(i.indkey::int2[]) as is_key
    from pg_class c
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
   where c.relnamespace = 'public'::regnamespace
     and c.relname = any(${FACT_TABLES.map(({ table }) => table)}::text[])
   order by c.relname, a.attnum`

/** Another value of the type. */
const OTHERS: Record<string, (column: string) => string> = {
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  smallint: (column) => `(coalesce(${column}, 0) + 1)::smallint`,
  numeric: (column) => `coalesce(${column}, 0) + 1`,
  boolean: (column) => `not ${column}`,
  text: (column) => `${column} || 'x'`,
  bytea: (column) => `coalesce(${column}, '\\x') || '\\x01'`,
  'integer[]': (column) => `coalesce(${column}, '{}') || 1`,
  'bigint[]': (column) => `coalesce(${column}, '{}') || 1::bigint`,
  'numeric[]': (column) => `coalesce(${column}, '{}') || 1::numeric`,
  'bytea[]': (column) => `coalesce(${column}, '{}') || '\\x01'::bytea`,
}

/**
 * Changes one row of each table of facts in each column, deletes one, and adds one, everywhere on the
 * way. Returns the names of the columns that have changed.
 */
export async function corruptFacts(sql: Sql): Promise<string[]> {
  const columns = await selectColumns(sql)
  const changed: string[] = []
  for (const { table, columns: names } of FACT_TABLES) {
    const [orderColumn = ''] = names
    const others = columns.filter((each) => each.table === table && !each.isKey)
    const [size] = await sql.unsafe<{ rows: number }[]>(`select count(*)::integer as rows from ${table}`)
    const rows = size?.rows ?? 0
    if (rows > 2) await sql.unsafe(`delete from ${table} where ${rowAt(table, orderColumn, rows >> 1)}`)
    for (const [index, { column, type }] of others.entries()) {
      const other = OTHERS[type]
      if (other === undefined) throw new Error(`no other value of type ${type}`)
      const row = Math.floor((rows * (index + 1)) / (others.length + 2))
      const { count } = await sql.unsafe(
        `update ${table} set ${column} = ${other(column)} where ${rowAt(table, orderColumn, row)}`,
      )
      if (count > 0) changed.push(`${table}.${column}`)
    }
    if (rows === 0) continue
    // In a block that has other facts, or in one that has none.
    const moved = columns
      .filter((each) => each.table === table)
      .map(({ column }) => (column === orderColumn ? `${column} + 1` : column))
    await sql.unsafe(
      `insert into ${table} select ${moved.join(', ')} from ${table}
        where ${rowAt(table, orderColumn, rows >> 2)} on conflict do nothing`,
    )
  }
  return changed
}

const rowAt = (table: string, orderColumn: string, offset: number): string =>
  `${orderColumn} = (select ${orderColumn} from ${table} order by ${orderColumn} offset ${offset} limit 1)`
