import { type ExchangeName, isV1, type Order } from '../universe/acts.js'
import { SIGNATURE_TYPES } from '../universe/wallet.js'
import { ADDRESS } from './addresses.js'
import { keccak, keccakText } from './keccak.js'
import { addressWord, type Word, word, ZERO_WORD } from './words.js'

const hashes = new WeakMap<Order, string>()

/** EIP-712 hash of an order, 0x and 64 hex digits. */
export function orderHash(order: Order): string {
  let hash = hashes.get(order)
  if (hash === undefined) {
    hash = `0x${typedHash(DOMAINS[order.exchange], order)}`
    hashes.set(order, hash)
  }
  return hash
}

/** Hash under any domain: test chains have others. */
export function typedHash(domain: Word, order: Order): Word {
  const struct = isV1(order.exchange)
    ? TYPE_V1 + orderWordsV1(order).join('')
    : TYPE_V2 + orderWordsV2(order).join('')
  return keccak(`1901${domain}${keccak(struct)}`)
}

export function domainSeparator(version: string, chainId: number, contract: string): Word {
  return keccak(
    keccakText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)') +
      keccakText('Polymarket CTF Exchange') +
      keccakText(version) +
      word(chainId) +
      addressWord(contract),
  )
}

/** Members of the struct as they are signed; calldata has the signature after them. */
export function orderWordsV2(order: Order): Word[] {
  const { wallet, token } = order
  return [
    word(order.salt),
    wallet.word,
    signerWord(order),
    token.word,
    word(order.makerAmount),
    word(order.takerAmount),
    sideWord(order),
    word(SIGNATURE_TYPES[wallet.kind]),
    word(order.createdMs),
    ZERO_WORD,
    builderWord(order),
  ]
}

export function orderWordsV1(order: Order): Word[] {
  const { wallet, token } = order
  return [
    word(order.salt),
    wallet.word,
    signerWord(order),
    ZERO_WORD, // taker: any address
    token.word,
    word(order.makerAmount),
    word(order.takerAmount),
    ZERO_WORD, // expiration: never
    ZERO_WORD, // nonce
    word(order.feeRateBps),
    sideWord(order),
    word(SIGNATURE_TYPES[wallet.kind]),
  ]
}

export function builderWord(order: Order): Word {
  return order.wallet.builder?.code.slice(2) ?? ZERO_WORD
}

const POLYGON = 137

const TYPE_V1 = keccakText(
  'Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,uint256 feeRateBps,uint8 side,uint8 signatureType)',
)
const TYPE_V2 = keccakText(
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)',
)

const DOMAINS: Readonly<Record<ExchangeName, Word>> = {
  v1: domainSeparator('1', POLYGON, ADDRESS.exchangeV1),
  v1NegRisk: domainSeparator('1', POLYGON, ADDRESS.negRiskExchangeV1),
  v2: domainSeparator('2', POLYGON, ADDRESS.exchangeV2),
  v2NegRisk: domainSeparator('2', POLYGON, ADDRESS.negRiskExchangeV2),
  v3: domainSeparator('3', POLYGON, ADDRESS.exchangeV3),
}

const BUY = word(0)
const SELL = word(1)

function sideWord(order: Order): Word {
  return order.side === 'BUY' ? BUY : SELL
}

/** A deposit wallet is asked itself whether a signature is good; for the others the key signs. */
function signerWord({ wallet }: Order): Word {
  return wallet.kind === 'deposit' ? wallet.word : addressWord(wallet.owner)
}
