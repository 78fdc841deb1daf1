import type { Config } from '../../config/config.js'
import type { Sql } from '../../store/connection.js'
import type { DayManifest, TableManifest } from '../manifest.js'
import type { TableReadOptions } from './read-columns.js'
import { restoreBooks } from './restore-books.js'
import { restoreEvents } from './restore-events.js'

const DAY_MS = 86_400_000

/** From when on events and books are restored: the service would drop older ones at once. */
export type Retention = { eventsFromMs: number; booksFromMs: number }

export const FULL_RETENTION: Retention = { eventsFromMs: 0, booksFromMs: 0 }

export const retentionOf = ({ replayDays, recordBooksDays }: Config, nowMs: number): Retention => ({
  eventsFromMs: nowMs - replayDays * DAY_MS,
  booksFromMs: recordBooksDays === 0 ? 0 : nowMs - recordBooksDays * DAY_MS,
})

type RecordOptions = TableReadOptions & {
  manifests: ReadonlyMap<string, TableManifest>
  retention: Retention
}

/** What replays and the history of books are made from. */
export async function restoreRecord(
  tx: Sql,
  { day }: Pick<DayManifest, 'day'>,
  { manifests, retention, ...read }: RecordOptions,
): Promise<void> {
  const dayMs = Date.parse(day)
  if (dayMs + DAY_MS > retention.eventsFromMs) await restoreEvents(tx, manifests.get('event_pages'), read)
  if (dayMs + DAY_MS <= retention.booksFromMs) return
  const [strips, spans] = [manifests.get('book_strips'), manifests.get('book_spans')]
  await restoreBooks(tx, dayMs, { strips, spans }, read)
}
