import type { Fill, Match } from '../universe/acts.js'
import { ADDRESS, WORD } from './addresses.js'
import { exchangeAdapter, mergeThrough, splitThrough } from './collateral.js'
import { movePusd } from './events/erc20.js'
import { moveShares } from './events/erc1155.js'
import { chargedFee, makerFeesOf, makerFilled, marketOf, setsOf, takerFilled } from './fills.js'
import type { LogBody } from './log.js'
import type { Word } from './words.js'

/**
 * Exchange V2 settles a match of plain trades between the wallets themselves. As soon as one pair
 * mints or merges, everything goes through the exchange: it collects from all, splits or merges
 * once for all makers together, and pays out.
 */
export function encodeMatchV2(match: Match): LogBody[] {
  const exchange = match.exchange === 'v2' ? 'exchangeV2' : 'negRiskExchangeV2'
  const venue = { address: ADDRESS[exchange], word: WORD[exchange] }
  const taker = match.taker.order.side === 'BUY' ? 'buys' : 'sells'
  const settlement = setsOf(match) === 0 ? 'between wallets' : 'through the exchange'
  return SETTLEMENTS[settlement][taker](match, venue)
}

type Venue = { address: string; word: Word }

const SETTLEMENTS = {
  'between wallets': { buys: buyFromWallets, sells: sellToWallets },
  'through the exchange': { buys: buyThroughExchange, sells: sellThroughExchange },
}

function buyFromWallets(match: Match, { address, word }: Venue): LogBody[] {
  const { taker } = match
  const buyer = taker.order.wallet.word
  const logs: LogBody[] = []
  for (const maker of match.makers) {
    const seller = maker.order.wallet.word
    logs.push(
      moveShares(word, seller, buyer, taker.order.token.word, maker.shares),
      ...chargedFee(address, maker),
      movePusd(buyer, seller, maker.usd - maker.fee),
      makerFilled(address, maker, match),
    )
  }
  const fees = makerFeesOf(match) + taker.fee
  logs.push(...chargedFee(address, taker), ...takerFilled(address, word, match))
  if (fees > 0) logs.push(movePusd(buyer, WORD.feeReceiver, fees))
  return logs
}

function sellToWallets(match: Match, { address, word }: Venue): LogBody[] {
  const { taker } = match
  const seller = taker.order.wallet.word
  const logs: LogBody[] = []
  for (const maker of match.makers) {
    const buyer = maker.order.wallet.word
    logs.push(
      moveShares(word, seller, buyer, taker.order.token.word, maker.shares),
      movePusd(buyer, word, maker.usd + maker.fee),
      ...chargedFee(address, maker),
      makerFilled(address, maker, match),
    )
  }
  const fees = makerFeesOf(match) + taker.fee
  logs.push(
    ...chargedFee(address, taker),
    movePusd(word, seller, taker.usd - taker.fee),
    ...takerFilled(address, word, match),
  )
  if (fees > 0) logs.push(movePusd(word, WORD.feeReceiver, fees))
  return logs
}

function buyThroughExchange(match: Match, venue: Venue): LogBody[] {
  const { taker } = match
  const { address, word } = venue
  const market = marketOf(match)
  const fees = makerFeesOf(match) + taker.fee
  return [
    collect(taker, word),
    ...match.makers.map((maker) => collect(maker, word)),
    ...splitThrough(exchangeAdapter(market), word, market, setsOf(match)),
    ...match.makers.flatMap((maker) => payMaker(maker, match, venue)),
    ...chargedFee(address, taker),
    ...(fees > 0 ? [movePusd(word, WORD.feeReceiver, fees)] : []),
    pay(taker, word),
    ...takerFilled(address, word, match),
  ]
}

function sellThroughExchange(match: Match, venue: Venue): LogBody[] {
  const { taker } = match
  const { address, word } = venue
  const market = marketOf(match)
  const makerFees = makerFeesOf(match)
  return [
    collect(taker, word),
    ...match.makers.map((maker) => collect(maker, word)),
    ...mergeThrough(exchangeAdapter(market), word, market, setsOf(match)),
    ...match.makers.flatMap((maker) => payMaker(maker, match, venue)),
    ...(makerFees > 0 ? [movePusd(word, WORD.feeReceiver, makerFees)] : []),
    pay(taker, word),
    ...chargedFee(address, taker),
    ...takerFilled(address, word, match),
    ...(taker.fee > 0 ? [movePusd(word, WORD.feeReceiver, taker.fee)] : []),
  ]
}

function payMaker(maker: Fill, match: Match, { address, word }: Venue): LogBody[] {
  return [pay(maker, word), ...chargedFee(address, maker), makerFilled(address, maker, match)]
}

/** A buyer brings its fee along. */
function collect({ order, usd, shares, fee }: Fill, exchange: Word): LogBody {
  const wallet = order.wallet.word
  return order.side === 'BUY'
    ? movePusd(wallet, exchange, usd + fee)
    : moveShares(exchange, wallet, exchange, order.token.word, shares)
}

/** From the proceeds of a seller its fee is kept. */
function pay({ order, usd, shares, fee }: Fill, exchange: Word): LogBody {
  const wallet = order.wallet.word
  return order.side === 'BUY'
    ? moveShares(exchange, exchange, wallet, order.token.word, shares)
    : movePusd(exchange, wallet, usd - fee)
}
