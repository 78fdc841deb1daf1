import { setImmediate as nextIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AccountRefusal } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import type { Timing } from '../../lib/timing.js'
import { QueueFullError, RateLimiter } from './rate-limit.js'

/** Time that jumps to the next sleeper as soon as nothing else can happen. */
class VirtualTiming implements Timing {
  #nowMs = 0
  #sleepers: { atMs: number; wake: () => void }[] = []

  now(): number {
    return this.#nowMs
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { atMs: this.#nowMs + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        reject(signal.reason)
      })
    })
  }

  async runUntil(endMs: number): Promise<void> {
    for (;;) {
      await nextIteration()
      const next = this.#sleepers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > endMs) break
      this.#sleepers = this.#sleepers.filter((other) => other !== next)
      this.#nowMs = next.atMs
      next.wake()
    }
    this.#nowMs = endMs
  }
}

const never = new AbortController().signal
const LIMITS = [
  { paths: /^/, calls: 20, windowMs: 1_000 },
  { paths: /^\/slow/, calls: 4, windowMs: 1_000 },
]

describe('RateLimiter', () => {
  test('never lets more than half of any limit into any window, and every call in the end', async () => {
    const call = fc.record({ path: fc.constantFrom('/slow', '/fast'), gapMs: fc.nat(150) })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 80 }), async (calls) => {
        const timing = new VirtualTiming()
        const limiter = new RateLimiter('test', LIMITS, timing)
        const admitted: { path: string; index: number; atMs: number }[] = []
        for (const [index, { path, gapMs }] of calls.entries()) {
          await timing.runUntil(timing.now() + gapMs)
          void limiter.take(path, never).then(() => admitted.push({ path, index, atMs: timing.now() }))
        }
        await timing.runUntil(timing.now() + 100_000)

        expect(admitted).toHaveLength(calls.length)
        for (const { paths, calls: published, windowMs } of LIMITS) {
          const times = admitted.filter(({ path }) => paths.test(path)).map(({ atMs }) => atMs)
          for (const endMs of times) {
            const inWindow = times.filter((atMs) => atMs > endMs - windowMs && atMs <= endMs)
            expect(inWindow.length).toBeLessThanOrEqual(published / 2)
          }
        }
        for (const path of ['/slow', '/fast']) {
          const order = admitted.filter((entry) => entry.path === path).map(({ index }) => index)
          expect(order).toEqual(order.toSorted((a, b) => a - b))
        }
      }),
      { numRuns: 40 },
    )
  })

  test('calls under another limit pass those who wait', async () => {
    const limiter = new RateLimiter('test', LIMITS, new VirtualTiming())
    for (let call = 0; call < 2; call++) await limiter.take('/slow', never)
    let slowPassed = false
    void limiter.take('/slow', never).then(() => {
      slowPassed = true
    })
    await limiter.take('/fast', never)
    expect(slowPassed).toBe(false)
  })

  test('sends nothing while the upstream wants to be left alone', async () => {
    const timing = new VirtualTiming()
    const limiter = new RateLimiter('test', [], timing)
    limiter.hold(5_000)
    let passedAtMs: number | undefined
    void limiter.take('/any', never).then(() => {
      passedAtMs = timing.now()
    })
    await timing.runUntil(10_000)
    expect(passedAtMs).toBe(5_000)
  })

  test('an abort ends the wait with its reason and frees the queue slot', async () => {
    const timing = new VirtualTiming()
    const limiter = new RateLimiter('test', LIMITS, timing)
    for (let call = 0; call < 2; call++) await limiter.take('/slow', never)
    const reason = new Error('enough')
    const leaving = new AbortController()
    const waiting = limiter.take('/slow', leaving.signal)
    const next = limiter.take('/slow', never)
    leaving.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(limiter.take('/slow', AbortSignal.abort(reason))).rejects.toBe(reason)
    await timing.runUntil(1_000)
    await next
  })

  describe('on behalf of accounts', () => {
    const LONG = [{ paths: /^/, calls: 60, windowMs: 10_000 }]

    /** Takes this many calls; those that are refused are counted. */
    async function takeMany(limiter: RateLimiter, count: number, account?: number) {
      const calls = Array.from({ length: count }, () => limiter.take('/', never, account))
      const ends = await Promise.allSettled(calls)
      return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    }

    test('429: a share that is used up is refused at once, and others go on', async () => {
      const timing = new VirtualTiming()
      const limiter = new RateLimiter('site', LONG, timing)
      const refused = await takeMany(limiter, 25, 1)
      expect(refused).toHaveLength(5)
      for (const error of refused) expect(error).toBeInstanceOf(AccountRefusal)
      expect(refused[0]).toMatchObject({
        status: 429,
        message: "Your account's share of the requests to site is used up. Retry in 10 s.",
        fields: { scope: 'upstream', upstream: 'site' },
        retryAfterSeconds: 10,
      })
      expect(await takeMany(limiter, 1, 2)).toEqual([])
      await timing.runUntil(10_000)
      expect(await takeMany(limiter, 1, 1)).toEqual([])
    })

    test('503: what others have used up is not blamed on the account', async () => {
      const limiter = new RateLimiter('site', LONG, new VirtualTiming())
      for (const account of [1, 2, 3, 4]) await takeMany(limiter, 25, account)
      const [refused] = await takeMany(limiter, 1, 5)
      expect(refused).not.toBeInstanceOf(AccountRefusal)
      expect(refused).toMatchObject({
        status: 503,
        message: 'The requests to site are used up by all accounts together. Retry in 10 s.',
      })
    })

    test('a slot that comes free soon is waited for, first by the account with the fewest calls', async () => {
      const timing = new VirtualTiming()
      const limiter = new RateLimiter('test', LIMITS, timing)
      await takeMany(limiter, 10)
      const order: string[] = []
      const wait = (name: string, account?: number) =>
        void limiter.take('/', never, account).then(() => order.push(name))
      wait('background')
      for (const name of ['a1', 'a2', 'a3']) wait(name, 1)
      for (const name of ['b1', 'b2']) wait(name, 2)
      await timing.runUntil(999)
      expect(order).toEqual([])
      await timing.runUntil(1_000)
      expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'background'])
      await timing.runUntil(5_000)
      expect(order).toHaveLength(6)
    })

    test('one that waited for two seconds is refused', async () => {
      const timing = new VirtualTiming()
      const limiter = new RateLimiter('test', [{ paths: /^/, calls: 2, windowMs: 1_500 }], timing)
      await limiter.take('/', never, 1)
      const waiting = ['b', 'c', 'd'].map((_name, index) => limiter.take('/', never, 2 + index))
      const ends = Promise.allSettled(waiting)
      await timing.runUntil(2_000)
      expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    })

    test('an account does not fill the queue', async () => {
      const limiter = new RateLimiter('test', LIMITS, new VirtualTiming())
      const leaving = new AbortController()
      const calls = Array.from({ length: 40 }, () => limiter.take('/', leaving.signal, 1))
      await expect(calls.at(-1)).rejects.toBeInstanceOf(AccountRefusal)
      leaving.abort()
      await Promise.allSettled(calls)
    })
  })

  test('the queue has an end', async () => {
    const limiter = new RateLimiter('test', LIMITS, new VirtualTiming())
    const leaving = new AbortController()
    const calls = Array.from({ length: 1_010 }, () => limiter.take('/fast', leaving.signal))
    const oneMore = limiter.take('/fast', leaving.signal)
    await expect(oneMore).rejects.toThrow(QueueFullError)
    await expect(oneMore).rejects.toMatchObject({ upstream: 'test', retryable: true })
    await expect(oneMore).rejects.toBeInstanceOf(UpstreamError)
    leaving.abort()
    await Promise.allSettled(calls)
  })
})
