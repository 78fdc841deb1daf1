import { toAmount } from '../markets/amounts.js'
import { type TradeRow, toTradeRow } from '../markets/trade-row.js'
import type { Fill, Side } from '../universe/acts.js'
import type { Settled } from '../universe/tape.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { type Place, type Placed, walkFeed } from './feed.js'
import { isWithin, type SizeFilter, type Span } from './query.js'
import type { Scope } from './scope.js'

type TradeFilter = {
  /** Absent: all wallets. An address that never traded has an undefined wallet. */
  user: { wallet: Wallet | undefined } | undefined
  scope: Scope
  side: Side | undefined
  takerOnly: boolean
  size: SizeFilter | undefined
  span: Span
}

/** One row per taker order, and when makers are wanted too one per resting order that it met. */
export function listTrades(
  universe: Universe,
  filter: TradeFilter,
  after?: Place,
): Iterable<Placed<TradeRow>> {
  return walkFeed(sourceOf(universe, filter), (settled) => rowsOf(settled, filter), after)
}

function sourceOf(universe: Universe, { user, scope }: TradeFilter): readonly Settled[] {
  if (user === undefined) return scope.matches(universe)
  return user.wallet === undefined ? [] : universe.tape.ofWallet(user.wallet)
}

function rowsOf({ tx, block }: Settled, filter: TradeFilter): TradeRow[] {
  const { act } = tx
  if (act.kind !== 'match' || !filter.scope.covers(act.of)) return []
  if (!isWithin(filter.span, block.timestampSec)) return []
  // The taker's order is the last to be logged, so it comes first here.
  const fills = filter.takerOnly ? [act.taker] : [act.taker, ...act.makers.toReversed()]
  return fills
    .filter((fill) => isWanted(fill, filter))
    .map((fill) => toTradeRow(fill, tx.hash, block.timestampSec))
}

function isWanted({ order, shares, usd }: Fill, { user, side, size }: TradeFilter): boolean {
  if (user !== undefined && order.wallet !== user.wallet) return false
  if (side !== undefined && order.side !== side) return false
  return size === undefined || toAmount(size.type === 'CASH' ? usd : shares) >= size.amount
}
