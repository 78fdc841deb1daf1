/** The items without repetition, the most frequent first. */
export function byCount<Item>(items: Iterable<Item>): Item[] {
  const counts = new Map<Item, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([item]) => item)
}
