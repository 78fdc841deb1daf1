import type { Plan } from '../../accounts/plans.js'
import type { Bus } from '../../bus/bus.js'
import type { BusEvent } from '../../bus/event.js'
import type { Resumption } from '../../events/event-log.js'
import type { LiveScores } from '../../scores/live-scores.js'
import { type EventFilter, matchesEvent } from '../subscriptions/event-filter.js'
import type { PriceSelection, ReplayWish } from '../subscriptions/subscribe-request.js'
import type { ReplayStart } from './replay.js'

/** Unless the client says otherwise. */
const SNAPSHOT_COUNT = 20

/** What a client asks of the past, and what decides how much of it it gets. */
export type ReplayQuestion = {
  wish: ReplayWish
  plan: Pick<Plan, 'snapshotCountMax' | 'sinceLookbackMs'>
  nowMs: number
  /** The subscription receives events of the chain. */
  hasEvents: boolean
  prices: PriceSelection | undefined
  scores: EventFilter | undefined
  /** The answer to `since_seq`. */
  resume: Resumption | undefined
}

/** The wish of a client within the limits of its plan. */
export function startOf(question: ReplayQuestion, lastSeq: number): ReplayStart {
  const { hasEvents, resume } = question
  const wish = withinPlan(question)
  if (!hasEvents) {
    const hasPast = hasPastPrices(question) || hasPastScores(question)
    return { kind: hasPast ? 'empty' : 'none' }
  }
  if (wish.kind === 'count') return wish.count === 0 ? { kind: 'none' } : wish
  if (wish.kind === 'since' || resume !== 'gap') return wish
  // All that memory has, unless no event has had the number yet.
  return wish.afterSeq > lastSeq ? { kind: 'empty' } : { kind: 'since', sinceMs: 0 }
}

/** The spot prices of the past that a client asked for, oldest first. */
export function selectPastPrices(question: ReplayQuestion, priceBus: Bus): BusEvent[] {
  const { prices, resume, hasEvents } = question
  if (prices === undefined || !hasPastPrices(question)) return []
  const wish = withinPlan(question)
  // Prices have numbers of their own: with events of the chain the number is one of theirs.
  if (wish.kind === 'seq' && hasEvents) return []
  const spot = { ...prices, priceKinds: new Set(['spot']) }
  const select = (events: readonly BusEvent[]) => events.filter((event) => matchesEvent(spot, event))
  switch (wish.kind) {
    case 'count':
      return select(priceBus.replay({ afterSeq: 0 })).slice(-wish.count)
    case 'since':
      return select(priceBus.replay({ sinceMs: wish.sinceMs }))
    case 'seq': {
      const isLost = resume === 'gap' && wish.afterSeq <= priceBus.lastSeq
      return select(priceBus.replay({ afterSeq: isLost ? 0 : wish.afterSeq }))
    }
  }
}

/**
 * The last scores that a client asked for, oldest first: of the games that it names, or else of those that
 * are being played. Their number is bounded by the plan, also where the client did not say how many.
 */
export function selectPastScores(
  question: ReplayQuestion,
  { scores: live, scoreBus }: { scores: LiveScores; scoreBus: Bus },
): BusEvent[] {
  const { scores: filter, plan, resume, hasEvents } = question
  if (filter === undefined || !hasPastScores(question)) return []
  const select = (events: readonly BusEvent[]) => events.filter((event) => matchesEvent(filter, event))
  const { gameSlugs } = filter
  const selectLast = (count: number) =>
    select(gameSlugs === undefined ? live.liveEvents() : live.eventsOfGames(gameSlugs)).slice(-count)
  const wish = withinPlan(question)
  switch (wish.kind) {
    case 'count':
      return selectLast(question.wish.kind === 'default' ? plan.snapshotCountMax : wish.count)
    case 'since':
      return select(scoreBus.replay({ sinceMs: wish.sinceMs }))
    case 'seq':
      // Scores have numbers of their own: with events of the chain the number is one of theirs.
      if (hasEvents) return []
      return resume === 'exact'
        ? select(scoreBus.replay({ afterSeq: wish.afterSeq }))
        : selectLast(plan.snapshotCountMax)
  }
}

function withinPlan({ wish, plan, nowMs }: ReplayQuestion): Exclude<ReplayWish, { kind: 'default' }> {
  switch (wish.kind) {
    case 'default':
      return { kind: 'count', count: Math.min(SNAPSHOT_COUNT, plan.snapshotCountMax) }
    case 'count':
      return { kind: 'count', count: Math.min(wish.count, plan.snapshotCountMax) }
    case 'since':
      return { kind: 'since', sinceMs: Math.max(wish.sinceMs, nowMs - plan.sinceLookbackMs) }
    case 'seq':
      return wish
  }
}

/** Means have no past, and a client that does not ask for the past of prices gets none. */
function hasPastPrices({ prices, wish }: ReplayQuestion): boolean {
  if (prices === undefined || !prices.priceKinds.has('spot')) return false
  return wish.kind !== 'default' && !(wish.kind === 'count' && wish.count === 0)
}

const hasPastScores = ({ scores, wish }: ReplayQuestion): boolean =>
  scores !== undefined && !(wish.kind === 'count' && wish.count === 0)
