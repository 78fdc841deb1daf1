import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairSlots } from './fair-slots.js'

function open(slotsMax: number, reserved?: { owner: string; slots: number }) {
  const evicted: string[] = []
  const slots = new FairSlots({
    slotsMax,
    ...(reserved !== undefined && { reserved }),
    onEvicted: (key, isWanted) => evicted.push(isWanted ? key : `unwanted ${key}`),
  })
  /** Those that got no slot. */
  const claim = (owner: number | string, ...keys: string[]) => keys.filter((key) => !slots.claim(key, owner))
  return { slots, evicted, claim }
}

describe('an owner', () => {
  test('may take all slots while no other owner wants one', () => {
    const { slots, claim } = open(3)
    expect(claim(1, 'a', 'b', 'c', 'd')).toEqual(['d'])
    expect(slots.size).toBe(3)
  })

  test('below its share gets those of the one that is most over its own, the least recently wanted first', () => {
    const { slots, evicted, claim } = open(6)
    claim(1, 'a', 'b', 'c', 'd')
    claim(2, 'e', 'f')
    slots.claim('a', 1)
    expect(slots.canClaim(['x', 'y'], 3)).toBe(true)
    expect(claim(3, 'x', 'y', 'z')).toEqual(['z'])
    expect(evicted).toEqual(['b', 'c'])
  })

  test('that has its share gets no more', () => {
    const { slots, evicted, claim } = open(4)
    claim(1, 'a', 'b')
    claim(2, 'c', 'd')
    expect(slots.canClaim(['e'], 1)).toBe(false)
    expect(claim(1, 'e')).toEqual(['e'])
    expect(evicted).toEqual([])
  })

  test('pays for a key that one over its share would lose', () => {
    const { evicted, claim } = open(4)
    claim(1, 'a', 'b', 'c', 'd')
    claim(2, 'a')
    expect(claim(3, 'e')).toEqual([])
    // The first key of account 1 is account 2's from now on.
    expect(evicted).toEqual(['b'])
  })

  test('pays for what another one has released', () => {
    const { slots, evicted, claim } = open(2)
    claim(1, 'a', 'b')
    claim(2, 'a', 'b')
    expect(slots.release('a', 1) || slots.release('b', 1)).toBe(false)
    expect(claim(3, 'c')).toEqual([])
    expect(evicted).toEqual(['a'])
  })
})

test('keys that no owner wants any more go first', () => {
  const { slots, evicted, claim } = open(3)
  claim(1, 'a', 'b', 'c')
  slots.claim('b', 1)
  expect(slots.release('b', 1)).toBe(false)
  expect(slots.release('b', 1)).toBe(true)
  expect(slots.release('b', 1)).toBe(false)
  expect(slots.canClaim(['d'], 2)).toBe(true)
  expect(claim(2, 'd')).toEqual([])
  expect(evicted).toEqual(['unwanted b'])
})

test('a reserved owner has its slots, and the others share the rest', () => {
  const { evicted, claim } = open(10, { owner: '*', slots: 8 })
  claim(1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
  expect(claim('*', 'j', '1', '2', '3', '4', '5', '6', '7')).toEqual([])
  // `j` is shared; all others but two made room.
  expect(evicted).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  expect(claim('*', '8')).toEqual(['8'])
  expect(claim(2, 'k', 'l')).toEqual(['l'])
})

test('whatever is claimed and released: slots are bounded, and what is claimed has one until it is evicted', () => {
  const step = fc.record({
    isClaim: fc.boolean(),
    owner: fc.constantFrom<number | string>(1, 2, 3, '*'),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      /** How often each owner has claimed each key. */
      const claims = new Map<string, Map<number | string, number>>()
      const slots = new FairSlots({
        slotsMax: 4,
        reserved: { owner: '*', slots: 2 },
        onEvicted: (key, isWanted) => {
          expect(claims.has(key)).toBe(isWanted)
          claims.delete(key)
        },
      })
      for (const { isClaim, owner, key } of steps) {
        const ofKey = claims.get(key) ?? new Map<number | string, number>()
        const count = ofKey.get(owner) ?? 0
        if (isClaim) {
          const canClaim = slots.canClaim([key], owner)
          if (!slots.claim(key, owner)) continue
          expect(canClaim).toBe(true)
          claims.set(key, (claims.get(key) ?? new Map()).set(owner, count + 1))
        } else {
          const isLast = slots.release(key, owner)
          if (count > 1) ofKey.set(owner, count - 1)
          else ofKey.delete(owner)
          if (ofKey.size === 0) claims.delete(key)
          expect(isLast).toBe(count === 1 && ofKey.size === 0)
        }
        expect(slots.size).toBeLessThanOrEqual(4)
        expect(slots.countMissing(claims.keys())).toBe(0)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a slot that is removed is free', () => {
  const { slots, claim } = open(1)
  claim(1, 'a')
  slots.remove('a')
  expect(claim(2, 'b')).toEqual([])
  expect(slots.countMissing(['a', 'b'])).toBe(1)
})
