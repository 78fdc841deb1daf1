import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Generations, ownNumber, ownText } from './generations.js'

const step = fc.oneof(
  fc.nat(20).map((key) => ({ key })),
  fc.constant('turn' as const),
)

test('has what was set or kept since the turn before the last, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const generations = new Generations<number, number>(ownNumber)
      let turns = 0
      const usedAt = new Map<number, number>()
      for (const each of steps) {
        if (each === 'turn') {
          generations.turn()
          turns++
          continue
        }
        const isThere = turns - (usedAt.get(each.key) ?? Number.NEGATIVE_INFINITY) <= 1
        expect(generations.get(each.key)).toBe(isThere ? each.key + 1 : undefined)
        expect(generations.keep(each.key)).toBe(isThere ? each.key + 1 : undefined)
        if (!isThere) generations.set(each.key, each.key + 1)
        usedAt.set(each.key, turns)
        expect(generations.getYoung(each.key)).toBe(each.key + 1)
      }
      const young = [...usedAt.values()].filter((turn) => turn === turns)
      expect(generations.size).toBe(young.length)
    }),
  )
})

test('a text of its own is the same text', () => {
  const data = `0x${'ab'.repeat(200)}`
  expect(ownText(data.slice(5, 47))).toBe(data.slice(5, 47))
})
