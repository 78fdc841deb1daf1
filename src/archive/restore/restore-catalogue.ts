import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { DayManifest } from '../manifest.js'
import type { ArchiveStore } from '../store/archive-store.js'
import { CATALOGUE_KEYS, showCatalogue } from '../tables/catalogue-tables.js'
import { type StoredColumn, selectStoredColumns } from '../tables/stored-columns.js'
import { copyValueOf } from './copy-values.js'
import { type CopiedColumn, copyTable, readTables } from './restore-day.js'

type CatalogueOptions = { pool: Pool; store: ArchiveStore; signal: AbortSignal }

/**
 * Copies the newest catalogue of the archive, so that answers have names at once. The first reading of Gamma writes all
 * of it again, with the texts that searches read.
 */
export async function restoreCatalogue(
  days: readonly DayManifest[],
  options: CatalogueOptions,
): Promise<void> {
  const { pool, store, signal } = options
  const day = days.findLast(({ tables }) => tables.some(({ table }) => table === 'markets'))
  if (day === undefined) return
  const manifests = await readTables(store, day)
  const names = Object.keys(CATALOGUE_KEYS)
  const stored = await selectStoredColumns(pool, names)
  await transact(pool, async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx.unsafe(`truncate ${names.join(', ')}, market_tokens`)
    for (const table of names) {
      const columns = stored.filter((column) => column.table === table).map(toCopied)
      await copyTable(tx, manifests.get(table), { store, signal, table, columns })
    }
    await tx`
      insert into market_tokens (token, market, outcome)
      select token, m.id, ordinal - 1
        from markets m
       cross join unnest(m.tokens) with ordinality as listed (token, ordinal)
       order by m.id desc
          on conflict do nothing`
  })
}

function toCopied(stored: StoredColumn): CopiedColumn {
  const { name, type, isList } = showCatalogue(stored)
  return { file: name, stored: stored.name, toCopy: copyValueOf(type, isList === true, stored.type) }
}
