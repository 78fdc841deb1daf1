import { addressAt, DecodeError, smallAt, uintAt, WORD, wordAt } from './abi.js'

export type Side = 'BUY' | 'SELL'

type OrderParts = {
  salt: bigint
  /** The wallet that trades, and the key that signed for it. */
  maker: string
  signer: string
  tokenId: string
  makerAmount: bigint
  takerAmount: bigint
  side: Side
  /** 0 the wallet's own key, 1 proxy, 2 Safe, 3 a contract that checks signatures itself. */
  signatureType: number
}

export type OrderV1 = OrderParts & {
  version: 1
  /** Who alone may take it; the zero address for everybody. */
  taker: string
  expiration: bigint
  nonce: bigint
  feeRateBps: bigint
}

export type OrderV2 = OrderParts & {
  version: 2
  /** When it was made. */
  timestampMs: bigint
  metadata: string
  builder: string
}

/** An order as its owner signed it, without the signature. */
export type SignedOrder = OrderV1 | OrderV2

/** The order whose first word is at `at`. */
export function decodeOrderV1(hex: string, at: number): OrderV1 {
  const word = (index: number) => at + index * WORD
  return {
    version: 1,
    salt: uintAt(hex, word(0)),
    maker: addressAt(hex, word(1)),
    signer: addressAt(hex, word(2)),
    taker: addressAt(hex, word(3)),
    tokenId: wordAt(hex, word(4)),
    makerAmount: uintAt(hex, word(5)),
    takerAmount: uintAt(hex, word(6)),
    expiration: uintAt(hex, word(7)),
    nonce: uintAt(hex, word(8)),
    feeRateBps: uintAt(hex, word(9)),
    side: sideAt(hex, word(10)),
    signatureType: smallAt(hex, word(11)),
  }
}

export function decodeOrderV2(hex: string, at: number): OrderV2 {
  const word = (index: number) => at + index * WORD
  return {
    version: 2,
    salt: uintAt(hex, word(0)),
    maker: addressAt(hex, word(1)),
    signer: addressAt(hex, word(2)),
    tokenId: wordAt(hex, word(3)),
    makerAmount: uintAt(hex, word(4)),
    takerAmount: uintAt(hex, word(5)),
    side: sideAt(hex, word(6)),
    signatureType: smallAt(hex, word(7)),
    timestampMs: uintAt(hex, word(8)),
    metadata: wordAt(hex, word(9)),
    builder: wordAt(hex, word(10)),
  }
}

function sideAt(hex: string, at: number): Side {
  const side = smallAt(hex, at)
  if (side > 1) throw new DecodeError(`${side} is no side of an order`)
  return side === 0 ? 'BUY' : 'SELL'
}
