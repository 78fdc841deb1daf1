import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from './edit-distance.js'

const text = fc.string({ maxLength: 12 })

test('is a distance: zero to itself, the same both ways, never shorter by a detour', () => {
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(editDistance(a, a)).toBe(0)
      expect(editDistance(a, b)).toBe(editDistance(b, a))
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
    }),
  )
})

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['AUSPEX_PROT', 'AUSPEX_PORT', 2],
])('%s to %s takes %i steps', (a, b, steps) => {
  expect(editDistance(a, b)).toBe(steps)
})

test('suggests what is near and nothing that is not', () => {
  expect(nearest('usge', ['usage', 'status'])).toBe('usage')
  expect(nearest('completely-else', ['usage', 'status'])).toBeUndefined()
})
