import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Payer, SharedLimit } from './shared-limit.js'

const WINDOW_MS = 1_000

/** Asks, and takes the call if it may. */
function tryTake(limit: SharedLimit, payer: Payer, nowMs: number): boolean {
  limit.ask(payer, nowMs)
  const mayTake = limit.mayTake(payer, nowMs)
  if (mayTake) limit.add(payer, nowMs)
  return mayTake
}

/** How many it gets at once. */
function takeAll(limit: SharedLimit, payer: Payer, nowMs: number): number {
  let taken = 0
  while (tryTake(limit, payer, nowMs)) taken++
  return taken
}

const callsMax = fc.integer({ min: 30, max: 200 })
const gaps = fc.nat(400)

describe('a shared limit', () => {
  test('has no more calls in any window, whichever payer calls', () => {
    const payers = fc.option(fc.nat(5), { nil: undefined })
    const asks = fc.array(fc.record({ payer: payers, gapMs: fc.nat(60) }), {
      maxLength: 150,
      size: 'max',
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), asks, (calls, list) => {
        const limit = new SharedLimit(calls, WINDOW_MS)
        const times: number[] = []
        let nowMs = 0
        for (const { payer, gapMs } of list) {
          nowMs += gapMs
          if (tryTake(limit, payer, nowMs)) times.push(nowMs)
          const inWindow = times.filter((atMs) => atMs > nowMs - WINDOW_MS)
          expect(inWindow.length).toBeLessThanOrEqual(calls)
        }
      }),
    )
  })

  test('gives an account that is alone two thirds at any time, and background work everything', () => {
    fc.assert(
      fc.property(callsMax, fc.array(fc.tuple(gaps, fc.nat(300))), (calls, bursts) => {
        const limit = new SharedLimit(calls, WINDOW_MS)
        let nowMs = 0
        for (const [gapMs, wanted] of bursts) {
          nowMs += gapMs
          for (let call = 0; call < wanted; call++) {
            const isBelow = limit.usedBy(1, nowMs) < (2 * calls) / 3
            if (tryTake(limit, 1, nowMs) !== isBelow) throw new Error(`not so at ${nowMs} ms`)
          }
        }
        expect(takeAll(new SharedLimit(calls, WINDOW_MS), undefined, 0)).toBe(calls)
      }),
    )
  })

  test('has a call at once for an account that had none, while two others take all they get', () => {
    const asks = fc.array(fc.record({ greedy: fc.nat(1), gapMs: gaps, most: fc.nat(300) }))
    fc.assert(
      fc.property(callsMax, asks, (calls, list) => {
        const limit = new SharedLimit(calls, WINDOW_MS)
        let nowMs = 0
        for (const { greedy, gapMs, most } of list) {
          nowMs += gapMs
          for (let call = 0; call < most; call++) tryTake(limit, greedy, nowMs)
          expect(limit.mayTake(7, nowMs)).toBe(true)
        }
      }),
    )
  })

  test('is divided into equal parts in the long run, and background work has three', () => {
    const draws = fc.array(fc.nat(1_000), { minLength: 400, maxLength: 400 })
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5 }), draws, (accounts, list) => {
        const limit = new SharedLimit(90, WINDOW_MS)
        const payers: Payer[] = [undefined, ...Array.from({ length: accounts }, (_, id) => id)]
        const taken = new Map<Payer, number>(payers.map((payer) => [payer, 0]))
        for (const [step, order] of list.entries()) {
          // All want more than they get, and ask in any order.
          const first = order % payers.length
          for (const payer of [...payers.slice(first), ...payers.slice(0, first)]) {
            const more = takeAll(limit, payer, step * 50)
            taken.set(payer, (taken.get(payer) ?? 0) + more)
          }
        }
        const part = (90 * (400 / 20)) / (accounts + 3)
        for (const id of payers.slice(1)) expect((taken.get(id) ?? 0) / part).toBeGreaterThan(0.6)
        expect((taken.get(undefined) ?? 0) / (3 * part)).toBeGreaterThan(0.6)
      }),
      { numRuns: 20 },
    )
  })
})

describe('a refusal', () => {
  test('of an account that has its part says when its oldest call leaves', () => {
    const limit = new SharedLimit(30, WINDOW_MS)
    expect(takeAll(limit, 1, 0)).toBe(20)
    expect(limit.refusal(1, 400)).toEqual({ isOwn: true, waitMs: 600 })
    expect(limit.refusal(2, 400)).toBeUndefined()
  })

  test('of an account that has less blames the others', () => {
    const limit = new SharedLimit(30, WINDOW_MS)
    takeAll(limit, 1, 0)
    expect(takeAll(limit, 2, 100)).toBe(7)
    expect(limit.refusal(2, 400)).toEqual({ isOwn: false, waitMs: 600 })
  })
})
