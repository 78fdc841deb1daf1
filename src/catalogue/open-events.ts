import { readAhead } from '../lib/read-ahead.js'
import { readEvents } from './changes.js'
import { keep } from './keep.js'
import type { MarketParts } from './parts.js'
import { markGone, selectOpenEvents } from './queries.js'

const OPEN = { closed: false, order: 'id', ascending: true }

/** So many events that disappeared are asked for in one go. */
const MISSING_MAX = 2_000

/**
 * Reads every open event again, which finds whatever changed about them, and asks what became of
 * those that should be open and were not shown.
 */
export async function readOpenEvents(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const expected = await selectOpenEvents(parts.store.sql)
  const shown = new Set<string>()
  const pages = parts.gamma.eachEventPage(OPEN, undefined, signal)
  for await (const { items, odd } of readAhead(pages)) {
    for (const { id } of items) shown.add(id)
    await keep(parts, { events: items, odd: odd.length })
  }
  const missing = expected.filter((id) => !shown.has(String(id))).slice(0, MISSING_MAX)
  const events = await readEvents(parts, missing.map(String), signal)
  const found = new Set(events.map(({ id }) => id))
  const gone = missing.filter((id) => !found.has(String(id)))
  await keep(parts, { events }, (tx) => markGone(tx, gone, parts.clock.now()))
}
