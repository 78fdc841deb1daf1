import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotTable } from './slot-table.js'

const makeSlot = (key: number, row: number) => ({
  key,
  row: { value: row },
  isStored: false,
  isChanged: false,
  journalledBlock: -1,
  generation: 0,
})

// Neighbours as ids are, and numbers as large as two ids together.
const keys = fc.oneof(
  fc.nat(500),
  fc.nat(500).map((id) => id * 2 ** 27),
  fc.maxSafeNat(),
)

test('finds what was added, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(keys, { maxLength: 400 }), keys, (added, other) => {
      const table = new SlotTable<{ value: number }>()
      for (const [index, key] of added.entries()) table.add(makeSlot(key, index))

      expect(added.map((key) => table.get(key)?.row?.value)).toEqual([...added.keys()])
      expect(table.get(other) === undefined).toBe(!added.includes(other))
      expect(table.size).toBe(added.length)
      expect(new Set([...table.all()].map(({ key }) => key))).toEqual(new Set(added))
    }),
  )
})
