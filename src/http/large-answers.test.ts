import { setImmediate as nextLoopIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { Counter, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { DEFAULT_PLANS } from '../accounts/plans.js'
import type { ApiError } from '../core/errors.js'
import { LargeAnswers } from './large-answers.js'

const COUNTER = { name: 'refused', help: 'refused', labelNames: ['bucket'] as const, registers: [] }
const GONE = new Error('gone')

/** Answers of accounts on the free plan: two at a time, and six that wait. */
function openAnswers(limits: ConstructorParameters<typeof LargeAnswers>[1] = {}) {
  const answers = new LargeAnswers({ registry: new Registry(), rateLimited: new Counter(COUNTER) }, limits)
  const begun: string[] = []
  const refused: ApiError[] = []
  const enter = (accountId: number, name = '') => {
    const answer = new AbortController()
    const slot = answers.enter({ accountId, plan: DEFAULT_PLANS.free }, answer.signal)
    slot.then(
      () => begun.push(name),
      (error) => {
        if (error !== GONE) refused.push(error)
      },
    )
    return { slot, end: () => answer.abort(GONE) }
  }
  return { enter, begun, refused }
}

describe('of one account', () => {
  test('as many begin as its plan allows, some wait, and the next is refused with 429', async () => {
    const { enter, begun, refused } = openAnswers()
    const [first] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => enter(1, name))
    await nextLoopIteration()
    expect(begun).toEqual(['a', 'b'])
    expect(refused).toMatchObject([
      {
        status: 429,
        message: 'At most 2 large answers at a time on the free plan; 6 more may wait. Retry in 2 seconds.',
        fields: { scope: 'large_answers' },
        retryAfterSeconds: 2,
      },
    ])
    first?.end()
    await nextLoopIteration()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  test('one that waits too long is refused with 429', async () => {
    const { enter } = openAnswers({ waitMsMax: 1 })
    enter(1)
    enter(1)
    await expect(enter(1).slot).rejects.toMatchObject({ status: 429 })
  })

  test('one whose client leaves while it waits is gone, and one that is gone does not begin', async () => {
    const { enter, begun } = openAnswers()
    const [a] = [enter(1, 'a'), enter(1, 'b')]
    const c = enter(1, 'c')
    enter(1, 'd')
    c.end()
    await expect(c.slot).rejects.toBe(GONE)
    a?.end()
    await nextLoopIteration()
    expect(begun).toEqual(['a', 'b', 'd'])
  })
})

describe('of all accounts', () => {
  test('one that waits too long for others is refused with 503', async () => {
    const { enter } = openAnswers({ inProgressMax: 2, waitMsMax: 1 })
    enter(1)
    enter(1)
    await expect(enter(2).slot).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/^The service is sending 2 large answers/),
      retryAfterSeconds: 2,
    })
  })

  test('one that finds too many waiting is refused with 503', async () => {
    const { enter, refused } = openAnswers({ inProgressMax: 1, waitingMax: 2 })
    for (const account of [1, 2, 3, 4]) enter(account)
    await nextLoopIteration()
    expect(refused).toMatchObject([{ status: 503 }])
  })

  test('the next free slot goes to the account that has the fewest, however many others wait', async () => {
    const { enter, begun } = openAnswers({ inProgressMax: 2 })
    const [a] = [enter(1, 'a1'), enter(1, 'a2'), enter(1, 'a3'), enter(1, 'a4')]
    enter(2, 'b1')
    a?.end()
    await nextLoopIteration()
    expect(begun).toEqual(['a1', 'a2', 'b1'])
  })
})

test('whatever comes and leaves, no bound is passed and no slot is lost', async () => {
  const acts = fc.oneof(fc.record({ account: fc.nat(4) }), fc.record({ ends: fc.nat(30) }))
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { maxLength: 80, size: 'max' }), async (list) => {
      const { enter } = openAnswers({ inProgressMax: 5, waitingMax: 10, waitMsMax: 60_000 })
      const open: { account: number; isBegun: boolean; end: () => void }[] = []
      for (const act of list) {
        if ('account' in act) {
          const { slot, end } = enter(act.account)
          const answer = { account: act.account, isBegun: false, end }
          open.push(answer)
          slot.then(
            () => {
              answer.isBegun = true
            },
            () => {
              if (open.includes(answer)) open.splice(open.indexOf(answer), 1)
            },
          )
        } else {
          const [answer] = open.splice(act.ends, 1)
          answer?.end()
        }
        await nextLoopIteration()
        const begun = open.filter(({ isBegun }) => isBegun)
        const ofAccount = (account: number) => begun.filter((answer) => answer.account === account).length
        expect(begun.length).toBeLessThanOrEqual(5)
        for (const { account, isBegun } of open) {
          expect(ofAccount(account)).toBeLessThanOrEqual(2)
          // What waits, waits for a slot of its own account or for one of all accounts.
          if (!isBegun) expect(ofAccount(account) === 2 || begun.length === 5).toBe(true)
        }
      }
      for (const { end } of open) end()
    }),
    { numRuns: 60 },
  )
})
