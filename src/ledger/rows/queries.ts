import type { Sql } from '../../store/connection.js'
import { copyNumbers, type NumberColumn } from '../../store/copy-numbers.js'
import type { PnlCause, PnlRow } from '../books.js'
import type { StateRow, TableShape } from './state-table.js'

/** The rows of these keys that exist, in no order. Index: the primary key, whatever the planner thinks. */
export function selectRows<Row extends StateRow>(
  sql: Sql,
  table: TableShape,
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
export const CAUSES: Record<PnlCause, number> = { sell: 0, merge: 1, redemption: 2, conversion: 3 }

const toPnlValues = ({ seq, amount, wallet, token, sub, cause }: PnlRow) => [
  ...[seq, amount, wallet, token, sub],
  CAUSES[cause],
]

/**
 * For the rest of the transaction. The planner cannot know how few rows a batch touches: left alone
 * it may read whole tables for them.
 */
export async function preferIndexes(tx: Sql): Promise<void> {
  await tx.unsafe(`
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off;
    set local jit = off`)
}
