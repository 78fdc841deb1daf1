import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairPlaces } from './fair-places.js'

function open(placesMax: number, reserved?: { owner: string; places: number }) {
  const evicted: string[] = []
  const places = new FairPlaces({
    placesMax,
    ...(reserved !== undefined && { reserved }),
    onEvicted: (key, isWanted) => evicted.push(isWanted ? key : `unwanted ${key}`),
  })
  /** Those that got no place. */
  const claim = (owner: number | string, ...keys: string[]) => keys.filter((key) => !places.claim(key, owner))
  return { places, evicted, claim }
}

describe('an owner', () => {
  test('may take all places while nobody else wants one', () => {
    const { places, claim } = open(3)
    expect(claim(1, 'a', 'b', 'c', 'd')).toEqual(['d'])
    expect(places.size).toBe(3)
  })

  test('below its share gets those of the one that is most over its own, the least recently wanted first', () => {
    const { places, evicted, claim } = open(6)
    claim(1, 'a', 'b', 'c', 'd')
    claim(2, 'e', 'f')
    places.claim('a', 1)
    expect(places.canClaim(['x', 'y'], 3)).toBe(true)
    expect(claim(3, 'x', 'y', 'z')).toEqual(['z'])
    expect(evicted).toEqual(['b', 'c'])
  })

  test('that has its share gets no more', () => {
    const { places, evicted, claim } = open(4)
    claim(1, 'a', 'b')
    claim(2, 'c', 'd')
    expect(places.canClaim(['e'], 1)).toBe(false)
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
    const { places, evicted, claim } = open(2)
    claim(1, 'a', 'b')
    claim(2, 'a', 'b')
    expect(places.release('a', 1) || places.release('b', 1)).toBe(false)
    expect(claim(3, 'c')).toEqual([])
    expect(evicted).toEqual(['a'])
  })
})

test('keys that nobody wants any more go first', () => {
  const { places, evicted, claim } = open(3)
  claim(1, 'a', 'b', 'c')
  places.claim('b', 1)
  expect(places.release('b', 1)).toBe(false)
  expect(places.release('b', 1)).toBe(true)
  expect(places.release('b', 1)).toBe(false)
  expect(places.canClaim(['d'], 2)).toBe(true)
  expect(claim(2, 'd')).toEqual([])
  expect(evicted).toEqual(['unwanted b'])
})

test('a reserved owner has its places, and the others share the rest', () => {
  const { evicted, claim } = open(10, { owner: '*', places: 8 })
  claim(1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
  expect(claim('*', 'j', '1', '2', '3', '4', '5', '6', '7')).toEqual([])
  // `j` is shared; all others but two made room.
  expect(evicted).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  expect(claim('*', '8')).toEqual(['8'])
  expect(claim(2, 'k', 'l')).toEqual(['l'])
})

test('whatever is claimed and released: places are bounded, and what is claimed has one until it is evicted', () => {
  const step = fc.record({
    isClaim: fc.boolean(),
    owner: fc.constantFrom<number | string>(1, 2, 3, '*'),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      /** How often each owner has claimed each key. */
      const claims = new Map<string, Map<number | string, number>>()
      const places = new FairPlaces({
        placesMax: 4,
        reserved: { owner: '*', places: 2 },
        onEvicted: (key, isWanted) => {
          expect(claims.has(key)).toBe(isWanted)
          claims.delete(key)
        },
      })
      for (const { isClaim, owner, key } of steps) {
        const ofKey = claims.get(key) ?? new Map<number | string, number>()
        const count = ofKey.get(owner) ?? 0
        if (isClaim) {
          const canClaim = places.canClaim([key], owner)
          if (!places.claim(key, owner)) continue
          expect(canClaim).toBe(true)
          claims.set(key, (claims.get(key) ?? new Map()).set(owner, count + 1))
        } else {
          const isLast = places.release(key, owner)
          if (count > 1) ofKey.set(owner, count - 1)
          else ofKey.delete(owner)
          if (ofKey.size === 0) claims.delete(key)
          expect(isLast).toBe(count === 1 && ofKey.size === 0)
        }
        expect(places.size).toBeLessThanOrEqual(4)
        expect(places.countMissing(claims.keys())).toBe(0)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a place that is removed is free', () => {
  const { places, claim } = open(1)
  claim(1, 'a')
  places.remove('a')
  expect(claim(2, 'b')).toEqual([])
  expect(places.countMissing(['a', 'b'])).toBe(1)
})
