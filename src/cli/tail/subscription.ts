import type { BookMessagesOptions, SubscribeOptions } from 'auspex-client'
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
export type TailSubscription = SubscribeOptions | BookMessagesOptions

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
  const { sinceSeq } = flags
  return {
    // The service knows which types and values there are, and names them in its refusal.
    type: type as SubscribeOptions['type'],
    filters: filters as SubscribeOptions['filters'],
    ...(sinceSeq === undefined ? { snapshotCount: flags.last } : { sinceSeq }),
  }
}

function subscribeBooks({ token = [], condition = [], slug = [] }: SubscriptionFlags): TailSubscription {
  const markets = [...token, ...condition, ...slug]
  if (markets.length === 0) {
    throw new OperatorError('Name the books with --token, --condition or --slug (of the event).', 2)
  }
  return { type: 'orderbook', markets }
}
