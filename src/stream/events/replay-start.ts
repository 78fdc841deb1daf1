import type { Plan } from '../../accounts/plans.js'
import type { Bus } from '../../bus/bus.js'
import type { BusEvent } from '../../bus/event.js'
import type { Resumption } from '../../events/event-log.js'
import type { LiveScores } from '../../scores/live-scores.js'
import { type EventFilter, matchesEvent } from '../subscriptions/event-filter.js'
import type { PriceSelection, ReplayRequest } from '../subscriptions/subscribe-request.js'
import type { ReplayStart } from './replay.js'

/** Unless the client says otherwise. */
const SNAPSHOT_COUNT = 20

/** What a client requests of the past, and what decides how much of it the client gets. */
export type PastQuery = {
  requested: ReplayRequest
  plan: Pick<Plan, 'snapshotCountMax' | 'sinceLookbackMs'>
  nowMs: number
  /** The subscription receives events of the chain. */
  hasEvents: boolean
  prices: PriceSelection | undefined
  scores: EventFilter | undefined
  /** The answer to `since_seq`. */
  resume: Resumption | undefined
}

/** Where the replay of events begins, within the limits of the plan. */
export function startOf(query: PastQuery, lastSeq: number): ReplayStart {
  const { hasEvents, resume } = query
  const range = withinPlan(query)
  if (!hasEvents) {
    const hasPast = hasPastPrices(query) || hasPastScores(query)
    return { kind: hasPast ? 'empty' : 'none' }
  }
  if (range.kind === 'count') return range.count === 0 ? { kind: 'none' } : range
  if (range.kind === 'since' || resume !== 'gap') return range
  // All that memory has, unless no event has had the number yet.
  return range.afterSeq > lastSeq ? { kind: 'empty' } : { kind: 'since', sinceMs: 0 }
}

/** The requested spot prices of the past, oldest first. */
export function selectPastPrices(query: PastQuery, priceBus: Bus): BusEvent[] {
  const { prices, resume, hasEvents } = query
  if (prices === undefined || !hasPastPrices(query)) return []
  const range = withinPlan(query)
  // Prices have numbers of their own: with events of the chain the number is one of theirs.
  if (range.kind === 'seq' && hasEvents) return []
  const spot = { ...prices, priceKinds: new Set(['spot']) }
  const select = (events: readonly BusEvent[]) => events.filter((event) => matchesEvent(spot, event))
  switch (range.kind) {
    case 'count':
      return select(priceBus.replay({ afterSeq: 0 })).slice(-range.count)
    case 'since':
      return select(priceBus.replay({ sinceMs: range.sinceMs }))
    case 'seq': {
      const isLost = resume === 'gap' && range.afterSeq <= priceBus.lastSeq
      return select(priceBus.replay({ afterSeq: isLost ? 0 : range.afterSeq }))
    }
  }
}

/**
 * The requested last scores, oldest first: of the games that the client names, or else of those that
 * are being played. Their number is bounded by the plan, also where the client did not say how many.
 */
export function selectPastScores(
  query: PastQuery,
  { scores: live, scoreBus }: { scores: Pick<LiveScores, 'liveEvents' | 'eventsOfGames'>; scoreBus: Bus },
): BusEvent[] {
  const { scores: filter, plan, resume, hasEvents } = query
  if (filter === undefined || !hasPastScores(query)) return []
  const select = (events: readonly BusEvent[]) => events.filter((event) => matchesEvent(filter, event))
  const { gameSlugs } = filter
  const selectLast = (count: number) =>
    select(gameSlugs === undefined ? live.liveEvents() : live.eventsOfGames(gameSlugs)).slice(-count)
  const range = withinPlan(query)
  switch (range.kind) {
    case 'count':
      return selectLast(query.requested.kind === 'default' ? plan.snapshotCountMax : range.count)
    case 'since':
      return select(scoreBus.replay({ sinceMs: range.sinceMs }))
    case 'seq':
      // Scores have numbers of their own: with events of the chain the number is one of theirs.
      if (hasEvents) return []
      return resume === 'exact'
        ? select(scoreBus.replay({ afterSeq: range.afterSeq }))
        : selectLast(plan.snapshotCountMax)
  }
}

function withinPlan({ requested, plan, nowMs }: PastQuery): Exclude<ReplayRequest, { kind: 'default' }> {
  switch (requested.kind) {
    case 'default':
      return { kind: 'count', count: Math.min(SNAPSHOT_COUNT, plan.snapshotCountMax) }
    case 'count':
      return { kind: 'count', count: Math.min(requested.count, plan.snapshotCountMax) }
    case 'since':
      return { kind: 'since', sinceMs: Math.max(requested.sinceMs, nowMs - plan.sinceLookbackMs) }
    case 'seq':
      return requested
  }
}

/** Means have no past, and a client that does not ask for the past of prices gets none. */
function hasPastPrices({ prices, requested }: PastQuery): boolean {
  if (prices === undefined || !prices.priceKinds.has('spot')) return false
  return requested.kind !== 'default' && !(requested.kind === 'count' && requested.count === 0)
}

const hasPastScores = ({ scores, requested }: PastQuery): boolean =>
  scores !== undefined && !(requested.kind === 'count' && requested.count === 0)
