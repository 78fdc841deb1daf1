import { expect, test } from 'vitest'
import { sumRebates } from './rebates.js'

const rows = (...amounts: string[]) =>
  amounts.map((rebatedFeesUsdc) => ({
    date: '',
    conditionId: '',
    assetAddress: '',
    makerAddress: '',
    rebatedFeesUsdc,
  }))

test.each([
  [[], 0],
  [['0.1', '0.2'], 0.3],
  [['12', '0.000001', '1000000000.5'], 1_000_000_012.500001],
  [['0.0000005'], 0.000001],
  [['0.0000004', '0.00000005'], 0],
  [['0.12345678901234567'], 0.123457],
])('the sum of %j is %d, without the noise of binary fractions', (amounts, sum) => {
  expect(sumRebates(rows(...amounts))).toBe(sum)
})
