/** The items by a key, each group in the order of the items. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** The items without repetition, the most frequent first. */
export const byCount = <Item>(items: Iterable<Item>): Item[] =>
  [...groupBy(items, (item) => item)].sort(([, a], [, b]) => b.length - a.length).map(([item]) => item)
