import { OperatorError } from '../../core/errors.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { readDays } from '../manifest.js'
import type { ArchiveStore } from '../store/archive-store.js'
import { claimForRestore } from './restore-archive.js'
import { restoreCatalogue } from './restore-catalogue.js'
import { readTables } from './restore-day.js'
import { FULL_RETENTION, restoreRecord } from './restore-record.js'

type ReplayOptions = {
  /** To a database that has the schema and no facts. */
  pool: Pool
  store: ArchiveStore
  onDay?: ((progress: { done: number; total: number; day: string }) => void) | undefined
  /** Both of them included. */
  range: { fromDay: string; toDay: string }
}

/**
 * Copies what replays and the history of books need of some days, with the catalogue: a database that replays are
 * served from, without facts. The same days again change nothing.
 */
export async function restoreReplays(
  { pool, store, range, onDay }: ReplayOptions,
  signal: AbortSignal,
): Promise<{ days: number }> {
  const all = await readDays(store)
  const days = all.filter(({ day }) => day >= range.fromDay && day <= range.toDay)
  const [first] = days
  if (first === undefined) {
    const has = all.length === 0 ? 'none' : `${all[0]?.day} to ${all.at(-1)?.day}`
    throw new OperatorError(`None of these days is in ${store.location}: it has ${has}.`)
  }
  await claimForRestore(pool, first, days)
  for (const [done, day] of days.entries()) {
    onDay?.({ done, total: days.length, day: day.day })
    const manifests = await readTables(store, day)
    await transact(pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      await restoreRecord(tx, day, { manifests, retention: FULL_RETENTION, store, signal })
    })
  }
  await restoreCatalogue(all, { pool, store, signal })
  return { days: days.length }
}
