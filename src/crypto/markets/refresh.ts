import type { CatalogueDeps } from '../../catalogue/deps.js'
import { storeEntries } from '../../catalogue/store.js'
import { WINDOW_SEC, windowSlugs, windowStartAt } from './coins.js'

/** The others hardly change, and are copied with all open events. */
const EVENTS_MAX = 100

/**
 * Copies the events of the running and the next 5-minute window again: their prices move faster than
 * the sync of the catalogue, and a new market must be stored when its window opens. While Gamma does
 * not answer the last copy stays.
 */
export async function refreshWindows(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const startSec = windowStartAt(deps.clock.now())
  const slugs = [startSec, startSec + WINDOW_SEC].flatMap(windowSlugs)
  const events = await deps.gamma.getEventsBySlugs(slugs, signal)
  await storeEntries(deps, { events: [...events.values()] })
}

/** Copies the most traded open crypto events again, the running windows of every length among them. */
export async function refreshEvents(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const filter = { tagSlug: 'crypto', closed: false, order: 'volume24hr', ascending: false }
  const events = await deps.gamma.listEvents({ ...filter, limit: EVENTS_MAX }, signal)
  await storeEntries(deps, { events })
}
