import { toTokenId } from '../core/ids.js'
import { toDecimal } from '../core/money.js'
import { presentMarketBlock, presentStructuredMarket, type TokenMarket } from '../lookups/market-block.js'
import {
  type PlatformMarket,
  presentPlatformMarket,
  presentPlatformOutcomes,
} from '../lookups/platform-market.js'
import {
  averagePriceOf,
  initialValueOf,
  marketStatusOf,
  redeemablePayoutOf,
  type SharePrice,
  sharesOf,
  statusOf,
  type TokenResult,
  unrealizedOf,
  winningOutcomeOf,
  wonOf,
  worthOf,
} from '../lookups/position.js'
import type { ClosedPosition, PositionRow, ShownPosition, TokenState } from './queries.js'

/** A position with what the rows of the platform say of its market. */
export type PlatformPositionRow = ShownPosition & { listed: PlatformMarket }

export function presentGlobalPosition(row: ShownPosition) {
  return {
    wallet: row.address,
    ...presentNumbers(row),
    ...presentMarketBlock(row.market),
    neg_risk: row.state.negRisk,
    ...presentStructuredMarket(row.market),
  }
}

export function presentWalletPosition(row: ShownPosition) {
  const { market, state } = row
  const result = resultOf(state)
  return {
    ...presentNumbers(row),
    ...presentMarketBlock(market),
    neg_risk: state.negRisk,
    initial_value: toDecimal(initialValueOf(row)),
    redeemable_payout: toDecimal(redeemablePayoutOf(row, result)),
    price_source: state.priceSource,
    opposite_asset: oppositeOf(state),
    event_slug: market.eventSlug,
    tag_slugs: state.tagLabels,
    market_status: marketStatusOf(row, result),
    last_trade_at: row.filledSec === 0 ? null : `${row.filledSec}`,
    last_activity_at: `${row.lastSec}`,
    resolved_at: state.resolvedSec === null ? null : `${state.resolvedSec}`,
    ...presentWinner(result),
    ...presentStructuredMarket(market),
  }
}

function presentNumbers(row: ShownPosition) {
  const { state } = row
  const price = priceOf(state)
  const result = resultOf(state)
  const unrealized = unrealizedOf(row, price)
  return {
    token_id: toTokenId(row.market.token),
    size: toDecimal(sharesOf(row)),
    avg_price: presentAverage(row),
    realized_pnl: toDecimal(row.realized),
    unrealized_pnl: toDecimal(unrealized),
    total_pnl: toDecimal(row.realized + unrealized),
    current_price: toDecimal(worthOf(1_000_000n, price)),
    total_bought: toDecimal(row.bought),
    resolved: result !== undefined,
    status: statusOf(row, result),
  }
}

export const presentTokenHolder = (row: PositionRow) => ({
  user: row.address,
  ...presentHolderNumbers(row),
})

export const presentMarketHolder = (row: PositionRow & { market: TokenMarket }) => ({
  user: row.address,
  token_id: toTokenId(row.market.token),
  ...presentHolderNumbers(row),
})

function presentHolderNumbers(row: PositionRow) {
  const average = averagePriceOf(row)
  return {
    amount: `${sharesOf(row)}`,
    avg_price: average === undefined ? null : `${average}`,
    realized_pnl: `${row.realized}`,
    total_bought: `${row.bought}`,
  }
}

export function presentWalletOnchainPosition(row: ClosedPosition) {
  return {
    ...presentOnchainNumbers(row),
    market: row.market.question,
    slug: row.market.slug,
    ...presentOnchainMarket(row),
  }
}

/** `isOfWallet`: the request names the wallet. */
export function presentOnchainPosition(row: ClosedPosition, isOfWallet: boolean) {
  const { market, state } = row
  const result = resultOf(state)
  return {
    wallet: row.address,
    ...presentOnchainNumbers(row),
    market: market.question,
    market_slug: market.slug,
    ...presentOnchainMarket(row),
    outcome_index: market.outcomeIndex,
    opposite_asset: oppositeOf(state),
    initial_value: toDecimal(initialValueOf(row)),
    redeemable: statusOf(row, result) === 'redeemable',
    ...(result !== undefined && presentWinner(result)),
    ...(isOfWallet && { last_activity: row.lastSec }),
  }
}

/** In the names of the platform's Data API. */
export function presentPlatformPosition(row: PlatformPositionRow) {
  const { state, listed } = row
  const price = priceOf(state)
  const initial = initialValueOf(row)
  const unrealized = unrealizedOf(row, price)
  return {
    proxyWallet: row.address,
    ...presentPlatformMarket(listed),
    ...presentPlatformOutcomes(listed),
    size: toDecimal(sharesOf(row)),
    avgPrice: presentAverage(row) ?? 0,
    initialValue: toDecimal(initial),
    currentValue: toDecimal(worthOf(sharesOf(row), price)),
    cashPnl: toDecimal(unrealized),
    percentPnl: toPercent(unrealized, initial),
    totalBought: toDecimal(row.bought),
    realizedPnl: toDecimal(row.realized),
    percentRealizedPnl: toPercent(row.realized, row.boughtCost),
    curPrice: toDecimal(worthOf(1_000_000n, price)),
    redeemable: statusOf(row, resultOf(state)) === 'redeemable',
  }
}

/** With 4 decimals; 0 of nothing. */
const toPercent = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000

function presentOnchainNumbers(row: ShownPosition) {
  const { state } = row
  const hasPrice = sharesOf(row) > 0n && state.priceSource !== null
  return {
    token_id: toTokenId(row.market.token),
    size: toDecimal(sharesOf(row)),
    avg_price: presentAverage(row),
    realized_pnl: toDecimal(row.realized),
    unrealized_pnl: toDecimal(unrealizedNow(row)),
    current_price: hasPrice ? toDecimal(worthOf(1_000_000n, priceOf(state))) : null,
    market_status: marketStatusOf(row, resultOf(state)),
    total_bought: toDecimal(row.bought),
  }
}

function presentOnchainMarket({ market, state, filledSec, closedSec }: ClosedPosition) {
  return {
    event_slug: market.eventSlug,
    outcome: market.outcome,
    image: market.image,
    condition_id: market.condition,
    tag_slugs: state.tagLabels === null ? null : [...state.tagLabels].reverse(),
    last_trade_at: filledSec === 0 ? null : filledSec,
    closed_at: closedSec,
    resolved_at: state.resolvedSec,
  }
}

/** At the price of now. */
export const unrealizedNow = (row: ShownPosition): bigint => unrealizedOf(row, priceOf(row.state))

function presentAverage(row: PositionRow): number | null {
  const average = averagePriceOf(row)
  return average === undefined ? null : toDecimal(average)
}

const presentWinner = (result: TokenResult | undefined) => ({
  winning_outcome_index: result === undefined ? null : winningOutcomeOf(result.payouts),
  won: result === undefined ? null : wonOf(result),
})

const oppositeOf = ({ opposite }: TokenState): string | null =>
  opposite === null ? null : toTokenId(opposite)

const priceOf = ({ numerator, denominator }: TokenState): SharePrice => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
})

function resultOf({ payouts, outcome }: TokenState): TokenResult | undefined {
  return payouts === null ? undefined : { payouts: payouts.map(BigInt), outcome }
}
