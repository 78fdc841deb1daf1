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

test('answers as a Map of the same slots does', () => {
  fc.assert(
    fc.property(fc.uniqueArray(keys, { maxLength: 400 }), keys, (added, other) => {
      const table = new SlotTable<{ value: number }>()
      const twin = new Map<number, ReturnType<typeof makeSlot>>()
      for (const [index, key] of added.entries()) {
        const slot = makeSlot(key, index)
        table.add(slot)
        twin.set(key, slot)
      }
      for (const key of [...added, other]) expect(table.get(key)).toBe(twin.get(key))
      expect(table.size).toBe(twin.size)
      expect(new Set(table.all())).toEqual(new Set(twin.values()))
    }),
  )
})
