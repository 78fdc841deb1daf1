import type { Fill, Side } from '../universe/acts.js'
import { toAmount } from './amounts.js'
import { namesOf, profileOf } from './names.js'

export type TradeRow = {
  proxyWallet: string
  side: Side
  asset: string
  conditionId: string
  size: number
  price: number
  timestamp: number
  title: string
  slug: string
  icon: string
  eventSlug: string
  outcome: string
  outcomeIndex: number
  name: string
  pseudonym: string
  bio: string
  profileImage: string
  profileImageOptimized: string
  transactionHash: string
}

/** One order's part in a match, as the owner of the order sees it. */
export function toTradeRow(fill: Fill, transactionHash: string, timestamp: number): TradeRow {
  const { wallet, token, side } = fill.order
  const { conditionId, title, slug, icon, eventSlug, outcome } = namesOf(token)
  return {
    proxyWallet: wallet.address,
    side,
    asset: token.decimal,
    conditionId,
    size: toAmount(fill.shares),
    price: fill.usd / fill.shares,
    timestamp,
    title,
    slug,
    icon,
    eventSlug,
    outcome,
    outcomeIndex: token.outcome,
    ...profileOf(wallet),
    transactionHash,
  }
}
