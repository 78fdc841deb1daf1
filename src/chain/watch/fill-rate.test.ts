import { describe, expect, test } from 'vitest'
import { FILL_RATE_BLOCKS, FillRate } from './fill-rate.js'

const START = 86_000_000

function feed(rate: FillRate, fromBlock: number, blocks: number, fillsPerBlock: number): number {
  for (let block = fromBlock; block < fromBlock + blocks; block++) rate.add(block, fillsPerBlock)
  return fromBlock + blocks
}

describe('the fill rate', () => {
  test('a fall to a tenth is reported within a quarter of an hour of blocks', () => {
    const rate = new FillRate()
    const cutOver = feed(rate, START, 3_000, 10)
    expect(rate.fall).toBeUndefined()
    feed(rate, cutOver, 600, 1)
    expect(rate.fall).toEqual({ usual: expect.closeTo(10, 0), recent: expect.closeTo(1, 0) })
  })

  test('blocks without a single fill count as well', () => {
    const rate = new FillRate()
    feed(rate, feed(rate, START, 3_000, 10), 600, 0)
    expect(rate.fall?.recent).toBe(0)
  })

  test('blocks that are skipped count as blocks without a fill', () => {
    const rate = new FillRate()
    feed(rate, START, 3_000, 10)
    rate.add(START + 3_600, 0)
    expect(rate.fall?.recent).toBe(0)
  })

  test.each([
    ['half as many fills are an ordinary night', 10, 5],
    ['a chain with hardly any fill says nothing', 0.01, 0],
  ])('%s', (_why, usual, recent) => {
    const rate = new FillRate()
    feed(rate, feed(rate, START, 3_000, usual), 600, recent)
    expect(rate.fall).toBeUndefined()
  })

  test('the new rate becomes the usual one once the old one is forgotten', () => {
    const rate = new FillRate()
    feed(rate, feed(rate, START, 3_000, 10), FILL_RATE_BLOCKS + 1_000, 1)
    expect(rate.fall).toBeUndefined()
  })

  test('blocks that a reorganisation took back do not count twice', () => {
    const [once, twice] = [new FillRate(), new FillRate()]
    feed(twice, START, 3_600, 10)
    twice.revert(START + 2_999)
    feed(once, START, 3_000, 10)
    for (const rate of [once, twice]) feed(rate, START + 3_000, 600, 1)
    expect(twice.fall).toEqual(once.fall)
    expect(once.fall).toBeDefined()
  })
})
