import assert from 'node:assert'
import { keccak256 } from '../../lib/keccak.js'
import {
  addressAt,
  addressToWord,
  DecodeError,
  START,
  smallAt,
  uintAt,
  uintToWord,
  WORD,
  wordAt,
} from './abi.js'
import { CONTRACTS, EXCHANGES } from './contracts.js'

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
  /** The only wallet that may take it; the zero address: any wallet. */
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

/** The hash by which the logs of that exchange name the order: what its owner signed (EIP-712). */
export function orderHash(order: SignedOrder, exchange: string): string {
  const domain = DOMAINS.get(exchange)
  assert(domain !== undefined, `${exchange} is an exchange`)
  return orderHashUnder(domain, order)
}

/** The hash under the separator of any domain: test chains have others. */
export function orderHashUnder(domain: string, order: SignedOrder): string {
  const struct = order.version === 1 ? encodeV1(order) : encodeV2(order)
  return keccak256(`0x1901${digits(domain)}${digits(keccak256(struct))}`)
}

/** Separator of an exchange's domain. Its version counts the generations of exchanges. */
export function orderDomain(version: number, chainId: number, exchange: string): string {
  return keccak256(
    DOMAIN_TYPE +
      digits(DOMAIN_NAME) +
      digits(hashText(String(version))) +
      digits(uintToWord(BigInt(chainId))) +
      digits(addressToWord(exchange)),
  )
}

const POLYGON = 137

const DOMAIN_TYPE = hashText(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)
const DOMAIN_NAME = hashText('Polymarket CTF Exchange')

const DOMAINS: ReadonlyMap<string, string> = new Map(
  CONTRACTS.filter(({ address }) => EXCHANGES.has(address)).map(({ address, generation }) => [
    address,
    orderDomain(generation, POLYGON, address),
  ]),
)

const TYPE_V1 = hashText(
  'Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,' +
    'uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,' +
    'uint256 feeRateBps,uint8 side,uint8 signatureType)',
)
const TYPE_V2 = hashText(
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,' +
    'uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,' +
    'bytes32 builder)',
)

function encodeV1(order: OrderV1): string {
  return (
    TYPE_V1 +
    digits(uintToWord(order.salt)) +
    digits(addressToWord(order.maker)) +
    digits(addressToWord(order.signer)) +
    digits(addressToWord(order.taker)) +
    digits(order.tokenId) +
    digits(uintToWord(order.makerAmount)) +
    digits(uintToWord(order.takerAmount)) +
    digits(uintToWord(order.expiration)) +
    digits(uintToWord(order.nonce)) +
    digits(uintToWord(order.feeRateBps)) +
    digits(sideToWord(order)) +
    digits(uintToWord(BigInt(order.signatureType)))
  )
}

function encodeV2(order: OrderV2): string {
  return (
    TYPE_V2 +
    digits(uintToWord(order.salt)) +
    digits(addressToWord(order.maker)) +
    digits(addressToWord(order.signer)) +
    digits(order.tokenId) +
    digits(uintToWord(order.makerAmount)) +
    digits(uintToWord(order.takerAmount)) +
    digits(sideToWord(order)) +
    digits(uintToWord(BigInt(order.signatureType))) +
    digits(uintToWord(order.timestampMs)) +
    digits(order.metadata) +
    digits(order.builder)
  )
}

function sideToWord({ side }: SignedOrder): string {
  return uintToWord(side === 'BUY' ? 0n : 1n)
}

function digits(hex: string): string {
  return hex.slice(START)
}

function hashText(text: string): string {
  return keccak256(Buffer.from(text))
}
