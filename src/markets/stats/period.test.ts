import { expect, test } from 'vitest'
import { startHourOf } from './period.js'

const HOUR = 498_000

test.each([
  ['1d', HOUR - 23],
  ['7d', HOUR - 167],
  ['30d', HOUR - 719],
  ['all', 0],
] as const)('%s begins at a whole hour and ends with the running one', (period, startHour) => {
  for (const sec of [0, 1, 3_599]) {
    expect(startHourOf(period, HOUR * 3_600 + sec)).toBe(startHour)
  }
  expect(startHourOf(period, (HOUR + 1) * 3_600)).toBe(startHour === 0 ? 0 : startHour + 1)
})
