import { OperatorError } from '../../core/errors.js'

export type SubscriptionFlags = {
  wallet?: string[]
  token?: string[]
  slug?: string[]
  condition?: string[]
  feed?: string[]
  league?: string[]
  game?: string[]
  side?: string
  status?: string
  minSize?: number
  maxSize?: number
  eventTypes?: string[]
  last?: number
  sinceSeq?: number
}

/** What to subscribe to. */
export type TailSubscription = {
  /** The `subscribe` for a new connection: after `place`, or at first with the past that the flags ask for. */
  message(place?: { seq?: number; ms?: number }): object
}

export function makeSubscription(type: string, flags: SubscriptionFlags): TailSubscription {
  if (type === 'orderbook') return subscribeBooks(flags)
  const filters = {
    wallets: flags.wallet,
    tokens: flags.token,
    slugs: flags.slug,
    condition_ids: flags.condition,
    feeds: flags.feed,
    leagues: flags.league,
    game_slugs: flags.game,
    side: flags.side,
    status: flags.status,
    min_size: flags.minSize,
    max_size: flags.maxSize,
    event_types: flags.eventTypes,
  }
  return {
    message: (place) => ({ action: 'subscribe', type, filters: { ...filters, ...past(place) } }),
  }

  function past(place?: { seq?: number; ms?: number }): object {
    const sinceSeq = place === undefined ? flags.sinceSeq : place.seq
    if (sinceSeq !== undefined) return { since_seq: sinceSeq }
    return place === undefined ? { snapshot_count: flags.last } : { since: place.ms, snapshot_count: 0 }
  }
}

/** Books are sent whole after every subscribe: there is nothing to resume. */
function subscribeBooks({ token = [], condition = [], slug = [] }: SubscriptionFlags) {
  const markets = [...token, ...condition, ...slug]
  if (markets.length === 0) {
    throw new OperatorError('Name the books with --token, --condition or --slug (of the event).', 2)
  }
  return { message: () => ({ action: 'subscribe', type: 'orderbook', markets }) }
}
