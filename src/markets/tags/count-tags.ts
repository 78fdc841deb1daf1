import { selectCatalogueState } from '../../catalogue/queries.js'
import type { Clock } from '../../core/clock.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { replaceTagCounts } from './queries.js'

const REFRESH_MS = 60 * 60_000
/** While the first copy of the catalogue is made. */
const GROWING_MS = 5 * 60_000

/**
 * Counts tags when that is due: at once, every five minutes while the catalogue is copied for the first
 * time, when that is done, and then every hour.
 */
export function createTagCounter(store: { readonly sql: Pool }, clock: Clock): () => Promise<void> {
  let last = { atMs: Number.NEGATIVE_INFINITY, isWhole: false }
  return async () => {
    const isWhole = (await selectCatalogueState(store.sql)).phase === 'done'
    const nowMs = clock.now()
    const everyMs = isWhole ? REFRESH_MS : GROWING_MS
    const isDue = nowMs - last.atMs >= everyMs || (isWhole && !last.isWhole)
    if (!isDue) return
    await transact(store.sql, replaceTagCounts)
    last = { atMs: nowMs, isWhole }
  }
}
