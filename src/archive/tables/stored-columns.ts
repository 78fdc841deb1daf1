import { ID_COLUMNS } from '../../chain/facts/fact-kind.js'
import type { Sql } from '../../store/connection.js'
import type { ArchiveType } from '../parquet/column-types.js'
import type { SqlColumn } from './archive-table.js'
import { idColumns, idListColumns, joinOf } from './id-columns.js'

/** A column of a table of the database. `type`: as PostgreSQL names it, `integer[]`. */
export type StoredColumn = { table: string; name: string; type: string; isNullable: boolean }

/** The columns of a file that a stored column becomes; a restore makes the stored column from them again. */
export type ShownColumn = {
  stored: StoredColumn
  columns: readonly SqlColumn[]
  /** What has to be joined for it; '': nothing. */
  join: string
}

export function selectStoredColumns(sql: Sql, tables: readonly string[]): Promise<StoredColumn[]> {
  return sql<StoredColumn[]>`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
           not a.attnotnull as is_nullable
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace
       and c.relname = any(${[...tables]}::text[])
     order by c.relname, a.attnum`
}

/** Whole numbers of eight bytes that are a `seq`, a time or a count; all others are millionths. */
const NUMBERS = new Set(['seq', 'request_time', 'expiration', 'stated_in', 'since', 'first_seq', 'last_seq'])
/** Columns of 32 bytes; other bytes have lengths of their own. */
const HASHES = new Set(['hash', 'tx_hash', 'order_hash', 'metadata', 'market', 'question'])

const PLAIN: Readonly<Record<string, ArchiveType>> = {
  integer: 'integer',
  smallint: 'integer',
  boolean: 'boolean',
  text: 'text',
  // Numbers of 256 bits, as the chain has them.
  numeric: 'text',
}

/** `alias`: of the table in the statement. */
export function showColumn(stored: StoredColumn, alias: string): ShownColumn {
  const { name, type, isNullable } = stored
  const sql = `${alias}.${name}`
  const show = (...columns: SqlColumn[]): ShownColumn => ({ stored, columns, join: '' })
  const ids = ID_COLUMNS[name]
  if (ids !== undefined && type === 'integer') {
    return { stored, columns: idColumns(name, sql, ids, isNullable), join: joinOf(name, sql, ids) }
  }
  if (ids !== undefined && type === 'integer[]') return show(...idListColumns(name, sql, ids, isNullable))
  const item = type.replace('[]', '')
  const isList = item !== type
  const column = { name, sql, isList, isNullable }
  if (item === 'bigint') return show({ ...column, type: NUMBERS.has(name) ? 'bigint' : 'money' })
  if (item === 'bytea') return show({ ...column, type: !isList && HASHES.has(name) ? 'bytes32' : 'bytes' })
  const plain = PLAIN[item]
  if (plain === undefined) throw new Error(`the archive knows no columns of type ${type}`)
  return show({ ...column, type: plain })
}
