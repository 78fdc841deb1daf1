import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { hashTypedData, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { transactionInput } from '../../../sim/contracts/calldata.js'
import { orderHash as simulatedHash } from '../../../sim/contracts/order-hash.js'
import { Universe } from '../../../sim/universe/universe.js'
import { decodeMatchOrders } from './calldata.js'
import { EXCHANGES } from './contracts.js'
import type { SignedOrder } from './order.js'
import { orderDomain, orderHash, orderHashUnder } from './order.js'

type Domain = { name: string; version: string; chainId: number; verifyingContract: string }
type Vector = { name: string; domain: Domain; order: Record<string, string>; order_hash: string }

const VECTORS: { order_hashes: Vector[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/chain-vectors.json'), 'utf8'),
)

const EXCHANGE_V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'

describe('the hash of an order', () => {
  test.each(VECTORS.order_hashes)('$name', ({ domain, order, order_hash }) => {
    const { version, chainId } = domain
    const exchange = domain.verifyingContract.toLowerCase()
    const separator = orderDomain(Number(version), chainId, exchange)
    expect(orderHashUnder(separator, toOrder(order))).toBe(order_hash)
    if (chainId === 137) expect(orderHash(toOrder(order), exchange)).toBe(order_hash)
  })

  test('is that of its typed data, whatever the order holds', () => {
    const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    const address = fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }).map((n) => toHex(n, { size: 20 }))
    const word = uint.map((value) => toHex(value, { size: 32 }))
    const order = fc.record({
      version: fc.constant(2 as const),
      salt: uint,
      maker: address,
      signer: address,
      tokenId: word,
      makerAmount: uint,
      takerAmount: uint,
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      signatureType: fc.nat({ max: 255 }),
      timestampMs: uint,
      metadata: word,
      builder: word,
    })
    fc.assert(
      fc.property(order, (each) => {
        expect(orderHash(each, EXCHANGE_V3)).toBe(
          hashTypedData({
            domain: {
              name: 'Polymarket CTF Exchange',
              version: '3',
              chainId: 137,
              verifyingContract: EXCHANGE_V3,
            },
            types: { Order: MEMBERS },
            primaryType: 'Order',
            message: {
              ...each,
              tokenId: BigInt(each.tokenId),
              side: each.side === 'BUY' ? 0 : 1,
              timestamp: each.timestampMs,
            },
          }),
        )
      }),
    )
  })

  test('of what is announced is that which the simulator signs, on every exchange', () => {
    const startMs = Date.UTC(2026, 10, 14, 12)
    const universe = new Universe({ seed: 4, startMs })
    universe.advance(startMs + 5 * 60_000)
    const seen = new Set<string>()
    for (const { tx } of universe.settledActs.matches) {
      if (tx.act.kind !== 'match') continue
      const match = decodeMatchOrders(tx.to, transactionInput(tx.act))
      if (match === undefined) continue
      seen.add(match.exchange)
      const ours = [match.taker, ...match.makers].map(({ order }) => orderHash(order, match.exchange))
      const theirs = [tx.act.taker, ...tx.act.makers].map(({ order }) => simulatedHash(order))
      expect(ours).toEqual(theirs)
    }
    expect(seen.size).toBeGreaterThanOrEqual(4)
    for (const exchange of seen) expect(EXCHANGES).toContain(exchange)
  })

  test('needs an exchange', () => {
    const [vector] = VECTORS.order_hashes as [Vector]
    expect(() => orderHash(toOrder(vector.order), `0x${'1'.repeat(40)}`)).toThrow('is an exchange')
  })
})

const MEMBERS = [
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

function toOrder(order: Vector['order']): SignedOrder {
  const number = (name: string) => BigInt(order[name] ?? 0)
  const text = (name: string) => (order[name] ?? '').toLowerCase()
  const shared = {
    salt: number('salt'),
    maker: text('maker'),
    signer: text('signer'),
    tokenId: toHex(number('tokenId'), { size: 32 }),
    makerAmount: number('makerAmount'),
    takerAmount: number('takerAmount'),
    side: Number(order.side) === 0 ? ('BUY' as const) : ('SELL' as const),
    signatureType: Number(order.signatureType),
  }
  if (order.timestamp !== undefined) {
    const [metadata, builder] = [text('metadata'), text('builder')]
    return { version: 2, ...shared, timestampMs: number('timestamp'), metadata, builder }
  }
  return {
    version: 1,
    ...shared,
    taker: text('taker'),
    expiration: number('expiration'),
    nonce: number('nonce'),
    feeRateBps: number('feeRateBps'),
  }
}
