import { keep } from '../keep.js'
import type { MarketParts } from '../parts.js'
import { WINDOW_SEC, windowSlugs, windowStartAt } from './windows.js'

export const WINDOW_REFRESH_MS = 15_000

/**
 * Reads the running and the next 5-minute events again: their prices move faster than the catalogue
 * is read, and a new market must be there when its window opens. While Gamma does not answer the last
 * copy stays.
 */
export async function refreshWindows(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const startSec = windowStartAt(parts.clock.now())
  const slugs = [startSec, startSec + WINDOW_SEC].flatMap(windowSlugs)
  const events = await parts.gamma.getEventsBySlugs(slugs, signal)
  await keep(parts, { events: [...events.values()] })
}
