import { readAhead } from '../lib/read-ahead.js'
import type { GammaEvent, GammaMarket } from '../upstreams/gamma/parse.js'
import type { CatalogueDeps } from './deps.js'
import {
  selectCatalogueState,
  selectOpenEventIds,
  selectStoredMarkets,
  updateCatalogueState,
  updateGone,
} from './queries.js'
import { toId } from './rows.js'
import { storeEntries } from './store.js'

/** Gamma's answers may be minutes old, and its lists only roughly in the order of time. */
const OVERLAP_MS = 10 * 60 * 1000
/** What a list has beyond that is found by the next sync of all open events. */
const PAGES_MAX = 100
const EVENTS_PER_CALL = 100

type Found = { markets: GammaMarket[]; untilMs: number | undefined }

/**
 * Copies markets that were created or closed since the last run: the newest of each list, back to the
 * ones that are stored. Other changes are found by `syncOpenEvents`.
 */
export async function syncChanges(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps
  const { createdUntil, closedUntil } = await selectCatalogueState(store.sql)
  const created = await readNewest(deps, LISTS.created, createdUntil, signal)
  const closed = await readNewest(deps, LISTS.closed, closedUntil, signal)
  await storeWithEvents(deps, [...created.markets, ...closed.markets], signal)
  await updateCatalogueState(store.sql, {
    ...(created.untilMs !== undefined && { createdUntil: new Date(created.untilMs) }),
    ...(closed.untilMs !== undefined && { closedUntil: new Date(closed.untilMs) }),
    syncedAt: new Date(clock.now()),
  })
}

type List = {
  filter: { closed: boolean; order: string; ascending: false }
  timeOf: (market: GammaMarket) => number | undefined
  isChange: (known: { closed: boolean } | undefined) => boolean
}

const LISTS = {
  created: {
    filter: { closed: false, order: 'id', ascending: false },
    timeOf: ({ createdAtMs }) => createdAtMs,
    isChange: (known) => known === undefined,
  },
  closed: {
    filter: { closed: true, order: 'closedTime', ascending: false },
    timeOf: ({ closedTimeMs }) => closedTimeMs,
    isChange: (known) => known === undefined || !known.closed,
  },
} satisfies Record<string, List>

async function readNewest(
  deps: CatalogueDeps,
  { filter, timeOf, isChange }: List,
  until: Date | null,
  signal: AbortSignal,
): Promise<Found> {
  const stopMs = (until?.getTime() ?? Number.NEGATIVE_INFINITY) - OVERLAP_MS
  const found: Found = { markets: [], untilMs: undefined }
  let pages = 0
  for await (const page of deps.gamma.eachMarketPage(filter, undefined, signal)) {
    deps.metrics.invalidEntries.inc(page.faults.length)
    found.markets.push(...(await selectChanged(deps, page.items, isChange)))
    const newestMs = Math.max(...page.items.flatMap((market) => timeOf(market) ?? []))
    if (Number.isFinite(newestMs)) found.untilMs = Math.max(found.untilMs ?? newestMs, newestMs)
    pages += 1
    const isPast = Number.isFinite(newestMs) && newestMs < stopMs
    if (isPast || pages === PAGES_MAX) break
  }
  return found
}

async function selectChanged(
  { store }: CatalogueDeps,
  markets: readonly GammaMarket[],
  isChange: List['isChange'],
): Promise<GammaMarket[]> {
  const known = await selectStoredMarkets(
    store.sql,
    markets.flatMap(({ id }) => toId(id) ?? []),
  )
  const byId = new Map(known.map((row) => [row.id, row]))
  return markets.filter(({ id }) => isChange(byId.get(toId(id) ?? -1)))
}

/** Gamma's lists of markets show little of their events, so the events are read too. */
async function storeWithEvents(
  deps: CatalogueDeps,
  markets: readonly GammaMarket[],
  signal: AbortSignal,
): Promise<void> {
  const ids = new Set(markets.flatMap((market) => market.events[0]?.id ?? []))
  const events = await readEvents(deps, [...ids], signal)
  const covered = new Set(events.flatMap((event) => event.markets.map(({ id }) => id)))
  const loose = markets.filter(({ id }) => !covered.has(id))
  await storeEntries(deps, { events, markets: loose })
}

/** Events that disappeared from the list and are read in one run. */
const MISSING_MAX = 2_000

/**
 * Copies every open event again, with all that changed about it, and then those that are stored as open
 * and were not in Gamma's list. Events that Gamma does not show at all are marked as gone.
 */
export async function syncOpenEvents(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const expected = await selectOpenEventIds(deps.store.sql)
  const shown = new Set<string>()
  const open = { closed: false, order: 'id', ascending: true }
  const pages = deps.gamma.eachEventPage(open, undefined, signal)
  for await (const { items, faults } of readAhead(pages)) {
    for (const { id } of items) shown.add(id)
    await storeEntries(deps, { events: items, invalid: faults.length })
  }
  const missing = expected.filter((id) => !shown.has(String(id))).slice(0, MISSING_MAX)
  const events = await readEvents(deps, missing.map(String), signal)
  const found = new Set(events.map(({ id }) => id))
  const gone = missing.filter((id) => !found.has(String(id)))
  await storeEntries(deps, { events }, (tx) => updateGone(tx, gone, deps.clock.now()))
}

/** Events by their ids, open or closed; those that Gamma does not show are absent. */
async function readEvents(
  { gamma, metrics }: CatalogueDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<GammaEvent[]> {
  const found: GammaEvent[] = []
  for (let at = 0; at < ids.length; at += EVENTS_PER_CALL) {
    const batch = ids.slice(at, at + EVENTS_PER_CALL)
    for (const closed of [false, true]) {
      const page = await gamma.getEventPage({ id: batch, closed }, undefined, signal)
      metrics.invalidEntries.inc(page.faults.length)
      found.push(...page.items)
    }
  }
  return found
}
