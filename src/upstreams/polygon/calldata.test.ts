import fc from 'fast-check'
import { encodeFunctionData, type Hex, parseAbi, toFunctionSelector, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { transactionInput } from '../../../sim/contracts/calldata.js'
import { Universe } from '../../../sim/universe/universe.js'
import { DecodeError } from './abi.js'
import { decodeMatchOrders } from './calldata.js'

const ORDER_V1 =
  'struct Order { uint256 salt; address maker; address signer; address taker; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint256 expiration; uint256 nonce; uint256 feeRateBps; uint8 side; uint8 signatureType; bytes signature; }'
const ORDER_V2 =
  'struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }'
const AMOUNTS = 'struct Amounts { uint256 fill; uint256 receive; uint256 fee; }'

const V1 = parseAbi([ORDER_V1, 'function matchOrders(Order, Order[], uint256, uint256[])'])
const V1_FEES = parseAbi([
  ORDER_V1,
  'function matchOrders(Order, Order[], uint256, uint256, uint256[], uint256, uint256[])',
])
const V2 = parseAbi([
  ORDER_V2,
  'function matchOrders(bytes32, Order, Order[], uint256, uint256[], uint256, uint256[])',
])
const V3 = parseAbi([
  ORDER_V2,
  AMOUNTS,
  'function matchOrders(Order, Order[], uint256[], uint256[], Amounts)',
])
const V3_COMBO = parseAbi([
  ORDER_V2,
  AMOUNTS,
  'function matchOrdersAndPrepareCombinatorial(Order, Order[], uint256[], uint256[], Amounts, uint256[])',
])

const EXCHANGE_V1 = '0xc5d563a36ae78145c45a50134d48a1215220f80a'
const FEE_MODULE = '0xb768891e3130f6df18214ac804d4db76c2c37730'
const EXCHANGE_V2 = '0xe111180000d2663c0091e4f400237545b87b996b'
const EXCHANGE_V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'
const CONDITION = `0x${'cd'.repeat(32)}` as const
const YES = 2n ** 250n + 1n
const NO = 2n ** 251n + 7n

// The match of the first mint on exchange V2: both buy, and pay one dollar a share together.
const taker = orderV2({ tokenId: NO, makerAmount: 1_000_000n, takerAmount: 2_040_000n })
const maker = orderV2({ tokenId: YES, makerAmount: 2_148_333_200n, takerAmount: 4_131_410_000n })
const seller = orderV2({ tokenId: NO, side: 1, makerAmount: 3_000_000n, takerAmount: 1_500_000n })

describe('matchOrders', () => {
  test('the selectors are those of the signatures', () => {
    const selectors = [V1, V1_FEES, V2, V3, V3_COMBO].map((abi) => toFunctionSelector(abi[0]))
    expect(selectors).toEqual(['0xe60f0c05', '0x2287e350', '0x3c2b4399', '0x0fb25ba4', '0xe75cf6e5'])
  })

  test('generation 2: a mint and a trade in one call', () => {
    const args = [CONDITION, taker, [maker, seller], 9n, [1_083_333n, 500_000n], 7n, [1n, 2n]] as const
    const match = decodeMatchOrders(EXCHANGE_V2, encodeFunctionData({ abi: V2, args }))
    expect(match).toMatchObject({
      generation: 2,
      exchange: EXCHANGE_V2,
      conditionId: CONDITION,
      makers: [
        {
          usd: 1_083_333n,
          shares: 2_083_332n,
          fee: 1n,
          order: { side: 'BUY', tokenId: word(YES) },
        },
        { usd: 250_000n, shares: 500_000n, fee: 2n, order: { side: 'SELL', tokenId: word(NO) } },
      ],
      taker: { usd: 1_249_999n, shares: 2_583_332n, fee: 7n },
      legs: undefined,
    })
    expect(match?.taker.order).toEqual({
      version: 2,
      salt: taker.salt,
      maker: taker.maker,
      signer: taker.signer,
      tokenId: word(NO),
      makerAmount: 1_000_000n,
      takerAmount: 2_040_000n,
      side: 'BUY',
      signatureType: 2,
      timestampMs: taker.timestamp,
      metadata: taker.metadata,
      builder: taker.builder,
    })
  })

  test('generation 3: the amounts of the taker come last, then the legs of a combo', () => {
    const amounts = { fill: 1_000_000n, receive: 2_083_332n, fee: 11n }
    const args = [taker, [maker], [1_083_333n], [3n], amounts] as const
    const expected = {
      generation: 3,
      exchange: EXCHANGE_V3,
      conditionId: undefined,
      taker: { usd: 999_999n, shares: 2_083_332n, fee: 11n },
      makers: [{ usd: 1_083_333n, shares: 2_083_332n, fee: 3n }],
    }
    const plain = encodeFunctionData({ abi: V3, args })
    expect(decodeMatchOrders(EXCHANGE_V3, plain)).toMatchObject({ ...expected, legs: undefined })
    const combo = encodeFunctionData({ abi: V3_COMBO, args: [...args, [YES, NO]] })
    const legs = [word(YES), word(NO)]
    expect(decodeMatchOrders(EXCHANGE_V3, combo)).toMatchObject({ ...expected, legs })
  })

  test('generation 1: directly and through the fee module', () => {
    const bid = orderV1({ tokenId: YES, makerAmount: 330_000n, takerAmount: 1_000_000n })
    const ask = orderV1({ tokenId: YES, side: 1, makerAmount: 5_000_000n, takerAmount: 1_650_000n })
    const direct = encodeFunctionData({ abi: V1, args: [bid, [ask], 330_000n, [1_000_000n]] })
    const expected = {
      generation: 1,
      exchange: EXCHANGE_V1,
      taker: { usd: 330_000n, shares: 1_000_000n, order: { version: 1, feeRateBps: 100n } },
      makers: [{ usd: 330_000n, shares: 1_000_000n }],
    }
    expect(decodeMatchOrders(EXCHANGE_V1, direct)).toMatchObject(expected)
    expect(decodeMatchOrders(EXCHANGE_V1, direct)?.taker.fee).toBeUndefined()
    const args = [bid, [ask], 330_000n, 1_000_000n, [1_000_000n], 5n, [6n]] as const
    const refunded = decodeMatchOrders(FEE_MODULE, encodeFunctionData({ abi: V1_FEES, args }))
    expect(refunded).toMatchObject(expected)
    expect([refunded?.taker.fee, refunded?.makers[0]?.fee]).toEqual([5n, 6n])
  })

  test('other contracts and other calls are not ours', () => {
    const args = [CONDITION, taker, [maker], 9n, [1_083_333n], 7n, [1n]] as const
    const input = encodeFunctionData({ abi: V2, args })
    expect(decodeMatchOrders(`0x${'1'.repeat(40)}`, input)).toBeUndefined()
    expect(decodeMatchOrders(EXCHANGE_V2, `0xdeadbeef${input.slice(10)}`)).toBeUndefined()
    expect(decodeMatchOrders(EXCHANGE_V2, '0x')).toBeUndefined()
  })

  test.each([
    ['fewer fills than orders', [CONDITION, taker, [maker, seller], 9n, [1n], 7n, [1n, 2n]]],
    ['fewer fees than orders', [CONDITION, taker, [maker], 9n, [1n], 7n, []]],
    ['an order that does not cross', [CONDITION, taker, [taker], 9n, [1n], 7n, [1n]]],
    ['an order that offers nothing', [CONDITION, taker, [{ ...maker, makerAmount: 0n }], 9n, [1n], 7n, [1n]]],
    ['a side that is none', [CONDITION, { ...taker, side: 2 }, [maker], 9n, [1n], 7n, [1n]]],
  ] as const)('refused: %s', (_why, args) => {
    const input = encodeFunctionData({ abi: V2, args: args as never })
    expect(() => decodeMatchOrders(EXCHANGE_V2, input)).toThrow(DecodeError)
  })

  test('whatever follows the selector, nothing but DecodeError is thrown', () => {
    const args = [CONDITION, taker, [maker, seller], 9n, [1n, 2n], 7n, [1n, 2n]] as const
    const good = encodeFunctionData({ abi: V2, args })
    const cut = fc.nat(good.length).map((length) => good.slice(0, length))
    const changed = fc
      .tuple(fc.nat(good.length), fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 64 }))
      .map(([at, text]) => good.slice(0, at + 10) + text + good.slice(at + 10 + text.length))
    fc.assert(
      fc.property(
        fc.oneof(
          cut,
          changed,
          fc.string().map((text) => `0x3c2b4399${text}`),
        ),
        (input) => {
          try {
            decodeMatchOrders(EXCHANGE_V2, input)
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError)
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

test('what the simulator settles is what its calldata announced', () => {
  const startMs = Date.UTC(2026, 10, 14, 12)
  const universe = new Universe({ seed: 3, startMs })
  universe.advance(startMs + 5 * 60_000)
  const seen = new Set<string>()
  for (const { tx } of universe.settledActs.matches) {
    if (tx.act.kind !== 'match') continue
    seen.add(tx.act.exchange)
    const announced = decodeMatchOrders(tx.to, transactionInput(tx.act))
    const { taker, makers } = tx.act
    expect(announced?.taker).toMatchObject(asPending(taker))
    expect(announced?.makers).toMatchObject(makers.map(asPending))
  }
  expect(seen.size).toBeGreaterThanOrEqual(4)
})

type Settled = {
  order: { wallet: { address: string }; token: { word: string }; side: string }
  usd: number
  shares: number
}

function asPending({ order, usd, shares }: Settled) {
  return {
    usd: BigInt(usd),
    shares: BigInt(shares),
    order: { maker: order.wallet.address, tokenId: `0x${order.token.word}`, side: order.side },
  }
}

function orderV1(changes: { tokenId: bigint; makerAmount: bigint; takerAmount: bigint; side?: number }) {
  return {
    salt: 479_249_096_354n,
    maker: address(1),
    signer: address(2),
    taker: address(0),
    expiration: 0n,
    nonce: 0n,
    feeRateBps: 100n,
    side: 0,
    signatureType: 1,
    signature: '0x1234' as Hex,
    ...changes,
  }
}

function orderV2(changes: { tokenId: bigint; makerAmount: bigint; takerAmount: bigint; side?: number }) {
  return {
    salt: 853_910_448_971_285n,
    maker: address(3),
    signer: address(4),
    side: 0,
    signatureType: 2,
    timestamp: 1_776_463_011_256n,
    metadata: word(0n),
    builder: word(99n),
    signature: `0x${'ab'.repeat(65)}` as Hex,
    ...changes,
  }
}

function address(seed: number): Hex {
  return toHex(seed, { size: 20 })
}

function word(value: bigint): Hex {
  return toHex(value, { size: 32 })
}
