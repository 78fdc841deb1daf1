import type { Job } from '../../jobs/job.js'
import type { Platform } from '../../platform.js'
import type { LiveBooks } from '../live-books.js'
import { selectNamedTokens } from '../queries.js'
import { packRecordedBooks } from './pack.js'
import { dropOldBooks } from './partitions.js'
import { recordAll, recordNamed } from './recorded-tokens.js'
import { BookRecorder } from './recorder.js'
import { createRecorderMetrics } from './recorder-metrics.js'

const PACK_MS = 60_000
const HOUR_MS = 3_600_000

/** `recorded`: books that this process records without a hole at this moment. */
type Recording = { jobs: readonly Job[]; status: () => { recorded: number; unrecorded: number } }

/** The recording of live books: one process records, one packs, one drops what is too old. */
export function createRecording(platform: Platform, books: LiveBooks): Recording {
  const { config, store, clock, log } = platform
  const metrics = createRecorderMetrics(platform.metrics)
  const shared = { roles: ['worker'], runsIn: 'one process', needsDatabase: true } as const
  // What was recorded before is packed and dropped also where nothing is recorded any more.
  const upkeep: readonly Job[] = [
    {
      ...shared,
      name: 'book packing',
      everyMs: PACK_MS,
      run: (signal) => packRecordedBooks(platform.sql, clock.now(), metrics, signal),
    },
    {
      ...shared,
      name: 'retention of books',
      everyMs: HOUR_MS,
      run: () => dropOldBooks(platform.sql, clock.now(), config.recordBooksDays),
    },
  ]
  const { recordBooks } = config
  if (recordBooks === 'off') return { jobs: upkeep, status: () => ({ recorded: 0, unrecorded: 0 }) }
  const wanted =
    recordBooks === 'all'
      ? recordAll(books)
      : recordNamed({ books, log, select: (limit) => selectNamedTokens(platform.sql, recordBooks, limit) })
  const recorder = new BookRecorder({ books, wanted, store, clock, metrics })
  const recording: Job = {
    ...shared,
    name: 'book recording',
    everyMs: 0,
    run: (signal) => recorder.run(signal),
  }
  return {
    jobs: [recording, ...upkeep],
    status: () => ({ recorded: recorder.tokens, unrecorded: wanted.unfollowed }),
  }
}
