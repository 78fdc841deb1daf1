/** Asks for many things in calls of at most `size`, all at once: the rate limits pace them. */
export async function inBatches<Item, Answer>(
  items: Iterable<Item>,
  size: number,
  ask: (batch: Item[]) => Promise<Answer>,
): Promise<Answer[]> {
  const distinct = [...new Set(items)]
  const calls: Promise<Answer>[] = []
  for (let start = 0; start < distinct.length; start += size)
    calls.push(ask(distinct.slice(start, start + size)))
  return await Promise.all(calls)
}
