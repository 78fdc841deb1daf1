import type { Config } from '../../config/config.js'
import type { Sql } from '../../store/connection.js'
import type { DayManifest, TableManifest } from '../manifest.js'
import type { TableReadOptions } from './read-columns.js'
import { restoreBooks } from './restore-books.js'
import { restoreEvents } from './restore-events.js'

const DAY_MS = 86_400_000

/** Since when events and books are restored: what is older the service would drop at once. */
export type Kept = { eventsFromMs: number; booksFromMs: number }

export const KEPT_ALL: Kept = { eventsFromMs: 0, booksFromMs: 0 }

export const keptBy = ({ replayDays, recordBooksDays }: Config, nowMs: number): Kept => ({
  eventsFromMs: nowMs - replayDays * DAY_MS,
  booksFromMs: recordBooksDays === 0 ? 0 : nowMs - recordBooksDays * DAY_MS,
})

type RecordOptions = TableReadOptions & { manifests: ReadonlyMap<string, TableManifest>; kept: Kept }

/** What replays and the history of books are made from. */
export async function restoreRecord(
  tx: Sql,
  { day }: Pick<DayManifest, 'day'>,
  { manifests, kept, ...read }: RecordOptions,
): Promise<void> {
  const dayMs = Date.parse(day)
  if (dayMs + DAY_MS > kept.eventsFromMs) await restoreEvents(tx, manifests.get('event_pages'), read)
  if (dayMs + DAY_MS <= kept.booksFromMs) return
  const [strips, spans] = [manifests.get('book_strips'), manifests.get('book_spans')]
  await restoreBooks(tx, dayMs, { strips, spans }, read)
}
