import { feeInMoney } from '../core/money.js'
import type {
  Books,
  BuilderHour,
  BuilderWallet,
  LastPrice,
  MarketHour,
  Position,
  WalletTotals,
} from './books.js'
import {
  balanceFits,
  builderFits,
  isBookable,
  isWithinLimit,
  positionFits,
  type RefusalReason,
  totalsFit,
} from './column-limits.js'
import { type FillEntry, NONE } from './entry.js'
import { acquire, changeBalance, realize } from './position.js'

/** The wallet trades with the exchange: the order on the other side has a fill entry of its own. */
export function bookFill(books: Books, fill: FillEntry): RefusalReason | undefined {
  if (!isBookable(fill.usd) || !isBookable(fill.shares) || !isBookable(fill.fee)) {
    return 'absurd_amount'
  }
  const { wallet, token, builder } = fill
  const hour = hourOf(fill.timeSec)
  const condition = books.conditionOf(token)
  const position = books.rows.positions.open(wallet, token)
  const exchange = books.rows.positions.open(fill.exchange, token)
  const totals = books.rows.walletTotals.open(wallet)
  const market = condition === NONE ? undefined : books.rows.marketHours.open(condition, hour)
  const builderHour = builder === NONE ? undefined : books.rows.builderHours.open(builder, hour)
  const builderWallet =
    builder === NONE ? undefined : books.rows.builderWallets.open(builder, wallet)
  const fits =
    positionFits(position) &&
    balanceFits(exchange) &&
    totalsFit(totals) &&
    (market === undefined || isWithinLimit(market.volume)) &&
    (builderHour === undefined || builderFits(builderHour)) &&
    (builderWallet === undefined || builderFits(builderWallet))
  if (!fits) return 'column_full'

  const fee = feeInMoney(fill)
  // Market and builder compare with the time of the previous fill, which `trade` overwrites.
  if (market !== undefined) countMarket(books, market, fill, position)
  if (builderHour !== undefined && builderWallet !== undefined) {
    countBuilder(builderHour, builderWallet, fill, fee)
  }
  if (fill.isTaker && fill.shares > 0n) setPrices(books, fill, condition)
  trade(books, fill, position, exchange, totals)
  position.fees += fee
  countFill(totals, fill, fee)
  return undefined
}

function trade(
  books: Books,
  fill: FillEntry,
  position: Position,
  exchange: Position,
  totals: WalletTotals,
): void {
  const { usd, shares, timeSec } = fill
  if (fill.isBuy) {
    const received = fill.isFeeInShares ? shares - fill.fee : shares
    changeBalance(position, received, timeSec)
    changeBalance(exchange, -received, timeSec)
    acquire(position, totals, received, usd)
  } else {
    changeBalance(position, -shares, timeSec)
    changeBalance(exchange, shares, timeSec)
    realize({ books, totals, seq: fill.seq, cause: 'sell', rows: 0 }, position, shares, usd)
  }
  if (timeSec > position.filledSec) position.filledSec = timeSec
}

function countFill(totals: WalletTotals, fill: FillEntry, fee: bigint): void {
  totals.fills++
  totals.volume += fill.usd
  totals.fees += fee
  if (totals.firstFill === 0 || fill.seq < totals.firstFill) totals.firstFill = fill.seq
  if (fill.seq > totals.lastFill) totals.lastFill = fill.seq
}

/** The shares of two outcomes are worth one dollar together, so one fill sets both prices. */
function setPrices(books: Books, fill: FillEntry, condition: number): void {
  setPrice(books.rows.lastPrices.open(fill.token), fill.seq, fill.usd, fill.shares)
  if (condition === NONE || fill.usd > fill.shares) return
  const tokens = books.tokensOf(condition)
  if (tokens.length !== 2) return
  const other = tokens[0] === fill.token ? tokens[1] : tokens[0]
  if (other === undefined) return
  setPrice(books.rows.lastPrices.open(other), fill.seq, fill.shares - fill.usd, fill.shares)
}

function setPrice(price: LastPrice, seq: number, usd: bigint, shares: bigint): void {
  if (seq < price.seq) return
  price.seq = seq
  price.usd = usd
  price.shares = shares
}

/** Every order owner counts as a trader, once an hour; only the taking side counts as volume. */
function countMarket(books: Books, market: MarketHour, fill: FillEntry, position: Position): void {
  if (fill.isTaker) {
    market.volume += fill.usd
    market.trades++
  }
  if (!hasFilled(position, market.hour) && !hasFilledOther(books, market, fill)) market.traders++
}

function hasFilledOther(books: Books, { condition, hour }: MarketHour, fill: FillEntry): boolean {
  for (const token of books.tokensOf(condition)) {
    if (token === fill.token) continue
    const position = books.rows.positions.peek(fill.wallet, token)
    if (position !== undefined && hasFilled(position, hour)) return true
  }
  return false
}

const hasFilled = (position: Position, hour: number): boolean => hourOf(position.filledSec) === hour

/** Every fill whose order names the builder counts, of takers and makers alike. */
function countBuilder(
  builder: BuilderHour,
  wallet: BuilderWallet,
  { usd, timeSec }: FillEntry,
  fee: bigint,
): void {
  if (hourOf(wallet.lastSec) !== builder.hour) builder.traders++
  builder.volume += usd
  builder.fees += fee
  builder.fills++
  wallet.volume += usd
  wallet.fees += fee
  wallet.fills++
  if (wallet.firstSec === 0 || timeSec < wallet.firstSec) wallet.firstSec = timeSec
  if (timeSec > wallet.lastSec) wallet.lastSec = timeSec
}

/** Unix time in hours. */
export const hourOf = (timeSec: number): number => Math.floor(timeSec / 3600)
