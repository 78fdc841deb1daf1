import { ctfAsset, managerAsset } from './books.js'
import { EXCHANGE_V3 } from './contracts.js'
import { addressIn, amountAt, type RawLog, topicAt, wordAt } from './log.js'

/** `making` is what the owner of an order gives and `taking` what is due for it. */
export type Terms = { buys: boolean; asset: string; making: bigint; taking: bigint }

/** One order's part in a match, as its log shows it. */
export type Fill = {
  exchange: string
  orderHash: string
  maker: string
  taker: string
  terms: Terms
  fee: bigint
  feeAsset: string
}

/** The log that ends a match, and how many fills stand before it. */
export type Matched = Pick<Fill, 'exchange' | 'orderHash' | 'maker' | 'terms'> & { after: number }
export type Fee = { asset: string; amount: bigint }
export type Refund = { module: string; orderHash: string; refund: bigint; charged: bigint }

/** All that an exchange and its fee module say in one transaction. */
export type MatchLogs = { fills: Fill[]; matched: Matched[]; fees: Fee[]; refunds: Refund[] }

export const sharesOf = ({ terms }: Fill): bigint => (terms.buys ? terms.taking : terms.making)
export const usdOf = ({ terms }: Fill): bigint => (terms.buys ? terms.making : terms.taking)

export function readParties(log: RawLog) {
  const [orderHash, maker] = [topicAt(log, 1), addressIn(topicAt(log, 2))]
  return { exchange: log.address, orderHash, maker }
}

/** Asset id 0 is the money, and who gives it buys. */
export function readTermsV1(log: RawLog): Terms {
  const [given, wanted] = [wordAt(log, 0), wordAt(log, 1)]
  const buys = isZero(given)
  const asset = buys ? ctfAsset(wanted) : isZero(wanted) ? ctfAsset(given) : NO_ASSET
  return { buys, asset, making: amountAt(log, 2), taking: amountAt(log, 3) }
}

export function readTermsV2(log: RawLog): Terms {
  const side = amountAt(log, 0)
  const id = wordAt(log, 1)
  const assetOf = log.address === EXCHANGE_V3 ? managerAsset : ctfAsset
  const asset = side <= 1n ? assetOf(id) : NO_ASSET
  return { buys: side === 0n, asset, making: amountAt(log, 2), taking: amountAt(log, 3) }
}

export function isZero(word: string): boolean {
  return BigInt(`0x${word}`) === 0n
}

/** Of a log that makes no sense; no token fits it. */
const NO_ASSET = ''
