import { copyLines } from '../../chain/store/copy.js'
import type { Sql } from '../../store/connection.js'
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
  if (rows.length > 0) await copyLines(tx, 'pnl', PNL_COLUMNS, rows.map(toPnlLine))
}

const PNL_COLUMNS = ['seq', 'amount', 'wallet', 'token', 'sub', 'cause']
export const CAUSES: Record<PnlCause, number> = { sell: 0, merge: 1, redemption: 2, conversion: 3 }

const toPnlLine = (row: PnlRow): string =>
  `${row.seq}\t${row.amount}\t${row.wallet}\t${row.token}\t${row.sub}\t${CAUSES[row.cause]}\n`

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
