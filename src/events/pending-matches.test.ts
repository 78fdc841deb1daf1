import { describe, expect, test } from 'vitest'
import { PendingMatches } from './pending-matches.js'
import { word } from './test-facts.js'

const MINUTE_MS = 60_000
const [TX, A, B] = [word('f1'), word('a'), word('b')]

/** Confirms it by a block that is committed at once. */
function settle(pending: PendingMatches, txHash: string, blockHash: string, nowMs: number) {
  const confirmed = pending.confirm(txHash, blockHash, nowMs)
  pending.commit(nowMs)
  return confirmed
}

describe('PendingMatches', () => {
  test('a match is added once, then confirmed with the time of its detection', () => {
    const pending = new PendingMatches()
    expect(pending.add(TX, 1_000)).toBe(true)
    expect(pending.add(TX, 1_500)).toBe(false)
    expect(pending.count).toBe(1)
    expect(settle(pending, TX, A, 3_000)).toEqual({ detectedMs: 1_000, isNew: false })
    expect(pending.count).toBe(0)
  })

  test('one that was never pending is new', () => {
    expect(new PendingMatches().confirm(TX, A, 3_000)).toEqual({
      detectedMs: undefined,
      isNew: true,
    })
  })

  test('one that is in a block already is not pending any more', () => {
    const pending = new PendingMatches()
    settle(pending, TX, A, 3_000)
    expect(pending.add(TX, 3_100)).toBe(false)
  })

  test.each([
    ['seen before', 1_000],
    ['never seen', undefined],
  ])('%s: the same block confirms once, another one again', (_what, detectedMs) => {
    const pending = new PendingMatches()
    if (detectedMs !== undefined) pending.add(TX, detectedMs)
    settle(pending, TX, A, 3_000)
    expect(settle(pending, TX, A, 4_000)).toBeUndefined()
    expect(settle(pending, TX, B, 5_000)).toEqual({ detectedMs, isNew: false })
    expect(settle(pending, TX, A, 6_000)).toBeUndefined()
  })

  test('what never gets into a block is forgotten and counted', () => {
    const pending = new PendingMatches()
    pending.add(TX, 0)
    pending.add(word('f2'), 5 * MINUTE_MS)
    pending.add(word('f3'), 10 * MINUTE_MS + 1)
    expect(pending).toMatchObject({ count: 2, forgotten: 1 })
  })

  test('however many come, a bounded number is remembered', () => {
    const pending = new PendingMatches()
    for (let index = 0; index < 100_010; index++) pending.add(`${index}`, index / 1_000)
    expect(pending.count).toBeLessThanOrEqual(100_001)
    expect(pending.count + pending.forgotten).toBe(100_010)
    for (let index = 0; index < 100_010; index++) settle(pending, `new ${index}`, A, 100)
    // The oldest is forgotten, and would be published again.
    expect(settle(pending, 'new 0', A, 100)?.isNew).toBe(true)
    expect(settle(pending, 'new 100009', A, 100)).toBeUndefined()
  })

  test('a block that is rolled back confirms nothing', () => {
    const pending = new PendingMatches()
    pending.add(TX, 1_000)
    pending.confirm(TX, A, 3_000)
    pending.rollback()
    expect(pending.count).toBe(1)
    expect(pending.confirm(TX, A, 4_000)).toEqual({ detectedMs: 1_000, isNew: false })
  })
})
