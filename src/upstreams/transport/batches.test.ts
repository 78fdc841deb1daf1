import { expect, test } from 'vitest'
import { inBatches } from './batches.js'

test('every thing is asked for once, in order, and few calls are under way at a time', async () => {
  let running = 0
  let runningMax = 0
  const items = Array.from({ length: 15_000 }, (_, index) => index)
  const answers = await inBatches(items, 7, async (batch) => {
    running += 1
    runningMax = Math.max(runningMax, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return batch
  })
  expect(answers.flat()).toEqual(items)
  expect(Math.max(...answers.map(({ length }) => length))).toBe(7)
  expect(runningMax).toBe(16)
})

test('after a call that fails no further ones are made', async () => {
  let calls = 0
  const asking = inBatches(Array(1_000).keys(), 1, async () => {
    calls += 1
    throw new Error('down')
  })
  await expect(asking).rejects.toThrow('down')
  expect(calls).toBe(16)
})
