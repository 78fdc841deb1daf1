import { expect, test } from 'vitest'
import { eachCursorPage, inBatches } from './paging.js'

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('follows the cursor to the last page, over an empty one too', async () => {
  const pages = [
    { items: [1, 2], nextCursor: '1' },
    { items: [], nextCursor: '2' },
    { items: [3], nextCursor: undefined },
  ]
  const cursors: (string | undefined)[] = []
  const items = eachCursorPage('test', undefined, async (cursor) => {
    cursors.push(cursor)
    return pages[Number(cursor ?? 0)] ?? { items: [], nextCursor: undefined }
  })
  expect((await collect(items)).flatMap((page) => page.items)).toEqual([1, 2, 3])
  expect(cursors).toEqual([undefined, '1', '2'])
})

test.each([
  ['to itself', ['a', 'a']],
  ['to an earlier one', ['a', 'b', 'a']],
])('a cursor that leads %s ends in an error, not in a loop', async (_where, cursors) => {
  const next = cursors.values()
  const items = eachCursorPage('test', undefined, async () => ({
    items: [1],
    nextCursor: next.next().value,
  }))
  await expect(collect(items)).rejects.toMatchObject({
    name: 'UpstreamError',
    message: 'test: cursor a came before',
  })
})

test('every thing is requested once, in order, and few calls are under way at a time', async () => {
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
