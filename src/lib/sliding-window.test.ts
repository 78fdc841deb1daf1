import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SlidingWindow } from './sliding-window.js'

const WINDOW_MS = 1_000

describe('SlidingWindow', () => {
  test('counts exactly the events younger than the window, whatever their times', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 })
    fc.assert(
      fc.property(gaps, (steps) => {
        const window = new SlidingWindow(WINDOW_MS)
        const times: number[] = []
        let nowMs = 0
        for (const step of steps) {
          nowMs += step
          window.add(nowMs)
          times.push(nowMs)
          const expected = times.filter((time) => time > nowMs - WINDOW_MS).length
          expect(window.count(nowMs)).toBe(expected)
        }
      }),
    )
  })

  test('has room exactly when `freeAt` says so', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 10 }),
        (steps, limit) => {
          const window = new SlidingWindow(WINDOW_MS)
          let nowMs = 0
          for (const step of steps) {
            nowMs += step
            window.add(nowMs)
          }
          fc.pre(window.count(nowMs) >= limit)
          const freeAtMs = window.freeAt(limit, nowMs)
          expect(window.count(freeAtMs - 1)).toBeGreaterThanOrEqual(limit)
          expect(window.count(freeAtMs)).toBeLessThan(limit)
        },
      ),
    )
  })
})
