import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WalkPlaces } from './walk-places.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a walk waits for a place as long as its answer allows', async () => {
  const places = new WalkPlaces()
  const ends: (() => void)[] = []
  const walk = () => new Promise<void>((resolve) => ends.push(resolve))
  const running = Array.from({ length: 6 }, () => places.run(walk, 0))
  const hasty = expect(places.run(async () => 'hasty', 5_000)).rejects.toThrow('Too many wallets')
  const patient = places.run(async () => 'patient', 45_000)
  await vi.advanceTimersByTimeAsync(30_000)
  await hasty
  for (const end of ends) end()
  expect(await patient).toBe('patient')
  await Promise.all(running)
})
