import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ComparedTrade, TradeMatcher, type TradeSide } from './trade-matcher.js'

const trade = (given: Partial<ComparedTrade> = {}): ComparedTrade => ({
  txHash: '0x01',
  token: '0x07',
  isSell: false,
  shares: 12_500_000n,
  price: 530_000n,
  timeSec: 1_000,
  slug: 'rain',
  outcome: 'Yes',
  ...given,
})

function match(fed: readonly (readonly [TradeSide, ComparedTrade])[]) {
  const matcher = new TradeMatcher()
  for (const [side, each] of fed) matcher.add(side, each)
  const differences = matcher.end().map(({ field, ours, theirs, by }) => [field, ours, theirs, by])
  return { count: matcher.count, differences }
}

describe('a trade', () => {
  test.each<[string, Partial<ComparedTrade>, unknown[][]]>([
    ['the same', {}, []],
    ['a price that is rounded', { price: 530_100n }, []],
    ['another price', { price: 530_101n }, [['price', '0.530000', '0.530101', '-0.000101']]],
    ['another time', { timeSec: 1_002 }, [['timestamp', '1000', '1002', '-2']]],
    ['another size', { shares: 13_000_000n }, [['size', '12.500000', '13.000000', '-0.500000']]],
    [
      'the other side',
      { isSell: true },
      [
        ['rows', '1', '0', '1'],
        ['rows', '0', '1', '-1'],
      ],
    ],
    [
      'another token',
      { token: '0x08' },
      [
        ['rows', '1', '0', '1'],
        ['rows', '0', '1', '-1'],
      ],
    ],
    [
      'another transaction',
      { txHash: '0x02' },
      [
        ['rows', '1', '0', '1'],
        ['rows', '0', '1', '-1'],
      ],
    ],
  ])('%s', (_what, theirs, differences) => {
    expect(
      match([
        ['ours', trade()],
        ['theirs', trade(theirs)],
      ]).differences,
    ).toEqual(differences)
  })

  test('that is listed twice is one row more, in whichever order the rows come', () => {
    const twice = [['rows', '1', '2', '-1']]
    const [ours, theirs] = [['ours', trade()] as const, ['theirs', trade()] as const]
    for (const order of [
      [ours, theirs, theirs],
      [theirs, ours, theirs],
      [theirs, theirs, ours],
    ]) {
      expect(match(order)).toEqual({ count: 2, differences: twice })
    }
  })
})

const trades = fc.array(
  fc
    .record({
      tx: fc.nat(5),
      token: fc.nat(2),
      isSell: fc.boolean(),
      shares: fc.nat(3),
      price: fc.constantFrom(490_000n, 500_000n),
    })
    .map(({ tx, token, isSell, shares, price }) =>
      trade({ txHash: `0x0${tx}`, token: `0x0${token}`, isSell, shares: BigInt(shares), price }),
    ),
  { maxLength: 40 },
)

/** Both lists, mixed in any way. */
const mixed = (ours: readonly ComparedTrade[], theirs: readonly ComparedTrade[]) =>
  fc.shuffledSubarray(
    [
      ...ours.map((each): [TradeSide, ComparedTrade] => ['ours', each]),
      ...theirs.map((each): [TradeSide, ComparedTrade] => ['theirs', each]),
    ],
    { minLength: ours.length + theirs.length },
  )

test('the same trades on both sides find each other, in any order', () => {
  fc.assert(
    fc.property(
      trades.chain((all) => mixed(all, all).map((fed) => ({ all, fed }))),
      ({ all, fed }) => {
        expect(match(fed)).toEqual({ count: all.length, differences: [] })
      },
    ),
  )
})

test('what one side has more is found, in any order', () => {
  fc.assert(
    fc.property(
      trades.chain((all) => mixed([...all, trade({ txHash: '0xff' })], all).map((fed) => ({ all, fed }))),
      ({ all, fed }) => {
        const { count, differences } = match(fed)
        expect(count).toBe(all.length + 1)
        expect(differences).toEqual([['rows', '1', '0', '1']])
      },
    ),
  )
})

test('a trade with another price is one trade, which both sides have', () => {
  const fed = [['ours', trade()] as const, ['theirs', trade({ price: 540_000n })] as const]
  expect(match(fed).count).toBe(1)
})
