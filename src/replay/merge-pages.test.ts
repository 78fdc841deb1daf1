import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergePages } from './merge-pages.js'

type Item = { at: number; of: 'a' | 'b'; index: number }

async function* paged(items: readonly Item[], sizes: readonly number[]) {
  let from = 0
  for (let page = 0; from < items.length; page++) {
    const size = sizes[page % sizes.length] ?? 1
    yield items.slice(from, from + size)
    from += size
  }
}

const times = fc.array(fc.integer({ min: 0, max: 20 })).map((list) => list.toSorted((a, b) => a - b))
// An empty page is one whose events are all outside of the range.
const sizes = fc
  .array(fc.integer({ min: 0, max: 4 }), { minLength: 1 })
  .filter((list) => list.some((size) => size > 0))

test('any two sources come out whole, by time, those of the first before those of the second', async () => {
  const property = fc.asyncProperty(
    times,
    times,
    sizes,
    sizes,
    async (first, second, firstSizes, secondSizes) => {
      const toItems = (list: readonly number[], of: 'a' | 'b') =>
        list.map((at, index): Item => ({ at, of, index }))
      const [a, b] = [toItems(first, 'a'), toItems(second, 'b')]
      const merged: Item[] = []
      const isBefore = (one: Item, other: Item) =>
        one.at < other.at || (one.at === other.at && one.of === 'a')
      for await (const page of mergePages(paged(a, firstSizes), paged(b, secondSizes), isBefore))
        merged.push(...page)
      expect(merged).toEqual([...a, ...b].toSorted((one, other) => one.at - other.at))
    },
  )
  await fc.assert(property)
})

test('a reader that leaves closes both sources', async () => {
  const closed: string[] = []
  async function* endless(name: string) {
    try {
      for (let at = 0; ; at++) yield [at]
    } finally {
      closed.push(name)
    }
  }
  for await (const _page of mergePages(endless('left'), endless('right'), (a, b) => a < b)) break
  expect(closed.toSorted()).toEqual(['left', 'right'])
})
