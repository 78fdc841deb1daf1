import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from './order-book.js'

test.each([
  [5100, 4, '0.51'],
  [12_050, 2, '120.5'],
  [100, 2, '1'],
  [0, 4, '0'],
  [1, 6, '0.000001'],
  [-250, 4, '-0.025'],
])('%i of 10^-%i is %s', (value, scale, text) => {
  expect(decimal(value, scale)).toBe(text)
})

test('says exactly the number, in the shortest way', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 1, max: 6 }), (value, scale) => {
      const text = decimal(value, scale)
      expect(Math.round(Number(text) * 10 ** scale)).toBe(value)
      expect(text).not.toMatch(/\.\d*0$|\.$|^0\d/)
    }),
  )
})
