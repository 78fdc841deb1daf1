import { UpstreamError } from '../core/upstream-error.js'
import { readAhead } from '../lib/read-ahead.js'
import type { GammaEvent } from '../upstreams/gamma/parse.js'
import type { SalvagedPage } from '../upstreams/gamma/salvage.js'
import type { CatalogueDeps } from './deps.js'
import { type CatalogueState, selectCatalogueState, updateCatalogueState } from './queries.js'
import { storeEntries } from './store.js'

/** How far the first copy is. `share` is a fraction of the whole, estimated from ids. */
export type SyncProgress = {
  phase: CatalogueState['phase']
  events: number
  markets: number
  share: number | undefined
}

/** Open events in ascending order, so that new ones come at the end; closed ones newest first. */
const FILTERS = {
  open: { closed: false, order: 'id', ascending: true },
  closed: { closed: true, order: 'id', ascending: false },
}

/**
 * Copies the whole catalogue once: open events, then closed ones. Each page is written in one
 * transaction with the cursor of the next one, so the copy can be stopped at any moment and resumed.
 * False: it was finished before.
 */
export async function syncWholeCatalogue(
  deps: CatalogueDeps,
  signal: AbortSignal,
  onProgress: (progress: SyncProgress) => void,
): Promise<boolean> {
  let state = await selectCatalogueState(deps.store.sql)
  if (state.phase === 'done') return false
  if (state.phase === 'open' && state.cursor === null) state = await begin(deps, state, signal)
  while (state.phase !== 'done') {
    const from = state
    const { phase, cursor } = state
    try {
      const newestId = phase === 'closed' ? await findNewestId(deps, signal) : undefined
      const pages = deps.gamma.eachEventPage(FILTERS[phase], cursor ?? undefined, signal)
      for await (const page of readAhead(pages)) {
        state = await storePage(deps, state, page)
        onProgress(toProgress(state, page, newestId))
      }
    } catch (error) {
      if (!isRefusedCursor(error, from, state)) throw error
      state = { ...state, cursor: null }
      await updateCatalogueState(deps.store.sql, { cursor: null })
    }
  }
  return true
}

/** Markets that close during the copy may be missed by both passes: `syncChanges` reads from here on. */
async function begin(deps: CatalogueDeps, state: CatalogueState, signal: AbortSignal) {
  const filter = { closed: true, order: 'closedTime', ascending: false }
  const { items } = await deps.gamma.getMarketPage(filter, undefined, signal)
  const times = items.flatMap(({ closedTimeMs }) => closedTimeMs ?? [])
  const closedUntil = times.length === 0 ? null : new Date(Math.max(...times))
  const first = { ...state, events: 0, markets: 0, closedUntil, createdUntil: null }
  const { events, markets, createdUntil } = first
  await updateCatalogueState(deps.store.sql, { events, markets, closedUntil, createdUntil })
  return first
}

async function findNewestId({ gamma }: CatalogueDeps, signal: AbortSignal): Promise<number> {
  const { items } = await gamma.getEventPage(FILTERS.closed, undefined, signal)
  return Number(items[0]?.id)
}

async function storePage(
  deps: CatalogueDeps,
  state: CatalogueState,
  page: SalvagedPage<GammaEvent>,
): Promise<CatalogueState> {
  const next = advance(state, page)
  const { phase, cursor, events, markets, createdUntil } = next
  await storeEntries(deps, { events: page.items, invalid: page.faults.length }, (tx) =>
    updateCatalogueState(tx, { phase, cursor, events, markets, createdUntil }),
  )
  return next
}

function advance(state: CatalogueState, page: SalvagedPage<GammaEvent>): CatalogueState {
  const { items, nextCursor } = page
  const { phase, createdUntil } = state
  const markets = items.flatMap((event) => event.markets)
  const createdMs = markets.flatMap(({ createdAtMs }) => createdAtMs ?? [])
  const nextPhase = phase === 'open' ? 'closed' : 'done'
  return {
    ...state,
    phase: nextCursor === undefined ? nextPhase : phase,
    cursor: nextCursor ?? null,
    events: state.events + items.length,
    markets: state.markets + markets.length,
    createdUntil: phase === 'open' ? latest(createdUntil, createdMs) : createdUntil,
  }
}

function latest(known: Date | null, timesMs: readonly number[]): Date | null {
  const ms = timesMs.reduce((a, b) => Math.max(a, b), known?.getTime() ?? Number.NEGATIVE_INFINITY)
  return Number.isFinite(ms) ? new Date(ms) : null
}

/** Closed events are most of the work by far, and their ids show how much of it is left. */
function toProgress(
  { phase, events, markets }: CatalogueState,
  { items }: SalvagedPage<GammaEvent>,
  newestId: number | undefined,
): SyncProgress {
  const left = newestId === undefined ? 1 : Number(items.at(-1)?.id) / newestId
  const share = phase === 'done' ? 1 : 1 - left
  return { phase, events, markets, share: share >= 0 && share <= 1 ? share : undefined }
}

/** Gamma does not accept the cursor of an earlier process any more: the pass starts again. */
const isRefusedCursor = (error: unknown, from: CatalogueState, now: CatalogueState): boolean =>
  error instanceof UpstreamError &&
  (error.status === 400 || error.status === 422) &&
  from.cursor !== null &&
  from === now
