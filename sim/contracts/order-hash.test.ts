import { hashTypedData } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Order } from '../universe/acts.js'
import { SIGNATURE_TYPES, type WalletKind } from '../universe/wallet.js'
import { ADDRESS } from './addresses.js'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import { domainSeparator, orderHash, typedHash } from './order-hash.js'
import { createOrder, createWallet, onlyMarket, walletOf } from './test-world.js'
import { addressWord, word } from './words.js'

const ORDER_V2 = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'signer', type: 'address' },
  { name: 'tokenId', type: 'uint256' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'side', type: 'uint8' },
  { name: 'signatureType', type: 'uint8' },
  { name: 'timestamp', type: 'uint256' },
  { name: 'metadata', type: 'bytes32' },
  { name: 'builder', type: 'bytes32' },
] as const

test.each(vectors.order_hashes)('$name', ({ domain, order: signed, order_hash }) => {
  const { version, chainId, verifyingContract } = domain
  const separator = domainSeparator(version, chainId, verifyingContract.toLowerCase())
  const order = orderOf(signed, version === '1' ? 'v1' : 'v2')
  expect(`0x${typedHash(separator, order)}`).toBe(order_hash)
  if (chainId === 137) expect(orderHash(order)).toBe(order_hash)
})

describe('V3 and every kind of wallet', () => {
  const market = onlyMarket()

  test.each(['eoa', 'proxy', 'safe', 'deposit'] as const)('%s', (kind) => {
    const wallet = createWallet(1, kind)
    const order = createOrder({
      exchange: 'v3',
      wallet,
      token: market.tokens[1],
      side: 'SELL',
    })
    expect(orderHash(order)).toBe(hashOfV3(order))
    expect(orderHash(order)).toBe(orderHash({ ...order }))
  })
})

type Signed = (typeof vectors.order_hashes)[number]['order']

function orderOf(signed: Signed, exchange: 'v1' | 'v2'): Order {
  const kind = Object.entries(SIGNATURE_TYPES).find(([, type]) => type === signed.signatureType)
  const wallet = walletOf(kind?.[0] as WalletKind, signed.signer.toLowerCase())
  const address = signed.maker.toLowerCase()
  const id = BigInt(signed.tokenId)
  return createOrder({
    exchange,
    salt: Number(signed.salt),
    wallet: { ...wallet, address, word: addressWord(address), builder: undefined },
    token: { ...onlyMarket().tokens[0], id, word: word(id) },
    side: signed.side === 0 ? 'BUY' : 'SELL',
    makerAmount: Number(signed.makerAmount),
    takerAmount: Number(signed.takerAmount),
    feeRateBps: Number(signed.feeRateBps ?? 0),
    createdMs: Number(signed.timestamp ?? 0),
  })
}

function hashOfV3(order: Order): string {
  const { wallet } = order
  return hashTypedData({
    domain: {
      name: 'Polymarket CTF Exchange',
      version: '3',
      chainId: 137,
      verifyingContract: ADDRESS.exchangeV3,
    },
    types: { Order: ORDER_V2 },
    primaryType: 'Order',
    message: {
      salt: BigInt(order.salt),
      maker: hex(wallet.address),
      signer: hex(wallet.kind === 'deposit' ? wallet.address : wallet.owner),
      tokenId: order.token.id,
      makerAmount: BigInt(order.makerAmount),
      takerAmount: BigInt(order.takerAmount),
      side: 1,
      signatureType: SIGNATURE_TYPES[wallet.kind],
      timestamp: BigInt(order.createdMs),
      metadata: `0x${word(0)}`,
      builder: hex(wallet.builder?.code ?? `0x${word(0)}`),
    },
  })
}

function hex(text: string): `0x${string}` {
  return text as `0x${string}`
}
