import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.js'

const PERIOD_MS = 1_000

test('keeps what is used and forgets what is not, without being asked', () => {
  const map = new RecentMap<string, object>(PERIOD_MS)
  const used = map.getOrMake('used', 0, () => ({}))
  const unused = map.getOrMake('unused', 0, () => ({}))
  for (let nowMs = 0; nowMs <= 5 * PERIOD_MS; nowMs += PERIOD_MS / 2) {
    expect(map.getOrMake('used', nowMs, () => ({}))).toBe(used)
  }
  expect(map.size).toBeLessThanOrEqual(2)
  expect(map.getOrMake('unused', 5 * PERIOD_MS, () => ({}))).not.toBe(unused)
})

test('keeps an entry for at least a whole period after its last use', () => {
  const map = new RecentMap<string, object>(PERIOD_MS)
  map.getOrMake('first', 0, () => ({}))
  const late = map.getOrMake('late', PERIOD_MS - 1, () => ({}))
  map.getOrMake('other', PERIOD_MS, () => ({}))
  expect(map.getOrMake('late', 2 * PERIOD_MS - 2, () => ({}))).toBe(late)
})
