import fc from 'fast-check'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { costOf, OPERATION_COSTS } from './costs.js'
import { describeWorkLimit, type WorkOwner, WorkShares } from './work-shares.js'

const ownerOf = (accountId: number, workPerSecond = 200): WorkOwner => ({
  accountId,
  plan: { workPerSecond },
})

function openShares() {
  const time = { nowMs: 0 }
  const registry = new Registry()
  const shares = new WorkShares({ registry, now: () => time.nowMs })
  return { shares, registry, time }
}

/** Resolves when all that may begin in this iteration of the event loop has begun. */
const nextLoopIteration = () => new Promise<void>((resolve) => setImmediate(resolve))

const heavy = ownerOf(1)
const other = ownerOf(2)

describe('an account alone', () => {
  test('spends as much as it likes', async () => {
    const { shares } = openShares()
    shares.charge(heavy, 10_000)
    expect(shares.isHeldBack(heavy)).toBe(false)
    expect(shares.refusedMs(heavy)).toBe(0)
    expect(await shares.admit(heavy, 1)).toBeUndefined()
  })

  test('is not alone for two seconds after the last work of another one', () => {
    const { shares, time } = openShares()
    shares.charge(heavy, 10_000)
    shares.charge(other, 1)
    expect(shares.isHeldBack(heavy)).toBe(true)
    time.nowMs = 1_999
    expect(shares.isHeldBack(heavy)).toBe(true)
    time.nowMs = 2_000
    expect(shares.isHeldBack(heavy)).toBe(false)
  })
})

describe('while others work', () => {
  test('an account within its allowance is not held back', () => {
    const { shares } = openShares()
    shares.charge(other, 1)
    shares.charge(heavy, 200)
    expect(shares.isHeldBack(heavy)).toBe(false)
    shares.charge(heavy, 1)
    expect(shares.isHeldBack(heavy)).toBe(true)
    expect(shares.isHeldBack(other)).toBe(false)
  })

  test('the plan refills the allowance', () => {
    const { shares, time } = openShares()
    shares.charge(heavy, 250)
    shares.charge(other, 1)
    time.nowMs = 249
    shares.charge(other, 1)
    expect(shares.isHeldBack(heavy)).toBe(true)
    time.nowMs = 251
    shares.charge(other, 1)
    expect(shares.isHeldBack(heavy)).toBe(false)
  })

  test('charges without admission never refuse the next work: the debt of queries is bounded', () => {
    const { shares } = openShares()
    shares.charge(other, 1)
    shares.charge(heavy, 1_000_000)
    expect(shares.refusedMs(heavy)).toBe(0)
  })

  test('of two that are over their allowance, the one that works more is held back', () => {
    const { shares, time } = openShares()
    shares.charge(heavy, 900)
    shares.charge(other, 500)
    expect([heavy, other].map((owner) => shares.isHeldBack(owner))).toEqual([true, false])
    // What was long ago does not count any more.
    time.nowMs = 20_000
    shares.charge(other, 500)
    shares.charge(heavy, 300)
    expect([heavy, other].map((owner) => shares.isHeldBack(owner))).toEqual([false, true])
  })

  test('work of one that is over its allowance waits for the refill, that of others begins', async () => {
    const { shares, time } = openShares()
    shares.charge(other, 1)
    shares.charge(heavy, 300)
    let hasBegun = false
    const late = Promise.resolve(shares.admit(heavy, 1)).then(() => {
      hasBegun = true
    })
    expect(shares.admit(other, 1)).toBeUndefined()
    await nextLoopIteration()
    expect(hasBegun).toBe(false)
    time.nowMs = 1_000
    await late
  })

  test('work that would wait for more than five seconds is refused, and the text says when there is more', async () => {
    const { shares, registry } = openShares()
    shares.charge(other, 1)
    shares.charge(heavy, 200)
    shares.admit(heavy, 800)
    void shares.admit(heavy, 600)
    const refusedMs = shares.refusedMs(heavy)
    expect(refusedMs).toBe(2_000)
    expect(describeWorkLimit(heavy, refusedMs)).toBe(
      "The account has used up its share of the service's time, 200 units a second, while others work too. Retry in 2 seconds.",
    )
    const metrics = await registry.metrics()
    expect(metrics).toContain('auspex_work_waiting{account="1"} 1')
    expect(metrics).toContain('auspex_work_refused_total 1')
  })
})

test('work of an account begins in order, and no loop iteration takes much more than eight units', async () => {
  const { shares } = openShares()
  const begun: number[] = []
  const sizes: number[] = []
  const all = Array.from({ length: 20 }, (_, index) =>
    Promise.resolve(shares.admit(ownerOf(1, 10_000), 3)).then(() => begun.push(index)),
  )
  let before = 0
  while (begun.length < 20) {
    await nextLoopIteration()
    sizes.push(begun.length - before)
    before = begun.length
  }
  await Promise.all(all)
  expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index))
  // The first look sees what began at once, too.
  expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(3)
})

test('accounts that wait get their next pieces round-robin', async () => {
  const { shares } = openShares()
  const begun: number[] = []
  const admit = (id: number) =>
    Promise.resolve(shares.admit(ownerOf(id, 10_000), 8)).then(() => begun.push(id))
  await Promise.all([admit(1), admit(1), admit(1), admit(1), admit(2), admit(3), admit(2)])
  expect(begun.slice(0, 4).sort()).toEqual([1, 1, 2, 3])
})

test('whatever an account asks for, it gets no more than its burst and its refill while others work', async () => {
  const pieces = fc.array(fc.record({ units: fc.integer({ min: 1, max: 60 }), pauseMs: fc.nat(300) }), {
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(pieces, async (asked) => {
      const { shares, time } = openShares()
      let spent = 0
      for (const { units, pauseMs } of asked) {
        time.nowMs += pauseMs
        shares.charge(other, 0)
        void Promise.resolve(shares.admit(heavy, units)).then(() => {
          spent += units
        })
        await nextLoopIteration()
        // The piece that uses up the allowance may be larger than what is left of it.
        expect(spent).toBeLessThanOrEqual(200 + (time.nowMs / 1_000) * 200 + 60)
      }
    }),
    { numRuns: 30 },
  )
})

test('costs grow with the amount', () => {
  expect(costOf('identifiers', 100)).toBe(2 * costOf('identifiers', 50))
  expect(OPERATION_COSTS.heavy).toBeGreaterThan(OPERATION_COSTS.page)
})
