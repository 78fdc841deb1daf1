import { expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { AddressThrottle } from './address-throttle.js'

const ADDRESS = '203.0.113.7'

function throttled(perMinuteMax: number) {
  const clock = new ManualClock()
  const throttle = new AddressThrottle(clock, perMinuteMax)
  for (let count = 0; count < perMinuteMax; count++) throttle.add(ADDRESS)
  return { clock, throttle }
}

test('an address waits until the first of its refusals is a minute old', () => {
  const { clock, throttle } = throttled(3)
  expect(throttle.waitMs(ADDRESS)).toBe(60_000)
  expect(throttle.waitMs('203.0.113.8')).toBe(0)
  clock.advance(60_000)
  expect(throttle.waitMs(ADDRESS)).toBe(0)
})

test('a clock that is set back by an hour keeps no address waiting, and by a little frees none', () => {
  const { clock, throttle } = throttled(3)
  clock.advance(-500)
  expect(throttle.waitMs(ADDRESS)).toBe(60_000)
  clock.advance(-3_600_000)
  expect(throttle.waitMs(ADDRESS)).toBe(0)
  for (let count = 0; count < 3; count++) throttle.add(ADDRESS)
  expect(throttle.waitMs(ADDRESS)).toBe(60_000)
})
