import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { MemoryLimiter } from './limiter.js'

const WINDOW_MS = 60_000
const charge = (limit: number, subject = 1, bucket = 'rest') => ({
  bucket,
  subject,
  limit,
  windowMs: WINDOW_MS,
})

describe('MemoryLimiter', () => {
  test('allows n and refuses n + 1, also across the boundary of a minute', () => {
    const clock = new ManualClock(59_000)
    const limiter = new MemoryLimiter(clock)
    for (let count = 1; count <= 5; count++) expect(limiter.take([charge(5)]).allowed).toBe(true)
    clock.set(61_000)
    expect(limiter.take([charge(5)])).toMatchObject({
      allowed: false,
      strictest: { remaining: 0, resetAtMs: 59_000 + WINDOW_MS },
    })
    clock.set(59_000 + WINDOW_MS - 1)
    expect(limiter.take([charge(5)]).allowed).toBe(false)
    clock.set(59_000 + WINDOW_MS)
    expect(limiter.take([charge(5)]).allowed).toBe(true)
  })

  test('agrees with a plain list of times, for any times, limits and subjects', () => {
    const request = fc.record({
      waitMs: fc.integer({ min: 0, max: 20_000 }),
      subject: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 150 }),
        fc.integer({ min: 1, max: 6 }),
        (requests, limit) => {
          const clock = new ManualClock(0)
          const limiter = new MemoryLimiter(clock)
          const allowedAt = new Map<number, number[]>()
          for (const { waitMs, subject } of requests) {
            clock.advance(waitMs)
            const times = allowedAt.get(subject) ?? []
            const recent = times.filter((time) => time > clock.now() - WINDOW_MS)
            const { allowed, strictest } = limiter.take([charge(limit, subject)])
            expect(allowed).toBe(recent.length < limit)
            if (allowed) recent.push(clock.now())
            expect(strictest.remaining).toBe(limit - recent.length)
            allowedAt.set(subject, recent)
          }
        },
      ),
    )
  })

  test('charges all buckets or none, and reports the strictest', () => {
    const limiter = new MemoryLimiter(new ManualClock())
    const both = () => limiter.take([charge(10, 1, 'v3'), charge(2, 1, 'v3_heavy')])
    expect(both().strictest).toMatchObject({ bucket: 'v3_heavy', remaining: 1 })
    both()
    expect(both()).toMatchObject({ allowed: false, strictest: { bucket: 'v3_heavy' } })
    expect(limiter.take([charge(10, 1, 'v3')]).strictest.remaining).toBe(7)
  })

  test('says when enough is free again after a limit was lowered', () => {
    const clock = new ManualClock(0)
    const limiter = new MemoryLimiter(clock)
    for (const atMs of [0, 1_000, 2_000, 3_000]) {
      clock.set(atMs)
      limiter.take([charge(10)])
    }
    expect(limiter.take([charge(2)])).toMatchObject({
      allowed: false,
      strictest: { resetAtMs: 2_000 + WINDOW_MS },
    })
  })

  test('survives a clock that is set back', () => {
    const clock = new ManualClock(10_000_000)
    const limiter = new MemoryLimiter(clock)
    limiter.take([charge(1)])
    clock.advance(-500)
    expect(limiter.take([charge(1)]).allowed).toBe(false)
    clock.advance(-3_600_000)
    expect(limiter.take([charge(1)]).allowed).toBe(true)
  })
})
