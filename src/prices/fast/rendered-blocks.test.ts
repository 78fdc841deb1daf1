import { describe, expect, test } from 'vitest'
import { RenderedBlocks } from './rendered-blocks.js'

const makeBlock = (bytes = 10) => ({
  bytes: Buffer.alloc(bytes),
  starts: new Uint32Array(301),
  ticksBefore: new Uint16Array(301),
})

const stateOf = (revision: number) => ({ packedUntil: 7, revision })

describe('rendered blocks', () => {
  test('are remembered until the revision moves', () => {
    const cache = new RenderedBlocks(100_000)
    const block = makeBlock()
    cache.follow(stateOf(3), 0)
    cache.set('a', block, 3)
    cache.follow(stateOf(3), 0)
    expect(cache.get('a')).toBe(block)
    cache.follow(stateOf(4), 0)
    expect(cache.get('a')).toBeUndefined()
  })

  test('of before a move are not taken after it', () => {
    const cache = new RenderedBlocks(100_000)
    cache.follow(stateOf(4), 0)
    cache.set('a', makeBlock(), 3)
    expect(cache.get('a')).toBeUndefined()
  })

  test('outlive one who still has the revision of before', () => {
    const cache = new RenderedBlocks(100_000)
    const block = makeBlock()
    cache.follow(stateOf(4), 0)
    cache.set('a', block, 4)
    cache.follow(stateOf(3), 0)
    expect(cache.get('a')).toBe(block)
  })

  test('never take more memory than they may', () => {
    const cache = new RenderedBlocks(100_000)
    for (let index = 0; index < 100; index++) {
      cache.set(`block ${index}`, makeBlock(5_000), 0)
      expect(cache.bytes).toBeLessThanOrEqual(100_000)
    }
    expect(cache.bytes).toBeGreaterThan(50_000)
    cache.set('too large', makeBlock(200_000), 0)
    expect(cache.get('too large')).toBeUndefined()
  })

  test('come with what the archive said, for a second', () => {
    const cache = new RenderedBlocks(100_000)
    expect(cache.stateAt(5_000)).toBeUndefined()
    cache.follow(stateOf(3), 5_000)
    expect(cache.stateAt(5_999)).toEqual(stateOf(3))
    expect(cache.stateAt(6_000)).toBeUndefined()
    // A clock that was set back.
    expect(cache.stateAt(4_999)).toBeUndefined()
    cache.follow(stateOf(2), 6_000)
    expect(cache.stateAt(6_000)).toBeUndefined()
  })
})
