import type { Act, Side } from '../universe/acts.js'
import type { Settled } from '../universe/tape.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { type ActivityRow, showActivity } from './activity-row.js'
import { type Place, type Placed, walkFeed } from './feed.js'
import { isWithin, type Span } from './query.js'
import type { Scope } from './scope.js'

type ActivityFilter = {
  wallet: Wallet | undefined
  scope: Scope
  /** Empty: all types. Those that the second version adds never happen here. */
  types: readonly string[]
  withTransfers: boolean
  side: Side | undefined
  span: Span
}

/** What a wallet did, newest first. */
export function listActivity(
  universe: Universe,
  filter: ActivityFilter,
  after?: Place,
): Iterable<Placed<ActivityRow>> {
  const { wallet } = filter
  if (wallet === undefined) return []
  const rowsOf = (settled: Settled) => {
    if (!isWithin(filter.span, settled.block.timestampSec)) return []
    if (!isCovered(settled.tx.act, filter.scope)) return []
    return showActivity(settled, wallet).filter((row) => isWanted(row, filter))
  }
  return walkFeed(universe.tape.ofWallet(wallet), rowsOf, after)
}

function isWanted({ type, side }: ActivityRow, filter: ActivityFilter): boolean {
  if (filter.types.length > 0 && !filter.types.includes(type)) return false
  if (filter.side !== undefined && side !== filter.side) return false
  return filter.withTransfers || (type !== 'DEPOSIT' && type !== 'WITHDRAWAL')
}

function isCovered(act: Act, scope: Scope): boolean {
  if (scope.isEverything) return true
  switch (act.kind) {
    case 'match':
      return scope.covers(act.of)
    case 'split':
    case 'merge':
    case 'redeem':
      return scope.covers(act.market)
    case 'redeemCombo':
      return scope.covers(act.token.of)
    case 'convert':
      return scope.coversEvent(act.event)
    default:
      return false
  }
}
