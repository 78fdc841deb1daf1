import type { GammaEvent, GammaMarket } from '../upstreams/gamma/messages.js'
import { keep } from './keep.js'
import type { MarketParts } from './parts.js'
import { selectKnown, selectState, updateState } from './queries.js'
import { toId } from './rows.js'

/** Gamma's answers may be minutes old, and its lists only roughly in the order of time. */
const OVERLAP_MS = 10 * 60 * 1000
/** A list that does not come to an end before is left to the next reading of everything open. */
const PAGES_MAX = 100
const EVENTS_PER_CALL = 100

type Found = { markets: GammaMarket[]; untilMs: number | undefined }

/**
 * Reads what was created and what was closed since the last time: the newest of each list, back to
 * what is known. Whatever else changes is found by reading everything that is open.
 */
export async function readChanges(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const { store, clock } = parts
  const { createdUntil, closedUntil } = await selectState(store.sql)
  const created = await readNewest(parts, LISTS.created, createdUntil, signal)
  const closed = await readNewest(parts, LISTS.closed, closedUntil, signal)
  await storeWithEvents(parts, [...created.markets, ...closed.markets], signal)
  await updateState(store.sql, {
    ...(created.untilMs !== undefined && { createdUntil: new Date(created.untilMs) }),
    ...(closed.untilMs !== undefined && { closedUntil: new Date(closed.untilMs) }),
    syncedAt: new Date(clock.now()),
  })
}

type List = {
  filter: { closed: boolean; order: string; ascending: false }
  timeOf: (market: GammaMarket) => number | undefined
  isNews: (known: { closed: boolean } | undefined) => boolean
}

const LISTS = {
  created: {
    filter: { closed: false, order: 'id', ascending: false },
    timeOf: ({ createdAtMs }) => createdAtMs,
    isNews: (known) => known === undefined,
  },
  closed: {
    filter: { closed: true, order: 'closedTime', ascending: false },
    timeOf: ({ closedTimeMs }) => closedTimeMs,
    isNews: (known) => known === undefined || !known.closed,
  },
} satisfies Record<string, List>

async function readNewest(
  parts: MarketParts,
  { filter, timeOf, isNews }: List,
  until: Date | null,
  signal: AbortSignal,
): Promise<Found> {
  const stopMs = (until?.getTime() ?? Number.NEGATIVE_INFINITY) - OVERLAP_MS
  const found: Found = { markets: [], untilMs: undefined }
  let pages = 0
  for await (const page of parts.gamma.eachMarketPage(filter, undefined, signal)) {
    parts.metrics.odd.inc(page.odd.length)
    found.markets.push(...(await pickNews(parts, page.items, isNews)))
    const newestMs = Math.max(...page.items.flatMap((market) => timeOf(market) ?? []))
    if (Number.isFinite(newestMs)) found.untilMs = Math.max(found.untilMs ?? newestMs, newestMs)
    pages += 1
    const isPast = Number.isFinite(newestMs) && newestMs < stopMs
    if (isPast || pages === PAGES_MAX) break
  }
  return found
}

async function pickNews(
  { store }: MarketParts,
  markets: readonly GammaMarket[],
  isNews: List['isNews'],
): Promise<GammaMarket[]> {
  const known = await selectKnown(
    store.sql,
    markets.flatMap(({ id }) => toId(id) ?? []),
  )
  const byId = new Map(known.map((row) => [row.id, row]))
  return markets.filter(({ id }) => isNews(byId.get(toId(id) ?? -1)))
}

/** Lists of markets show little of their events: these are read themselves. */
async function storeWithEvents(
  parts: MarketParts,
  markets: readonly GammaMarket[],
  signal: AbortSignal,
): Promise<void> {
  const ids = new Set(markets.flatMap((market) => market.events[0]?.id ?? []))
  const events = await readEvents(parts, [...ids], signal)
  const covered = new Set(events.flatMap((event) => event.markets.map(({ id }) => id)))
  const loose = markets.filter(({ id }) => !covered.has(id))
  await keep(parts, { events, markets: loose })
}

/** Events by their ids, open or closed; those that Gamma does not show are absent. */
export async function readEvents(
  { gamma, metrics }: MarketParts,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<GammaEvent[]> {
  const found: GammaEvent[] = []
  for (let at = 0; at < ids.length; at += EVENTS_PER_CALL) {
    const asked = ids.slice(at, at + EVENTS_PER_CALL)
    for (const closed of [false, true]) {
      const page = await gamma.getEventPage({ ids: asked, closed }, undefined, signal)
      metrics.odd.inc(page.odd.length)
      found.push(...page.items)
    }
  }
  return found
}
