import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Target } from '../store/connection.js'
import { openArchivePool } from './archive-pool.js'
import { runArchive } from './run-archive.js'
import { openArchiveStore } from './store/open-store.js'

/** A day is final some minutes after midnight; until then a run reads a few manifests. */
const ARCHIVE_MS = 10 * 60 * 1000

/** Archives each day when no reorganisation can change it any more, where AUSPEX_ARCHIVE_TO says. */
export function createArchive({ config, log }: Platform, { target }: { target: Target }): Domain {
  const { archiveTo, dataset } = config
  if (archiveTo === undefined) return {}
  return {
    jobs: [
      {
        name: 'archive',
        everyMs: ARCHIVE_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: async (signal) => {
          const store = await openArchiveStore(archiveTo)
          const pool = openArchivePool(target)
          try {
            const { daysWritten, lastDay, rows, bytes } = await runArchive({ pool, store, dataset }, signal)
            if (daysWritten > 0) log.info({ days: daysWritten, lastDay, rows, bytes }, 'archived')
          } catch (error) {
            if (!signal.aborted) throw error
          } finally {
            await pool.end({ timeout: 1 })
            await store.close()
          }
        },
      },
    ],
  }
}
