import type { Pool } from '../../store/connection.js'
import { reserveSession } from '../archive-pool.js'
import type { ArchiveDay } from '../days.js'
import type { ArchiveColumn } from '../parquet/column-types.js'
import type { ArchiveRow } from '../parquet/encode-file.js'

/** One table of the archive. Adding one is a definition and a line in `registry.ts`. */
export type ArchiveTable = {
  name: string
  columns: readonly ArchiveColumn[]
  /**
   * What its rows depend on beside the facts of the day. `ledger`: on where the ledger begins. `catalogue`: on
   * Gamma as it is now, so that it is written for the newest day alone.
   */
  follows: 'facts' | 'ledger' | 'catalogue'
  /** Rows that are encoded together; absent: as many as narrow rows may be. */
  rowsPerGroup?: number | undefined
  /** The rows of a day in the order of the file. */
  rows(pool: Pool, day: ArchiveDay): AsyncIterable<readonly ArchiveRow[]>
}

/** A column and the SQL expression of its values. */
export type SqlColumn = ArchiveColumn & {
  sql: string
  /** From what the driver gives to what the file wants; absent: the same. */
  convert?: ((value: unknown) => unknown) | undefined
}

export type SqlTable = Pick<ArchiveTable, 'name' | 'follows' | 'rowsPerGroup'> & {
  columns: readonly SqlColumn[]
  /** The SQL that follows `from`. Parameters: those of `parameters`. */
  from: string
  parameters(day: ArchiveDay): readonly number[]
}

/** Rows that are in memory together, as the driver gives them. */
const ROWS_PER_READ = 5_000

/** A table whose rows are those of one statement. */
export const sqlTable = ({
  name,
  follows,
  rowsPerGroup,
  columns,
  from,
  parameters,
}: SqlTable): ArchiveTable => ({
  name,
  follows,
  rowsPerGroup,
  columns: columns.map(({ name, type, isList, isNullable }) => ({ name, type, isList, isNullable })),
  rows: (pool, day) => readRows(pool, { columns, from, rowsPerGroup, parameters: parameters(day) }),
})

/** A table of a day takes longer than queries of answers may. */
async function* readRows(
  pool: Pool,
  {
    columns,
    from,
    rowsPerGroup = ROWS_PER_READ,
    parameters,
  }: Pick<SqlTable, 'columns' | 'from' | 'rowsPerGroup'> & { parameters: readonly number[] },
): AsyncGenerator<ArchiveRow[]> {
  const session = await reserveSession(pool)
  try {
    await session`set statement_timeout = 0`
    const values = columns.map(({ sql }, index) => `${sql} as v${index}`).join(', ')
    const statement = `select ${values} from ${from}`
    const rowsPerRead = Math.min(rowsPerGroup, ROWS_PER_READ)
    const cursor = session.unsafe<Record<string, unknown>[]>(statement, [...parameters]).cursor(rowsPerRead)
    for await (const rows of cursor) {
      yield rows.map((row) =>
        columns.map(({ convert }, index) => {
          const value = row[`v${index}`] ?? null
          return convert === undefined || value === null ? value : convert(value)
        }),
      )
    }
  } finally {
    await session`reset statement_timeout`.catch(() => undefined)
    session.release()
  }
}

const MICROS = 1_000_000

/** A column of unix seconds. */
export const timeOfSec = (name: string, sql: string): SqlColumn => ({
  name,
  type: 'time',
  sql: `${sql}::bigint * ${MICROS}`,
})

/** Millionths, which may be of any SQL type of whole numbers. */
export const moneyOf = (name: string, sql: string, isNullable = false): SqlColumn => ({
  name,
  type: 'money',
  sql: `${sql}::bigint`,
  isNullable,
})
