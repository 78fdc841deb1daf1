import { expect, test } from 'vitest'
import { followCursor } from './cursor.js'

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
  const asked: (string | undefined)[] = []
  const items = followCursor('test', undefined, async (cursor) => {
    asked.push(cursor)
    return pages[Number(cursor ?? 0)] ?? { items: [], nextCursor: undefined }
  })
  expect(await collect(items)).toEqual([1, 2, 3])
  expect(asked).toEqual([undefined, '1', '2'])
})

test('a cursor that leads to itself ends in an error, not in a loop', async () => {
  const items = followCursor('test', undefined, async () => ({ items: [1], nextCursor: 'same' }))
  await expect(collect(items)).rejects.toMatchObject({
    name: 'UpstreamError',
    message: 'test: cursor same leads to itself',
  })
})
