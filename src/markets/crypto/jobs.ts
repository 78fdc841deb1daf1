import { type MarketParts, marketPartsOf } from '../../catalogue/parts.js'
import { storeEntries } from '../../catalogue/store.js'
import type { Context } from '../../context.js'
import type { DomainWork } from '../../jobs/job.js'
import { WINDOW_SEC, windowSlugs, windowStartAt } from './windows.js'

const WINDOW_REFRESH_MS = 15_000
const EVENTS_REFRESH_MS = 60_000
/** The rest hardly moves, and is read with everything that is open. */
const EVENTS_MAX = 100

export function createCryptoMarketWork(ctx: Context): DomainWork {
  const parts = marketPartsOf(ctx)
  return {
    jobs: [
      {
        name: 'window refresh',
        everyMs: WINDOW_REFRESH_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => refreshWindows(parts, signal),
      },
      {
        name: 'crypto refresh',
        everyMs: EVENTS_REFRESH_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => refreshEvents(parts, signal),
      },
    ],
  }
}

/**
 * Reads the running and the next 5-minute events again: their prices move faster than the catalogue
 * is read, and a new market must be there when its window opens. While Gamma does not answer the last
 * copy stays.
 */
export async function refreshWindows(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const startSec = windowStartAt(parts.clock.now())
  const slugs = [startSec, startSec + WINDOW_SEC].flatMap(windowSlugs)
  const events = await parts.gamma.getEventsBySlugs(slugs, signal)
  await storeEntries(parts, { events: [...events.values()] })
}

/** Reads the most traded open crypto events again, the running windows of every length among them. */
export async function refreshEvents(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const filter = { tagSlug: 'crypto', closed: false, order: 'volume24hr', ascending: false }
  const events = await parts.gamma.listEvents({ ...filter, limit: EVENTS_MAX }, signal)
  await storeEntries(parts, { events })
}
