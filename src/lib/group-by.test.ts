import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupBy } from './group-by.js'

test('each item is in the group of its key, in the order given', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (items) => {
      const groups = groupBy(items, (item) => item % 3)
      for (const [key, group] of groups) expect(group).toEqual(items.filter((item) => item % 3 === key))
      expect([...groups.keys()]).toEqual([...new Set(items.map((item) => item % 3))])
    }),
  )
})
