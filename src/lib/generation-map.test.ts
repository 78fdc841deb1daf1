import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GenerationMap, ownText } from './generation-map.js'

const step = fc.oneof(
  fc.nat(20).map((key) => ({ key })),
  fc.constant('rotate' as const),
)

test('has what was set or kept since the rotation before the last, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const generations = new GenerationMap<number, number>()
      let rotations = 0
      const usedAt = new Map<number, number>()
      for (const each of steps) {
        if (each === 'rotate') {
          generations.rotate()
          rotations++
          continue
        }
        const isThere = rotations - (usedAt.get(each.key) ?? Number.NEGATIVE_INFINITY) <= 1
        expect(generations.get(each.key)).toBe(isThere ? each.key + 1 : undefined)
        expect(generations.keep(each.key)).toBe(isThere ? each.key + 1 : undefined)
        if (!isThere) generations.set(each.key, each.key + 1)
        usedAt.set(each.key, rotations)
        expect(generations.getYoung(each.key)).toBe(each.key + 1)
      }
      const young = [...usedAt.values()].filter((rotation) => rotation === rotations)
      expect(generations.size).toBe(young.length)
    }),
  )
})

test('a text of its own is the same text', () => {
  const data = `0x${'ab'.repeat(200)}`
  expect(ownText(data.slice(5, 47))).toBe(data.slice(5, 47))
})

describe('rotateEvery', () => {
  const PERIOD_MS = 1_000
  const keepOrSet = (map: GenerationMap<string, object>, key: string, nowMs: number): object => {
    map.rotateEvery(PERIOD_MS, nowMs)
    const value = map.keep(key) ?? {}
    map.set(key, value)
    return value
  }

  test('drops what is not used, and nothing else', () => {
    const map = new GenerationMap<string, object>()
    const used = keepOrSet(map, 'used', 0)
    keepOrSet(map, 'unused', 0)
    for (let nowMs = 0; nowMs <= 5 * PERIOD_MS; nowMs += PERIOD_MS / 2) {
      expect(keepOrSet(map, 'used', nowMs)).toBe(used)
    }
    expect(map.size).toBe(1)
    expect(map.get('unused')).toBeUndefined()
  })

  test('keeps an entry for at least a whole period after its last use', () => {
    const map = new GenerationMap<string, object>()
    keepOrSet(map, 'first', 0)
    const late = keepOrSet(map, 'late', PERIOD_MS - 1)
    keepOrSet(map, 'other', PERIOD_MS)
    expect(keepOrSet(map, 'late', 2 * PERIOD_MS - 2)).toBe(late)
  })

  test('drops everything after two periods without a call', () => {
    const map = new GenerationMap<string, object>()
    keepOrSet(map, 'first', 0)
    map.rotateEvery(PERIOD_MS, 2 * PERIOD_MS)
    expect(map.get('first')).toBeUndefined()
  })
})
