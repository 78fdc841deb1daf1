import type { Books, LastPrice, Position, WalletTotals } from './books.js'
import { countBuilder } from './builder-hour.js'
import { type FillEntry, NONE } from './entry.js'
import { acquire, openGains, realize } from './gains.js'
import { hourOf } from './hour.js'
import { countMarket } from './market-hour.js'
import { changeBalance } from './position.js'
import {
  balanceHasRoom,
  builderHasRoom,
  isBelowFull,
  isBookable,
  positionHasRoom,
  type Refusal,
  totalsHaveRoom,
} from './room.js'

/** The wallet trades with the exchange, whoever is behind it: the other side has a fill of its own. */
export function bookFill(books: Books, fill: FillEntry): Refusal | undefined {
  if (!isBookable(fill.usd) || !isBookable(fill.shares) || !isBookable(fill.fee)) {
    return 'absurd_amount'
  }
  const { wallet, token, builder } = fill
  const hour = hourOf(fill.timeSec)
  const condition = books.conditionOf(token)
  const position = books.position(wallet, token)
  const exchange = books.position(fill.exchange, token)
  const totals = books.wallet(wallet)
  const market = condition === NONE ? undefined : books.marketHour(condition, hour)
  const builderHour = builder === NONE ? undefined : books.builderHour(builder, hour)
  const builderWallet = builder === NONE ? undefined : books.builderWallet(builder, wallet)
  const hasRoom =
    positionHasRoom(position) &&
    balanceHasRoom(exchange) &&
    totalsHaveRoom(totals) &&
    (market === undefined || isBelowFull(market.volume)) &&
    (builderHour === undefined || builderHasRoom(builderHour)) &&
    (builderWallet === undefined || builderHasRoom(builderWallet))
  if (!hasRoom) return 'column_full'

  const fee = feeInMoney(fill)
  // The market and the builder look at the time of the fill before this one.
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
    realize(openGains(books, totals, fill.seq, 'sell'), position, shares, usd)
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

/** A fee in shares is worth the price of its fill, rounded down. */
function feeInMoney({ fee, isFeeInShares, usd, shares }: FillEntry): bigint {
  if (!isFeeInShares || fee === 0n) return fee
  return shares === 0n ? 0n : (fee * usd) / shares
}

/** A share of each of two outcomes is worth one dollar together: one fill prices both. */
function setPrices(books: Books, fill: FillEntry, condition: number): void {
  setPrice(books.lastPrice(fill.token), fill.seq, fill.usd, fill.shares)
  if (condition === NONE || fill.usd > fill.shares) return
  const tokens = books.tokensOf(condition)
  if (tokens.length !== 2) return
  const other = tokens[0] === fill.token ? tokens[1] : tokens[0]
  if (other === undefined) return
  setPrice(books.lastPrice(other), fill.seq, fill.shares - fill.usd, fill.shares)
}

function setPrice(price: LastPrice, seq: number, usd: bigint, shares: bigint): void {
  if (seq < price.seq) return
  price.seq = seq
  price.usd = usd
  price.shares = shares
}
