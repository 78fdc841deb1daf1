import { toAmount } from '../markets/amounts.js'
import { type TradeRow, toTradeRow } from '../markets/trade-row.js'
import type { Act, Fill, Side } from '../universe/acts.js'
import type { Settled } from '../universe/settled-acts.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { type ActivityRow, showActivity } from './activity-row.js'
import { isRepeated } from './deviations.js'
import { isWithin, type SizeFilter, type Span } from './query.js'
import { type Scope, txIndexOf } from './scope.js'

/** The position of a row on the chain. Rows of one transaction count from the last that was logged. */
export type FeedPosition = readonly [block: number, txIndex: number, row: number]

export type Positioned<Row> = { position: FeedPosition; row: Row }

/**
 * The rows of these acts, newest first, that follow the position `after`, if there is one. `rowsOf` gives
 * the rows of one transaction in the same order.
 */
function* scanNewestFirst<Row>(
  settled: readonly Settled[],
  rowsOf: (settled: Settled) => readonly Row[],
  after?: FeedPosition,
): Generator<Positioned<Row>> {
  const newest = after === undefined ? settled.length : countUntil(settled, after[0])
  for (let index = newest - 1; index >= 0; index--) {
    for (const positioned of positionRows(settled[index], rowsOf)) {
      if (after === undefined || isOlder(positioned.position, after)) yield positioned
    }
  }
}

/** The same, oldest first. */
function* scanOldestFirst<Row>(
  settled: readonly Settled[],
  rowsOf: (settled: Settled) => readonly Row[],
  after?: FeedPosition,
): Generator<Positioned<Row>> {
  const oldest = after === undefined ? 0 : countUntil(settled, after[0] - 1)
  for (let index = oldest; index < settled.length; index++) {
    for (const positioned of positionRows(settled[index], rowsOf).reverse()) {
      if (after === undefined || isOlder(after, positioned.position)) yield positioned
    }
  }
}

function positionRows<Row>(
  entry: Settled | undefined,
  rowsOf: (settled: Settled) => readonly Row[],
): Positioned<Row>[] {
  const rows = entry === undefined ? [] : rowsOf(entry)
  if (entry === undefined || rows.length === 0) return []
  const txIndex = txIndexOf(entry)
  return rows.map((row, number) => ({ position: [entry.block.number, txIndex, number], row }))
}

/** Takes a page, and one row more to know whether there is another page. */
export function takePage<Row>(
  rows: Iterable<Row>,
  offset: number,
  limit: number,
): { page: Row[]; hasMore: boolean } {
  const page: Row[] = []
  let skipped = 0
  for (const row of rows) {
    if (skipped < offset) skipped += 1
    else if (page.length < limit) page.push(row)
    else return { page, hasMore: true }
  }
  return { page, hasMore: false }
}

/** Whether a feed that begins with the newest reaches `position` later than `other`. */
function isOlder(position: FeedPosition, other: FeedPosition): boolean {
  if (position[0] !== other[0]) return position[0] < other[0]
  if (position[1] !== other[1]) return position[1] < other[1]
  return position[2] > other[2]
}

/** How many entries stand in blocks up to that one. */
function countUntil(settled: readonly Settled[], block: number): number {
  let low = 0
  let high = settled.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((settled[middle]?.block.number ?? 0) <= block) low = middle + 1
    else high = middle
  }
  return low
}

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
  after?: FeedPosition,
): Iterable<Positioned<TradeRow>> {
  return scanNewestFirst(sourceOf(universe, filter), (settled) => rowsOf(settled, filter), after)
}

function sourceOf(universe: Universe, { user, scope }: TradeFilter): readonly Settled[] {
  if (user === undefined) return scope.matches(universe)
  return user.wallet === undefined ? [] : universe.settledActs.ofWallet(user.wallet)
}

function rowsOf({ tx, block }: Settled, filter: TradeFilter): TradeRow[] {
  const { act } = tx
  if (act.kind !== 'match' || !filter.scope.covers(act.of)) return []
  if (!isWithin(filter.span, block.timestampSec)) return []
  // The taker's order is the last to be logged, so it comes first here.
  const fills = filter.takerOnly ? [act.taker] : [act.taker, ...act.makers.toReversed()]
  const rows = fills
    .filter((fill) => isWantedFill(fill, filter))
    .map((fill) => toTradeRow(fill, tx.hash, block.timestampSec))
  const wallet = filter.user?.wallet
  if (wallet === undefined || !isRepeated(wallet, tx.hash)) return rows
  return rows.flatMap((row) => [row, row])
}

function isWantedFill({ order, shares, usd }: Fill, { user, side, size }: TradeFilter): boolean {
  if (user !== undefined && order.wallet !== user.wallet) return false
  if (side !== undefined && order.side !== side) return false
  return size === undefined || toAmount(size.type === 'CASH' ? usd : shares) >= size.amount
}

export type ActivityFilter = {
  wallet: Wallet | undefined
  scope: Scope
  types: readonly string[]
  withTransfers: boolean
  side: Side | undefined
  span: Span
  /** Newest first otherwise. */
  isAscending: boolean
}

/** What a wallet did. */
export function listActivity(
  universe: Universe,
  filter: ActivityFilter,
  after?: FeedPosition,
): Iterable<Positioned<ActivityRow>> {
  const { wallet } = filter
  if (wallet === undefined) return []
  const activityOf = (settled: Settled) => {
    if (!isWithin(filter.span, settled.block.timestampSec)) return []
    if (!isCovered(settled.tx.act, filter.scope)) return []
    return showActivity(settled, wallet).filter((row) => isWantedRow(row, filter))
  }
  const scan = filter.isAscending ? scanOldestFirst : scanNewestFirst
  return scan(universe.settledActs.ofWallet(wallet), activityOf, after)
}

function isWantedRow({ type, side }: ActivityRow, filter: ActivityFilter): boolean {
  if (!filter.types.includes(type)) return false
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
    case 'migrate':
      return scope.covers(act.combo)
    case 'convert':
      return scope.coversEvent(act.event)
    default:
      return false
  }
}
