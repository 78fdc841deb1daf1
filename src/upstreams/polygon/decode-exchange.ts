import { DecodeError, START, WORD, ZERO_WORD } from './abi.js'
import { EXCHANGES, type Generation } from './contracts.js'
import { address, event, handwritten, uint, word } from './event.js'
import type { LogReader } from './fast/log-reader.js'
import type { LogPosition } from './log.js'
import type { Side } from './order.js'

const fillV1 = handwritten(
  'fill',
  '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
  { indexed: 3, words: 5 },
  (log, at, { generation }) => {
    const isBuy = isBuyV1(log)
    return toFill(log, at, generation, isBuy, isBuy ? 1 : 0, ZERO_WORD, ZERO_WORD)
  },
)

export const fill = handwritten(
  'fill',
  '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  { indexed: 3, words: 7 },
  (log, at, { generation }) => {
    const builder = log.id(START + 5 * WORD)
    const metadata = log.id(START + 6 * WORD)
    return toFill(log, at, generation, isBuyOf(log), 1, builder, metadata)
  },
)

export const ordersMatchedV1 = handwritten(
  'ordersMatched',
  '0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c',
  { indexed: 2, words: 4 },
  (log, at, { generation }) => {
    const isBuy = isBuyV1(log)
    return toMatched(log, at, generation, isBuy, isBuy ? 1 : 0)
  },
)

export const ordersMatched = handwritten(
  'ordersMatched',
  '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  { indexed: 2, words: 4 },
  (log, at, { generation }) => toMatched(log, at, generation, isBuyOf(log), 1),
)

const feeChargedV1 = event(
  'feeCharged',
  '0xacffcc86834d0f1a64b0d5a675798deed6ff0bcfc2231edd3480e7288dba7ff4',
  { topics: { receiver: address }, data: { tokenId: word, amount: uint } },
)

const feeCharged = handwritten(
  'feeCharged',
  '0x55bb3cade9d43b798a4fe5ffdd05024b2d7870df53920673bfc7e68047cd0ab1',
  { indexed: 1, words: 1 },
  (log, at) => ({
    kind: 'feeCharged' as const,
    at,
    receiver: log.topicAddress(1),
    // The fee is in money. Only generation 1 takes shares.
    tokenId: ZERO_WORD,
    amount: log.uint(START),
  }),
)

export const EXCHANGE_V1_EVENTS = [
  fillV1,
  ordersMatchedV1,
  feeChargedV1,
  event('orderCancelled', '0x5152abf959f6564662358c2e52b702259b78bac5ee7842a0f01937e670efcc7d', {
    topics: { orderHash: word },
  }),
  // Comes twice for each pair, with the tokens swapped.
  event('tokenRegistered', '0xbc9a2432e8aeb48327246cddd6e872ef452812b4243c04e6bfb786a2cd8faf0d', {
    topics: { token0: word, token1: word, conditionId: word },
  }),
] as const

export const EXCHANGE_EVENTS = [
  fill,
  ordersMatched,
  feeCharged,
  event('orderPreapproved', '0xe92c22722d9c284034b6c9f5aaec018edb3e593c0e084900b6b9d390a1182a0b', {
    topics: { orderHash: word },
  }),
  event('orderPreapprovalInvalidated', '0xb766aa470f20b094f26a9a14ea5bf63a60af51703c15776e2e739b6a0428adf6', {
    topics: { orderHash: word },
  }),
  event('userPaused', '0xa3e76126f19eb25001b29726d2a9502b6377938633d2d6a955107dd442e7a14a', {
    topics: { user: address },
    data: { effectivePauseBlock: uint },
  }),
  event('userUnpaused', '0x1419d4111b5c8636aecff843bf618525f4f8e1aa6898a14357021d68dde8af12', {
    topics: { user: address },
  }),
  event('tradingPaused', '0x203c4bd3e526634f661575359ff30de3b0edaba6c2cb1eac60f730b6d2d9d536', {
    topics: { pauser: address },
  }),
  event('tradingUnpaused', '0xa1e8a54850dbd7f520bcc09f47bff152294b77b2081da545a7adf531b7ea283b', {
    topics: { pauser: address },
  }),
  event('feeReceiverUpdated', '0x27aae5db36d94179909d019ae0b1ac7c16d96d953148f63c0f6a0a9c8ead79ee', {
    topics: { feeReceiver: address },
  }),
  event('maxFeeRateUpdated', '0xe380d7c3967dd06cc7c01db8b17332a1d806fd18f63206dcbd12aaef455c7ff2', {
    data: { maxFeeRate: uint },
  }),
] as const

export const FEE_MODULE_EVENTS = [
  event('feeRefunded', '0xb608d2bf25d8b4b744ba23ce2ea9802ea955e216c064a62f42152fbf98958d24', {
    topics: { orderHash: word, to: address, feeCharged: uint },
    data: { id: word, refund: uint },
  }),
  event('feeWithdrawn', '0x6ce49f8691a80db5eb4f60cd55b14640529346a7ddf9bf8f77a423fa6a10bfdb', {
    data: { token: address, to: address, id: word, amount: uint },
  }),
] as const

/**
 * An order was filled, in full or in part. Every field is from the side of the order's owner, `maker`.
 * The amounts made and taken and the fee are at the same word offsets in all generations.
 */
function toFill(
  log: LogReader,
  at: LogPosition,
  generation: Generation,
  isBuy: boolean,
  tokenWord: number,
  builder: string,
  metadata: string,
) {
  const made = log.uint(START + 2 * WORD)
  const taken = log.uint(START + 3 * WORD)
  const taker = log.topicAddress(3)
  return {
    kind: 'fill' as const,
    at,
    generation,
    orderHash: log.topicHash(1),
    maker: log.topicAddress(2),
    taker,
    // The log describes the order that took: its taker is the exchange, which repeats the makers' logs.
    isTaker: EXCHANGES.has(taker),
    side: sideOf(isBuy),
    tokenId: log.id(START + tokenWord * WORD),
    // What the shares cost without the fee.
    usd: isBuy ? made : taken,
    shares: isBuy ? taken : made,
    // Shares for a BUY of generation 1, money for everything else.
    fee: log.uint(START + 4 * WORD),
    // 32 zero bytes: none. Generation 1 has none on chain.
    builder,
    metadata,
  }
}

/** The taker's order once more, after all its fills: the end of a match. */
function toMatched(
  log: LogReader,
  at: LogPosition,
  generation: Generation,
  isBuy: boolean,
  tokenWord: number,
) {
  const made = log.uint(START + 2 * WORD)
  const taken = log.uint(START + 3 * WORD)
  return {
    kind: 'ordersMatched' as const,
    at,
    generation,
    orderHash: log.topicHash(1),
    maker: log.topicAddress(2),
    side: sideOf(isBuy),
    tokenId: log.id(START + tokenWord * WORD),
    usd: isBuy ? made : taken,
    shares: isBuy ? taken : made,
  }
}

const sideOf = (isBuy: boolean): Side => (isBuy ? 'BUY' : 'SELL')

/** Generation 1 names what each side gives; asset 0 is the money, and who gives it buys. */
function isBuyV1(log: LogReader): boolean {
  const makerAsset = log.id(START)
  const takerAsset = log.id(START + WORD)
  if ((makerAsset === ZERO_WORD) === (takerAsset === ZERO_WORD))
    throw new DecodeError('money must be on exactly one side of a fill')
  return makerAsset === ZERO_WORD
}

/** From generation 2 on the log names the side and the token. */
function isBuyOf(log: LogReader): boolean {
  const side = log.small(START)
  if (side > 1) throw new DecodeError(`${side} is no side of an order`)
  return side === 0
}
