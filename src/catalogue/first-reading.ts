import { readAhead } from '../lib/read-ahead.js'
import type { GammaEvent } from '../upstreams/gamma/messages.js'
import type { SalvagedPage } from '../upstreams/gamma/salvage.js'
import { UpstreamError } from '../upstreams/transport/errors.js'
import { keep } from './keep.js'
import type { MarketParts } from './parts.js'
import { type CatalogueState, selectState, updateState } from './queries.js'

/** How far the first reading is. `share` is a fraction of the whole, as far as ids tell it. */
export type Progress = {
  phase: CatalogueState['phase']
  events: number
  markets: number
  share: number | undefined
}

/** Open events upwards, so that those made meanwhile are met; closed ones from the newest down. */
const FILTERS = {
  open: { closed: false, order: 'id', ascending: true },
  closed: { closed: true, order: 'id', ascending: false },
}

/**
 * Reads the whole catalogue once: what is open, then what is closed. Each page is written together
 * with the place where to go on, so it can be stopped at any moment and called again. False: that
 * was done before.
 */
export async function readAll(
  parts: MarketParts,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<boolean> {
  let state = await selectState(parts.store.sql)
  if (state.phase === 'done') return false
  if (state.phase === 'open' && state.cursor === null) state = await begin(parts, state, signal)
  while (state.phase !== 'done') {
    const from = state
    const { phase, cursor } = state
    try {
      const newestId = phase === 'closed' ? await findNewestId(parts, signal) : undefined
      const pages = parts.gamma.eachEventPage(FILTERS[phase], cursor ?? undefined, signal)
      for await (const page of readAhead(pages)) {
        state = await storePage(parts, state, page)
        onProgress(toProgress(state, page, newestId))
      }
    } catch (error) {
      if (!isRefusedCursor(error, from, state)) throw error
      state = { ...state, cursor: null }
      await updateState(parts.store.sql, { cursor: null })
    }
  }
  return true
}

/** What closes from now on may be missed by both passes: it is read afterwards, from this time on. */
async function begin(parts: MarketParts, state: CatalogueState, signal: AbortSignal) {
  const filter = { closed: true, order: 'closedTime', ascending: false }
  const { items } = await parts.gamma.getMarketPage(filter, undefined, signal)
  const times = items.flatMap(({ closedTimeMs }) => closedTimeMs ?? [])
  const closedUntil = times.length === 0 ? null : new Date(Math.max(...times))
  const first = { ...state, events: 0, markets: 0, closedUntil, createdUntil: null }
  const { events, markets, createdUntil } = first
  await updateState(parts.store.sql, { events, markets, closedUntil, createdUntil })
  return first
}

async function findNewestId({ gamma }: MarketParts, signal: AbortSignal): Promise<number> {
  const { items } = await gamma.getEventPage(FILTERS.closed, undefined, signal)
  return Number(items[0]?.id)
}

async function storePage(
  parts: MarketParts,
  state: CatalogueState,
  page: SalvagedPage<GammaEvent>,
): Promise<CatalogueState> {
  const next = advance(state, page)
  const { phase, cursor, events, markets, createdUntil } = next
  await keep(parts, { events: page.items, odd: page.odd.length }, (tx) =>
    updateState(tx, { phase, cursor, events, markets, createdUntil }),
  )
  return next
}

function advance(
  state: CatalogueState,
  { items, nextCursor }: SalvagedPage<GammaEvent>,
): CatalogueState {
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

/** Closed events are most of the work by far, and only their ids tell how much of it is left. */
function toProgress(
  { phase, events, markets }: CatalogueState,
  { items }: SalvagedPage<GammaEvent>,
  newestId: number | undefined,
): Progress {
  const left = newestId === undefined ? 1 : Number(items.at(-1)?.id) / newestId
  const share = phase === 'done' ? 1 : 1 - left
  return { phase, events, markets, share: share >= 0 && share <= 1 ? share : undefined }
}

/** The cursor of an earlier life that Gamma does not take any more: the pass begins again. */
const isRefusedCursor = (error: unknown, from: CatalogueState, now: CatalogueState): boolean =>
  error instanceof UpstreamError &&
  (error.status === 400 || error.status === 422) &&
  from.cursor !== null &&
  from === now
