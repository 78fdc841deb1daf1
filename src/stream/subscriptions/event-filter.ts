import type { BusEvent } from '../../bus/event.js'
import { typesThat } from '../../events/registry.js'

/** Values of a filter: one of them has to be in the event. */
type OneOf<Value = string> = ReadonlySet<Value> | undefined

/**
 * Which events a subscription receives. Every filter that is set has to hold. All sets are in the
 * spelling of the keys of events.
 */
export type EventFilter = {
  types: ReadonlySet<string>
  status?: 'pending' | 'confirmed' | undefined
  wallets?: OneOf
  /** One for each of `tokens`, `slugs` and `condition_ids` that is set. */
  scopes: readonly MarketScope[]
  side?: string | undefined
  /** In dollars, both included. */
  sizeMin?: number | undefined
  sizeMax?: number | undefined
  combo?: ComboFilter | undefined
  /** Of scores only. */
  leagues?: OneOf
  gameSlugs?: OneOf
  /** Of coin prices only. */
  feeds?: OneOf
  priceKinds?: OneOf
}

/** A part of all markets: an event with one of these keys is in it. */
export type MarketScope = {
  tokens: ReadonlySet<string>
  /** Of markets or of events. */
  slugs?: OneOf
  conditionIds?: OneOf
}

export type ComboFilter = {
  conditionIds?: OneOf
  legPositionIds?: OneOf
  eventIds?: OneOf
  moduleIds?: OneOf<number>
  direction?: string | undefined
  action?: string | undefined
}

/** An event as filters see it. */
export type FilteredEvent = Pick<BusEvent, 'type' | 'keys'>

export function matchesEvent(filter: EventFilter, { type, keys }: FilteredEvent): boolean {
  if (!filter.types.has(type)) return false
  if (filter.status !== undefined && filter.status !== keys.status) return false
  if (filter.side !== undefined && filter.side !== keys.side) return false
  // What has no size in dollars, such as a transfer of shares, is neither too small nor too large.
  const { sizeUsd } = keys
  if (sizeUsd !== undefined) {
    if (filter.sizeMin !== undefined && sizeUsd < filter.sizeMin) return false
    if (filter.sizeMax !== undefined && sizeUsd > filter.sizeMax) return false
  }
  if (!isIn(filter.leagues, keys.league) || !isIn(filter.gameSlugs, keys.gameSlug)) return false
  if (!hasAny(filter.wallets, keys.wallets)) return false
  for (const scope of filter.scopes) if (!isInScope(scope, keys)) return false
  if (filter.feeds !== undefined)
    return isIn(filter.feeds, keys.feed) && isIn(filter.priceKinds, keys.priceSource)
  return filter.combo === undefined || matchesCombo(filter.combo, keys.combo)
}

type Keys = FilteredEvent['keys']

function isInScope({ tokens, slugs, conditionIds }: MarketScope, keys: Keys): boolean {
  if (hasAny(tokens, keys.tokens)) return true
  if (slugs !== undefined) {
    if (keys.marketSlug !== undefined && slugs.has(keys.marketSlug)) return true
    if (keys.eventSlug !== undefined && slugs.has(keys.eventSlug)) return true
  }
  return conditionIds !== undefined && hasAny(conditionIds, keys.conditionIds)
}

function matchesCombo(filter: ComboFilter, combo: Keys['combo']): boolean {
  if (combo === undefined) return false
  const { conditionIds, direction, action } = filter
  if (conditionIds !== undefined && !conditionIds.has(combo.conditionId ?? '')) return false
  // Only executions have a direction, and only steps of the life cycle an action.
  if (direction !== undefined && (combo.direction ?? direction) !== direction) return false
  if (action !== undefined && (combo.action ?? action) !== action) return false
  return (
    hasAny(filter.legPositionIds, combo.legPositionIds) &&
    hasAny(filter.eventIds, combo.eventIds) &&
    hasAny(filter.moduleIds, combo.moduleIds)
  )
}

function hasAny<Value>(wanted: OneOf<Value>, values: readonly Value[]): boolean {
  if (wanted === undefined) return true
  for (const value of values) if (wanted.has(value)) return true
  return false
}

const isIn = (wanted: OneOf, value: string | undefined): boolean =>
  wanted === undefined || (value !== undefined && wanted.has(value))

/** How many values the filter holds in memory. */
export const countStored = ({ types, ...conditions }: EventFilter): number => countValues(conditions)

function countValues(value: unknown): number {
  if (value instanceof Set) return value.size
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum, inner) => sum + countValues(inner), 0)
}

const RARE_TYPES = typesThat('isRare')

/** Receives everything of some type, which counts toward the firehose limit of the plan. */
export function isFirehose(filter: EventFilter): boolean {
  const { wallets, scopes, sizeMin = 0, sizeMax, combo = {} } = filter
  const isNarrow =
    wallets !== undefined ||
    scopes.length > 0 ||
    sizeMin > 0 ||
    sizeMax !== undefined ||
    combo.conditionIds !== undefined ||
    combo.legPositionIds !== undefined ||
    combo.eventIds !== undefined
  return !isNarrow && [...filter.types].some((type) => !RARE_TYPES.has(type))
}

const PENDING_TYPES = typesThat('canBePending')

/** Whether it may receive events that are not in a block yet. */
export const canBePending = ({ types, status }: EventFilter): boolean =>
  status !== 'confirmed' && [...types].some((type) => PENDING_TYPES.has(type))
