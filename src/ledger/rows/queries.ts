import type { Sql } from '../../store/connection.js'
import { copyNumbers, type NumberColumn } from '../../store/copy-numbers.js'
import type { PnlCause, PnlRow } from '../books.js'
import type { LedgerRow, LedgerTable } from './tables.js'

/** The rows of these keys that exist, in no order. Index: the primary key, forced by `offset 0`. */
export function selectRows<Row extends LedgerRow>(
  sql: Sql,
  table: LedgerTable,
  keys: readonly (readonly number[])[],
): Promise<Row[]> {
  const { name, values, seqs = [] } = table
  const columns = values.map((value) => (seqs.includes(value) ? `${value}::float8` : value))
  const arrays = table.keys.map((_, index) => `$${index + 1}::text::integer[]`)
  return sql.unsafe<Row[]>(
    `select found.*
       from unnest(${arrays.join(', ')}) as wanted (${table.keys.join(', ')})
      cross join lateral (
        select ${[...table.keys, ...columns].join(', ')}
          from ${name}
         where ${table.keys.map((key) => `${name}.${key} = wanted.${key}`).join(' and ')}
        offset 0
      ) as found`,
    table.keys.map((_, index) => `{${keys.map((ids) => ids[index]).join(',')}}`),
  )
}

/** Changed rows of one table: all of them to insert (`isNew`), or all of them to update. */
export type RowChanges = { table: LedgerTable; isNew: boolean; rows: readonly LedgerRow[] }

/** A block near the head changes few rows of each table: then round trips take most of the time. */
const FEW_ROWS = 500

/** Few rows are written in one statement, many by binary COPY. Call `preferIndexes` before. */
export async function writeRows(tx: Sql, changes: readonly RowChanges[]): Promise<void> {
  const isFew = ({ rows }: RowChanges) => rows.length <= FEW_ROWS
  await Promise.all(changes.filter(isFew).map((change) => writeFew(tx, change)))
  for (const change of changes) if (!isFew(change)) await writeMany(tx, change)
}

/** All numbers of all rows are one array parameter. */
async function writeFew(tx: Sql, { table, isNew, rows }: RowChanges): Promise<void> {
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

async function writeMany(tx: Sql, { table, isNew, rows }: RowChanges): Promise<void> {
  const { name, columns } = table
  const values = valuesOf(table, rows)
  if (isNew) return copyNumbers(tx, name, columns, values)
  // No refresh has a temporary table of this name: with a pooler of connections it may get this session next.
  const changed = `written_${name}`
  await tx.unsafe(`create temp table if not exists ${changed} (like ${name}) on commit delete rows`)
  await copyNumbers(tx, changed, columns, values)
  await tx.unsafe(updateFrom(table, changed))
}

/** Yields the same array for every row: `copyNumbers` encodes each row before it takes the next. */
function* valuesOf(
  { columns }: LedgerTable,
  rows: readonly LedgerRow[],
): Generator<readonly (number | bigint)[]> {
  const fields = columns.map(({ field }) => field)
  const values = new Array<number | bigint>(fields.length)
  for (const row of rows) {
    for (let index = 0; index < fields.length; index++) values[index] = row[fields[index] ?? ''] ?? 0
    yield values
  }
}

const updateFrom = ({ name, keys, values }: LedgerTable, source: string): string => `
  update ${name}
     set ${values.map((value) => `${value} = changed.${value}`).join(', ')}
    from ${source} as changed
   where ${keys.map((key) => `${name}.${key} = changed.${key}::integer`).join(' and ')}`

export async function insertPnl(tx: Sql, rows: readonly PnlRow[]): Promise<void> {
  if (rows.length > 0) await copyNumbers(tx, 'pnl', PNL_COLUMNS, rows.map(toPnlValues))
}

const PNL_COLUMNS: readonly NumberColumn[] = [
  { name: 'seq', bytes: 8 },
  { name: 'amount', bytes: 8 },
  { name: 'wallet', bytes: 4 },
  { name: 'token', bytes: 4 },
  { name: 'sub', bytes: 2 },
  { name: 'cause', bytes: 2 },
]
/** Codes of the column `pnl.cause`. */
export const PNL_CAUSES: Record<PnlCause, number> = {
  sell: 0,
  merge: 1,
  redemption: 2,
  conversion: 3,
}

const toPnlValues = ({ seq, amount, wallet, token, sub, cause }: PnlRow) => [
  seq,
  amount,
  wallet,
  token,
  sub,
  PNL_CAUSES[cause],
]

/**
 * For the rest of the transaction. The planner does not know how few rows a batch touches: with its
 * own estimates it may scan whole tables for them.
 */
export async function preferIndexes(tx: Sql): Promise<void> {
  await tx.unsafe(`
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off;
    set local jit = off`)
}
