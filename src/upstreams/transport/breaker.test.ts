import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UpstreamError } from '../../core/upstream-error.js'
import { Breaker, type BreakerState, type Pass } from './breaker.js'

const setup = () => {
  const time = { nowMs: 0 }
  const changes: BreakerState[] = []
  const timing = { now: () => time.nowMs, sleep: () => Promise.resolve() }
  const breaker = new Breaker('test', timing, (state) => changes.push(state))
  return { time, changes, breaker }
}

const failTimes = (breaker: Breaker, times: number) => {
  for (let time = 0; time < times; time++) breaker.enter().fail(new Error('down'))
}

const refusalOf = (breaker: Breaker): UpstreamError => {
  try {
    breaker.enter()
  } catch (error) {
    if (error instanceof UpstreamError) return error
  }
  throw new Error('the call passed')
}

describe('Breaker', () => {
  test('opens after five failed calls in a row and says when the next one may pass', () => {
    const { breaker, time } = setup()
    failTimes(breaker, 4)
    breaker.enter().succeed()
    failTimes(breaker, 4)
    expect(breaker.state).toBe('closed')
    failTimes(breaker, 1)
    expect(breaker.state).toBe('open')

    const { retryable, retryAfterMs = 0, message } = refusalOf(breaker)
    expect(retryable).toBe(true)
    expect(message).toMatch(/^test: not called: .* next attempt in \d\.\d s$/)
    time.nowMs += retryAfterMs
    expect(breaker.enter().probe).toBe(true)
  })

  test('opens when half of the last twenty calls failed', () => {
    const { breaker } = setup()
    for (let call = 0; call < 9; call++) {
      breaker.enter().fail(new Error('down'))
      breaker.enter().succeed()
    }
    expect(breaker.state).toBe('closed')
    breaker.enter().fail(new Error('down'))
    expect(breaker.state).toBe('open')
  })

  test('a probe that succeeds closes it, one that fails doubles the wait up to a minute', () => {
    const { breaker, time, changes } = setup()
    failTimes(breaker, 5)
    const waitsMs: number[] = []
    for (let probe = 0; probe < 9; probe++) {
      const { retryAfterMs = 0 } = refusalOf(breaker)
      waitsMs.push(retryAfterMs)
      time.nowMs += retryAfterMs
      breaker.enter().fail(new Error('down'))
    }
    for (const [index, waitMs] of waitsMs.entries()) {
      const baseMs = Math.min(1_000 * 2 ** index, 60_000)
      expect(waitMs).toBeGreaterThanOrEqual(baseMs)
      expect(waitMs).toBeLessThanOrEqual(baseMs * 1.25)
    }
    time.nowMs += 75_000
    breaker.enter().succeed()
    expect(breaker.state).toBe('closed')
    expect(changes.at(0)).toBe('open')
    expect(changes.slice(-2)).toEqual(['half-open', 'closed'])
  })

  test('a probe that was given up lets the next call probe', () => {
    const { breaker, time } = setup()
    failTimes(breaker, 5)
    time.nowMs += 2_000
    breaker.enter().forget()
    expect(breaker.state).toBe('open')
    expect(breaker.enter().probe).toBe(true)
  })

  test('calls that began before it opened change nothing any more', () => {
    const { breaker } = setup()
    const early = [breaker.enter(), breaker.enter()]
    failTimes(breaker, 5)
    early[0]?.succeed()
    early[1]?.fail(new Error('down'))
    expect(breaker.state).toBe('open')
    expect(refusalOf(breaker).retryAfterMs).toBeLessThanOrEqual(1_250)
  })

  test('rests as long as the upstream wants, also when the probe hears of it', () => {
    const { breaker, time } = setup()
    const refusal = new Error('come back later')
    breaker.rest(90_000, refusal)
    expect(breaker.state).toBe('open')
    expect(refusalOf(breaker).retryAfterMs).toBe(90_000)
    time.nowMs += 90_000
    const probe = breaker.enter()
    breaker.rest(120_000, refusal)
    probe.fail(refusal)
    time.nowMs += 119_999
    expect(refusalOf(breaker).retryAfterMs).toBe(1)
    time.nowMs += 1
    expect(breaker.enter().probe).toBe(true)
  })

  test('whatever happens, there is one probe at a time and nothing but a refusal is thrown', () => {
    const step = fc.record({
      gapMs: fc.nat(400),
      end: fc.constantFrom<'succeed' | 'fail' | 'forget'>('succeed', 'fail', 'fail', 'forget'),
      hold: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { breaker, time } = setup()
        let probe: Pass | undefined
        for (const { gapMs, end, hold } of steps) {
          time.nowMs += gapMs
          const refused = breaker.state === 'half-open'
          expect(refused).toBe(probe !== undefined)
          if (probe !== undefined && !hold) {
            probe[end](new Error('down'))
            probe = undefined
            continue
          }
          try {
            const pass = breaker.enter()
            expect(refused).toBe(false)
            if (pass.probe && hold) probe = pass
            else pass[end](new Error('down'))
          } catch (error) {
            expect(error).toBeInstanceOf(UpstreamError)
            expect(breaker.state).not.toBe('closed')
          }
        }
      }),
    )
  })

  test('an upstream that stays down is tried less than once a second', () => {
    const { breaker, time } = setup()
    let passed = 0
    for (; time.nowMs < 3_600_000; time.nowMs += 500) {
      try {
        const pass = breaker.enter()
        passed++
        pass.fail(new Error('down'))
      } catch (error) {
        expect(error).toBeInstanceOf(UpstreamError)
      }
    }
    expect(passed).toBeLessThan(90)
  })
})
