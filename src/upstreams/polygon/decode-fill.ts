import {
  addressAt,
  addressToWord,
  DecodeError,
  START,
  uintAt,
  WORD,
  wordAt,
  ZERO_WORD,
} from './abi.js'
import { EXCHANGES, type Generation } from './contracts.js'
import { checkData, checkTopics, type EventDecoder } from './event.js'
import type { ChainLog, LogPlace } from './log.js'
import { type Side, sideAt } from './order.js'

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

export const fillV1: EventDecoder<Fill> = {
  kind: 'fill',
  topic0: '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
  decode(log, { generation }) {
    checkTopics(log, 3)
    checkData(log.data, 5)
    return toFill(log, generation, tradeV1(log.data), ZERO_WORD, ZERO_WORD)
  },
}

export const fill: EventDecoder<Fill> = {
  kind: 'fill',
  topic0: '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
  decode(log, { generation }) {
    checkTopics(log, 3)
    checkData(log.data, 7)
    const builder = wordAt(log.data, START + 5 * WORD)
    const metadata = wordAt(log.data, START + 6 * WORD)
    return toFill(log, generation, trade(log.data), builder, metadata)
  },
}

export const ordersMatchedV1: EventDecoder<OrdersMatched> = {
  kind: 'ordersMatched',
  topic0: '0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c',
  decode(log, { generation }) {
    checkTopics(log, 2)
    checkData(log.data, 4)
    return toMatched(log, generation, tradeV1(log.data))
  },
}

export const ordersMatched: EventDecoder<OrdersMatched> = {
  kind: 'ordersMatched',
  topic0: '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c',
  decode(log, { generation }) {
    checkTopics(log, 2)
    checkData(log.data, 4)
    return toMatched(log, generation, trade(log.data))
  },
}

const EXCHANGE_WORDS: ReadonlySet<string> = new Set([...EXCHANGES].map(addressToWord))

/** The fee stands in the same place in all generations. */
function toFill(
  log: ChainLog,
  generation: Generation,
  { side, tokenId, usd, shares }: Trade,
  builder: string,
  metadata: string,
): Fill {
  const [, orderHash = '', maker = '', taker = ''] = log.topics
  return {
    kind: 'fill',
    at: log.at,
    generation,
    orderHash: wordAt(orderHash, START),
    maker: addressAt(maker, START),
    taker: addressAt(taker, START),
    isTaker: EXCHANGE_WORDS.has(taker),
    side,
    tokenId,
    usd,
    shares,
    fee: uintAt(log.data, START + 4 * WORD),
    builder,
    metadata,
  }
}

function toMatched(log: ChainLog, generation: Generation, parts: Trade): OrdersMatched {
  const [, orderHash = '', maker = ''] = log.topics
  return {
    kind: 'ordersMatched',
    at: log.at,
    generation,
    orderHash: wordAt(orderHash, START),
    maker: addressAt(maker, START),
    ...parts,
  }
}

type Trade = Pick<Fill, 'side' | 'tokenId' | 'usd' | 'shares'>

/** Generation 1 names what each side gives; asset 0 is the money, and who gives it buys. */
function tradeV1(data: string): Trade {
  const makerAsset = wordAt(data, START)
  const takerAsset = wordAt(data, START + WORD)
  const made = uintAt(data, START + 2 * WORD)
  const taken = uintAt(data, START + 3 * WORD)
  if ((makerAsset === ZERO_WORD) === (takerAsset === ZERO_WORD))
    throw new DecodeError('money must be on exactly one side of a fill')
  return makerAsset === ZERO_WORD
    ? { side: 'BUY', tokenId: takerAsset, usd: made, shares: taken }
    : { side: 'SELL', tokenId: makerAsset, usd: taken, shares: made }
}

/** From generation 2 on the log names the side and the token. */
function trade(data: string): Trade {
  const side = sideAt(data, START)
  const tokenId = wordAt(data, START + WORD)
  const made = uintAt(data, START + 2 * WORD)
  const taken = uintAt(data, START + 3 * WORD)
  return side === 'BUY'
    ? { side, tokenId, usd: made, shares: taken }
    : { side, tokenId, usd: taken, shares: made }
}
