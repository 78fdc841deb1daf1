import { DecodeError, START, WORD, ZERO_WORD } from './abi.js'
import { EXCHANGES, type Generation } from './contracts.js'
import { dataId, dataSmall, dataUint } from './data.js'
import { handwritten } from './event.js'
import type { ChainLog, LogPlace } from './log.js'
import type { Side } from './order.js'
import { topicAddress, topicHash } from './topics.js'

/** An order was filled, in full or in part. Everything is told from the side of the order's owner, `maker`. */
export type Fill = {
  kind: 'fill'
  at: LogPlace
  generation: Generation
  orderHash: string
  maker: string
  taker: string
  /** The log describes the order that took: its taker is the exchange, which repeats the makers' logs. */
  isTaker: boolean
  side: Side
  /** As the 32 bytes of the log. */
  tokenId: string
  /** What the shares cost without the fee. */
  usd: bigint
  shares: bigint
  /** Shares for a BUY of generation 1, money for everything else. */
  fee: bigint
  /** 32 zero bytes: none. Generation 1 has none on chain. */
  builder: string
  metadata: string
}

/** The taker's order once more, after all its fills: the end of a match. */
export type OrdersMatched = {
  kind: 'ordersMatched'
  at: LogPlace
  generation: Generation
  orderHash: string
  maker: string
  side: Side
  tokenId: string
  usd: bigint
  shares: bigint
}

export const fillV1 = handwritten<Fill>(
  'fill',
  '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
  { indexed: 3, words: 5 },
  (log, { generation }) => {
    const isBuy = isBuyV1(log.data)
    return toFill(log, generation, isBuy, isBuy ? 1 : 0, ZERO_WORD, ZERO_WORD)
  },
)

export const fill = handwritten<Fill>(
  'fill',
  '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  { indexed: 3, words: 7 },
  (log, { generation }) => {
    const builder = dataId(log.data, START + 5 * WORD)
    const metadata = dataId(log.data, START + 6 * WORD)
    return toFill(log, generation, isBuyOf(log.data), 1, builder, metadata)
  },
)

export const ordersMatchedV1 = handwritten<OrdersMatched>(
  'ordersMatched',
  '0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c',
  { indexed: 2, words: 4 },
  (log, { generation }) => {
    const isBuy = isBuyV1(log.data)
    return toMatched(log, generation, isBuy, isBuy ? 1 : 0)
  },
)

export const ordersMatched = handwritten<OrdersMatched>(
  'ordersMatched',
  '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  { indexed: 2, words: 4 },
  (log, { generation }) => toMatched(log, generation, isBuyOf(log.data), 1),
)

/** What was made and taken and the fee stand in the same places in all generations. */
function toFill(
  { at, topics, data }: ChainLog,
  generation: Generation,
  isBuy: boolean,
  tokenWord: number,
  builder: string,
  metadata: string,
): Fill {
  const made = dataUint(data, START + 2 * WORD)
  const taken = dataUint(data, START + 3 * WORD)
  const taker = topicAddress(topics[3])
  return {
    kind: 'fill',
    at,
    generation,
    orderHash: topicHash(topics[1]),
    maker: topicAddress(topics[2]),
    taker,
    isTaker: EXCHANGES.has(taker),
    side: isBuy ? 'BUY' : 'SELL',
    tokenId: dataId(data, START + tokenWord * WORD),
    usd: isBuy ? made : taken,
    shares: isBuy ? taken : made,
    fee: dataUint(data, START + 4 * WORD),
    builder,
    metadata,
  }
}

function toMatched(
  { at, topics, data }: ChainLog,
  generation: Generation,
  isBuy: boolean,
  tokenWord: number,
): OrdersMatched {
  const made = dataUint(data, START + 2 * WORD)
  const taken = dataUint(data, START + 3 * WORD)
  return {
    kind: 'ordersMatched',
    at,
    generation,
    orderHash: topicHash(topics[1]),
    maker: topicAddress(topics[2]),
    side: isBuy ? 'BUY' : 'SELL',
    tokenId: dataId(data, START + tokenWord * WORD),
    usd: isBuy ? made : taken,
    shares: isBuy ? taken : made,
  }
}

/** Generation 1 names what each side gives; asset 0 is the money, and who gives it buys. */
function isBuyV1(data: string): boolean {
  const makerAsset = dataId(data, START)
  const takerAsset = dataId(data, START + WORD)
  if ((makerAsset === ZERO_WORD) === (takerAsset === ZERO_WORD))
    throw new DecodeError('money must be on exactly one side of a fill')
  return makerAsset === ZERO_WORD
}

/** From generation 2 on the log names the side and the token. */
function isBuyOf(data: string): boolean {
  const side = dataSmall(data, START)
  if (side > 1) throw new DecodeError(`${side} is no side of an order`)
  return side === 0
}
