import { addAmounts, toAmount } from '../markets/amounts.js'
import { type Names, namesOf, oppositeOf } from '../markets/names.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { isUnindexed, shownPosition } from './deviations.js'
import type { Marks } from './marks.js'
import type { Holding } from './portfolio.js'
import { averagePriceOf } from './positions.js'

/** A position in the numbers that rows show: shares and dollars. */
export type PositionFigures = {
  wallet: Wallet
  token: Token
  names: Names
  size: number
  avgPrice: number
  curPrice: number
  initialValue: number
  currentValue: number
  cashPnl: number
  totalBought: number
  realizedPnl: number
  entryFees: number
  isResolved: boolean
  isMergeable: boolean
  /** There are shares, bought or received. */
  isHeld: boolean
  /** Shares were bought, and all of them are gone. */
  isClosed: boolean
  /** When the first share was bought; 0 when none was. */
  entrySec: number
  /** Of use once it is closed. */
  closedSec: number
  lastSec: number
}

/** `undefined`: the Data API does not know of it. */
export function measurePosition(
  universe: Universe,
  wallet: Wallet,
  token: Token,
  holding: Holding,
  marks: Marks,
): PositionFigures | undefined {
  if (isUnindexed(wallet, token, holding)) return undefined
  const position = shownPosition(wallet, holding)
  const { entryFees, entrySec, closedSec, lastSec } = holding
  const { balance, held, cost, bought, realized } = position
  const isHeld = balance > 0n
  const avgPrice = averagePriceOf(position)
  const curPrice = marks.of(token)
  // To the micro-dollar where there is a cost, and not by an average that is cut.
  const initial = held > 0n ? (balance * cost) / held : (balance * avgPrice) / 1_000_000n
  const initialMicros = Number(initial)
  const currentMicros = Math.round(Number(balance) * curPrice)
  return {
    wallet,
    token,
    names: namesOf(token),
    size: toAmount(balance),
    avgPrice: toAmount(avgPrice),
    curPrice,
    initialValue: toAmount(initialMicros),
    currentValue: toAmount(currentMicros),
    cashPnl: toAmount(currentMicros - initialMicros),
    totalBought: toAmount(bought),
    realizedPnl: toAmount(realized),
    entryFees: toAmount(entryFees),
    isResolved: universe.payouts(token.of) !== undefined,
    isMergeable: isHeld && universe.settledActs.balance(wallet, oppositeOf(token)) > 0,
    isHeld,
    isClosed: bought > 0n && !isHeld,
    entrySec,
    closedSec,
    lastSec,
  }
}

/** 0 when there is nothing to compare with. */
export const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole)

/** Fields that open and closed positions share in the first version. */
function commonFields({ wallet, token, names, ...figures }: PositionFigures) {
  return {
    proxyWallet: wallet.address,
    asset: token.decimal,
    conditionId: names.conditionId,
    avgPrice: figures.avgPrice,
    totalBought: figures.totalBought,
    realizedPnl: figures.realizedPnl,
    curPrice: figures.curPrice,
    title: names.title,
    slug: names.slug,
    icon: names.icon,
    eventSlug: names.eventSlug,
    outcome: names.outcome,
    outcomeIndex: token.outcome,
    oppositeOutcome: names.oppositeOutcome,
    oppositeAsset: oppositeOf(token).decimal,
    endDate: names.endDate,
  }
}

export const toPositionRow = (figures: PositionFigures) => ({
  ...commonFields(figures),
  size: figures.size,
  initialValue: figures.initialValue,
  grossInitialValue: addAmounts(figures.initialValue, figures.entryFees),
  entryFeesUsdc: figures.entryFees,
  currentValue: figures.currentValue,
  cashPnl: figures.cashPnl,
  percentPnl: percent(figures.cashPnl, figures.initialValue),
  percentRealizedPnl: percent(figures.realizedPnl, figures.totalBought * figures.avgPrice),
  redeemable: figures.isResolved,
  mergeable: figures.isMergeable,
  negativeRisk: figures.names.negativeRisk,
  eventId: figures.names.eventId,
})

export const toClosedPositionRow = (figures: PositionFigures) => ({
  ...commonFields(figures),
  timestamp: figures.closedSec,
})

/** One that lost can be redeemed too, for nothing. */
function statusOf({ isHeld, isResolved }: PositionFigures): 'OPEN' | 'REDEEMABLE' | 'CLOSED' {
  if (!isHeld) return 'CLOSED'
  return isResolved ? 'REDEEMABLE' : 'OPEN'
}

/** A position as the second version shows it. */
export function toPositionRowV2(figures: PositionFigures) {
  const { wallet, token, names } = figures
  const bought = figures.totalBought * figures.avgPrice
  return {
    proxy_wallet: wallet.address,
    token_id: token.decimal,
    condition_id: names.conditionId,
    current_size: figures.size,
    avg_price: figures.avgPrice,
    entry_cost_usdc: figures.initialValue,
    entry_fees_usdc: figures.entryFees,
    total_cost_usdc: addAmounts(figures.initialValue, figures.entryFees),
    current_price: figures.curPrice,
    current_value: figures.currentValue,
    total_size: figures.totalBought,
    realized_pnl: figures.realizedPnl,
    unrealized_pnl: figures.cashPnl,
    total_pnl: addAmounts(figures.realizedPnl, figures.cashPnl),
    percent_pnl: percent(figures.cashPnl, figures.initialValue),
    percent_realized_pnl: percent(figures.realizedPnl, bought),
    status: statusOf(figures),
    redeemable: figures.isHeld && figures.isResolved,
    mergeable: figures.isMergeable,
    negative_risk: names.negativeRisk,
    archived: false,
    title: names.title,
    slug: names.slug,
    icon: names.icon,
    event_id: names.eventId,
    event_slug: names.eventSlug,
    outcome: names.outcome,
    outcome_index: token.outcome,
    opposite_outcome: names.oppositeOutcome,
    opposite_token_id: oppositeOf(token).decimal,
    end_date: names.endDate,
    first_entry_at: figures.entrySec,
    last_event_at: figures.lastSec,
    name: wallet.name,
    profile_image: wallet.profileImage,
    verified: wallet.verified,
  }
}
