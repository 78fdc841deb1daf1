/** Calls under way at once: enough for the connections of a pool, and few in the queue of the limits. */
const CALLS_MAX = 16

/** Asks for many things in calls of at most `size`. The first call that fails ends it. */
export async function inBatches<Item, Answer>(
  items: Iterable<Item>,
  size: number,
  ask: (batch: Item[]) => Promise<Answer>,
): Promise<Answer[]> {
  const batches = split([...items], size)
  const answers: Answer[] = []
  for (const together of split(batches, CALLS_MAX))
    answers.push(...(await Promise.all(together.map(ask))))
  return answers
}

function split<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let start = 0; start < items.length; start += size)
    parts.push(items.slice(start, start + size))
  return parts
}
