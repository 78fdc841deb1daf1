import type { Sql } from '../../store/connection.js'
import { POSITIONS } from '../day-end/positions-table.js'
import type { ArchiveTable } from './archive-table.js'
import { BOOK_SPANS, BOOK_STRIPS } from './book-strip-tables.js'
import { BOOKS } from './books-table.js'
import { CATALOGUE_KEYS, catalogueTables } from './catalogue-tables.js'
import { EVENT_PAGES } from './event-pages-table.js'
import { FACT_FILES, factTables } from './fact-tables.js'
import { ID_FILES } from './id-tables.js'
import { CANDLES, PNL_STEPS } from './ledger-tables.js'
import { SCORES } from './scores-table.js'
import { selectStoredColumns } from './stored-columns.js'
import { TICKS } from './tick-table.js'

/**
 * Every table of the archive. A new one is a line here. The columns of facts and catalogue are those that the database
 * has.
 */
export async function openTables(sql: Sql): Promise<ArchiveTable[]> {
  const names = [...new Set(FACT_FILES.map(({ table }) => table)), ...Object.keys(CATALOGUE_KEYS)]
  const stored = await selectStoredColumns(sql, names)
  return [
    ...factTables(stored),
    ...ID_FILES,
    PNL_STEPS,
    POSITIONS,
    CANDLES,
    TICKS,
    BOOKS,
    SCORES,
    EVENT_PAGES,
    BOOK_SPANS,
    BOOK_STRIPS,
    ...catalogueTables(stored),
  ]
}
