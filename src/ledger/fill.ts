import { feeInMoney } from '../core/money.js'
import type { Books, LastPrice, Position, WalletTotals } from './books.js'
import { builderRowsFit, countBuilder, openBuilder } from './builder.js'
import { countMarket, marketRowsFit, openMarket } from './candle.js'
import { balanceFits, isBookable, positionFits, type RefusalReason, totalsFit } from './column-limits.js'
import { type FillEntry, NONE } from './entry.js'
import { acquire, changeBalance, openPosition, openTotals, realize } from './position.js'

/** The wallet trades with the exchange: the order on the other side has a fill entry of its own. */
export function bookFill(books: Books, fill: FillEntry): RefusalReason | undefined {
  if (!isBookable(fill.usd) || !isBookable(fill.shares) || !isBookable(fill.fee)) {
    return 'absurd_amount'
  }
  const { token } = fill
  const position = openPosition(books, fill.wallet, token)
  const exchange = openPosition(books, fill.exchange, token)
  const totals = openTotals(books, position)
  const market = fill.isTaker ? openMarket(books, fill) : undefined
  const namesBuilder = fill.builder !== NONE && position.isCombo === 0
  const builder = namesBuilder ? openBuilder(books, fill) : undefined
  const fits =
    positionFits(position) &&
    balanceFits(exchange) &&
    totalsFit(totals) &&
    (market === undefined || marketRowsFit(market)) &&
    (builder === undefined || builderRowsFit(builder))
  if (!fits) return 'column_full'

  const fee = feeInMoney(fill)
  if (market !== undefined) countMarket(market, fill, fee)
  if (builder !== undefined) countBuilder(builder, fill, fee)
  if (fill.isTaker && fill.shares > 0n) setPrices(books, fill, books.conditionOf(token))
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
    realize({ books, seq: fill.seq, cause: 'sell', rows: 0 }, position, shares, usd)
  }
  if (timeSec > position.filledSec) position.filledSec = timeSec
}

function countFill(totals: WalletTotals, fill: FillEntry, fee: bigint): void {
  totals.fills++
  totals.volume += fill.usd
  totals.fees += fee
  if (totals.firstFill === 0 || fill.seq < totals.firstFill) totals.firstFill = fill.seq
  if (fill.seq > totals.lastFill) totals.lastFill = fill.seq
  if (fill.fee === 0n) return
  totals.feeFills++
  if (totals.firstFee === 0 || fill.seq < totals.firstFee) totals.firstFee = fill.seq
  if (fill.seq > totals.lastFee) totals.lastFee = fill.seq
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
