import type { Fill, Match } from '../universe/acts.js'
import { ADDRESS, WORD } from './addresses.js'
import { moveUsdce, pullUsdce } from './events/erc20.js'
import { moveShares } from './events/erc1155.js'
import {
  type FilledV1,
  feeChargedV1,
  feeRefunded,
  orderFilledV1,
  ordersMatchedV1,
} from './events/exchange-v1.js'
import { isTrade, making, marketOf, taking } from './fills.js'
import type { LogBody } from './log.js'
import { orderHash } from './order-hash.js'
import { merge, split } from './positions.js'
import { type Word, ZERO_WORD } from './words.js'

/**
 * Exchange V1 settles everything in USDC.e through itself, maker by maker. Fees are taken from what
 * an order receives, by the rate that it signed; the fee module then gives back what exceeds the fee
 * that the operator wants, to the taker first.
 */
export function encodeMatchV1(match: Match): LogBody[] {
  const venue = match.exchange === 'v1' ? STANDARD : NEG_RISK
  const { taker, makers } = match
  const filled = filledFields(taker, venue, venue.exchange)
  return [
    ...collect(taker, venue),
    ...makers.flatMap((maker) => settleMaker(maker, match, venue)),
    ...pay(taker, venue),
    orderFilledV1(filled),
    ordersMatchedV1(filled),
    ...[taker, ...makers].flatMap((fill) => giveBack(fill, venue)),
  ]
}

/** Matches of orders that allow no fee go straight to the exchange. */
export function usesFeeModule({ taker, makers }: Match): boolean {
  return taker.fee > 0 || makers.some((maker) => maker.fee > 0)
}

type Venue = {
  address: string
  exchange: Word
  feeModuleAddress: string
  feeModule: Word
  /** Neg-risk exchange and module reach the tokens through the neg-risk adapter. */
  operators: { exchange: Word; feeModule: Word }
}

const STANDARD: Venue = {
  address: ADDRESS.exchangeV1,
  exchange: WORD.exchangeV1,
  feeModuleAddress: ADDRESS.feeModule,
  feeModule: WORD.feeModule,
  operators: { exchange: WORD.exchangeV1, feeModule: WORD.feeModule },
}

const NEG_RISK: Venue = {
  address: ADDRESS.negRiskExchangeV1,
  exchange: WORD.negRiskExchangeV1,
  feeModuleAddress: ADDRESS.negRiskFeeModule,
  feeModule: WORD.negRiskFeeModule,
  operators: { exchange: WORD.negRiskAdapter, feeModule: WORD.negRiskAdapter },
}

function settleMaker(maker: Fill, match: Match, venue: Venue): LogBody[] {
  return [
    ...collect(maker, venue),
    ...(isTrade(match, maker) ? [] : mintOrMerge(maker, match, venue)),
    ...pay(maker, venue),
    orderFilledV1(filledFields(maker, venue, match.taker.order.wallet.word)),
  ]
}

function mintOrMerge(maker: Fill, match: Match, { exchange }: Venue): LogBody[] {
  const market = marketOf(match)
  return maker.order.side === 'BUY'
    ? split(exchange, market, maker.shares)
    : merge(exchange, market, maker.shares)
}

function collect({ order, usd, shares }: Fill, { exchange, operators }: Venue): LogBody[] {
  const wallet = order.wallet.word
  return order.side === 'BUY'
    ? pullUsdce(wallet, exchange, exchange, usd)
    : [moveShares(operators.exchange, wallet, exchange, order.token.word, shares)]
}

/** The fee goes to the caller of the exchange, and only the fee module calls when there is one. */
function pay(fill: Fill, venue: Venue): LogBody[] {
  const { address, exchange, feeModule, operators } = venue
  const send = (to: Word, amount: number) => sendTaken(fill, operators.exchange, exchange, to, amount)
  const paid = send(fill.order.wallet.word, taking(fill) - fill.fee)
  if (fill.fee === 0) return [paid]
  return [paid, send(feeModule, fill.fee), feeChargedV1(address, feeModule, takenAsset(fill), fill.fee)]
}

function giveBack(fill: Fill, venue: Venue): LogBody[] {
  const { order, fee, refund } = fill
  if (refund === 0) return []
  const { feeModule, feeModuleAddress, operators } = venue
  const wallet = order.wallet.word
  const charged = fee - refund
  return [
    sendTaken(fill, operators.feeModule, feeModule, wallet, refund),
    feeRefunded(feeModuleAddress, orderHash(order), wallet, takenAsset(fill), refund, charged),
  ]
}

function sendTaken({ order }: Fill, operator: Word, from: Word, to: Word, amount: number): LogBody {
  return order.side === 'BUY'
    ? moveShares(operator, from, to, order.token.word, amount)
    : moveUsdce(from, to, amount)
}

function takenAsset({ order }: Fill): Word {
  return order.side === 'BUY' ? order.token.word : ZERO_WORD
}

function filledFields(fill: Fill, { address }: Venue, taker: Word): FilledV1 {
  const { order } = fill
  const token = order.token.word
  const buys = order.side === 'BUY'
  return {
    exchange: address,
    orderHash: orderHash(order),
    maker: order.wallet.word,
    taker,
    makerAsset: buys ? ZERO_WORD : token,
    takerAsset: buys ? token : ZERO_WORD,
    makerAmount: making(fill),
    takerAmount: taking(fill),
    fee: fill.fee,
  }
}
