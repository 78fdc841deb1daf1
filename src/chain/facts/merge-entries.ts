import type { Entry } from '../../ledger/entry.js'

/** Entries of one kind each, in the order of `seq`. Of equal ones the earlier list comes first. */
type EntryLists = readonly (readonly Entry[])[]

/** One list in the order of `seq`. */
export function mergeEntries(lists: EntryLists): Entry[] {
  const merged = new Array<Entry>(lists.reduce((sum, { length }) => sum + length, 0))
  let length = 0
  const cursors = lists.filter((list) => list.length > 0).map((list) => ({ list, next: 0 }))
  for (;;) {
    let first: Entry | undefined
    let from: { next: number } | undefined
    for (const cursor of cursors) {
      const entry = cursor.list[cursor.next]
      if (entry === undefined || (first !== undefined && first.seq <= entry.seq)) continue
      first = entry
      from = cursor
    }
    if (first === undefined || from === undefined) return merged
    from.next++
    merged[length++] = first
  }
}
