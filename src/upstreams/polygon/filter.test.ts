import fc from 'fast-check'
import { toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { logsBloom } from '../../../sim/polygon/bloom.js'
import { createBloomTest } from './filter.js'

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => toHex(value))

const logs = fc.array(fc.record({ address: hexOf(20), topics: fc.array(hexOf(32), { maxLength: 4 }) }), {
  maxLength: 10,
})

const EMPTY = `0x${'0'.repeat(512)}`
const FULL = `0x${'f'.repeat(512)}`
const [OURS, THEIRS] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const [FILL, TRANSFER] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]

describe('the test of one item', () => {
  const bloomHas = (bloom: string, item: string) => createBloomTest({ address: [item] })(bloom)

  test('admits what has all its bits among those of the block, so everything that was logged', () => {
    fc.assert(
      fc.property(logs, hexOf(20), (each, other) => {
        const bloom = bloomOf(each)
        for (const { address, topics } of each)
          for (const item of [address, ...topics]) expect(bloomHas(bloom, item)).toBe(true)
        const bits = BigInt(bloomOf([log(other)]))
        expect(bloomHas(bloom, other)).toBe((BigInt(bloom) & bits) === bits)
      }),
    )
  })

  test.each([OURS, FILL])('an empty bloom admits nothing, a full one everything: %s', (item) => {
    expect(bloomHas(EMPTY, item)).toBe(false)
    expect(bloomHas(FULL, item)).toBe(true)
  })
})

describe('createBloomTest', () => {
  const mayHold = createBloomTest({ address: [OURS], topics: [[FILL, TRANSFER]] })

  test.each([
    ['our address with our topic', [log(OURS, TRANSFER)], true],
    ['both, each in another log', [log(OURS), log(THEIRS, FILL)], true],
    ['our address alone', [log(OURS)], false],
    ['our topic alone', [log(THEIRS, FILL)], false],
    ['nothing', [], false],
  ])('%s', (_what, each, expected) => {
    expect(mayHold(bloomOf(each))).toBe(expected)
  })

  test('a topic position without a filter matches everything', () => {
    const bloom = bloomOf([log(OURS, FILL, TRANSFER)])
    expect(createBloomTest({})(EMPTY)).toBe(true)
    expect(createBloomTest({ topics: [null, TRANSFER] })(bloom)).toBe(true)
    expect(createBloomTest({ topics: [null, `0x${'03'.repeat(32)}`] })(bloom)).toBe(false)
  })
})

type Logged = { address: string; topics: string[] }

function log(address: string, ...topics: string[]): Logged {
  return { address, topics }
}

function bloomOf(each: Logged[]): string {
  return logsBloom(each.map((body) => ({ ...body, data: '0x' })))
}
