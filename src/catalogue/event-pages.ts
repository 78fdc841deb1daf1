import type { GammaEventFilter } from '../upstreams/gamma/filters.js'
import type { GammaEvent } from '../upstreams/gamma/messages.js'
import type { SalvagedPage } from '../upstreams/gamma/salvage.js'
import { UpstreamError } from '../upstreams/transport/errors.js'
import type { MarketParts } from './parts.js'

/** Events page by page. The next page is under way while the one at hand is being stored. */
export async function* readEventPages(
  { gamma }: Pick<MarketParts, 'gamma'>,
  filter: GammaEventFilter,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SalvagedPage<GammaEvent>> {
  let cursor = from
  let coming = gamma.getEventPage(filter, cursor, signal)
  while (true) {
    const page = await coming
    const { nextCursor } = page
    if (nextCursor === undefined) return yield page
    // Following it would read the same page for ever.
    if (nextCursor === cursor) {
      const parts = { upstream: 'gamma', retryable: true }
      throw new UpstreamError(`cursor ${cursor} leads to itself`, parts)
    }
    cursor = nextCursor
    coming = gamma.getEventPage(filter, cursor, signal)
    // Whoever stops reading leaves it behind.
    coming.catch(() => undefined)
    yield page
  }
}
