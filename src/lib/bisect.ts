export type BisectOptions<Item> = {
  /** Whether an item is to blame for the error; any other error ends the run. */
  isRefusal: (error: unknown) => boolean
  /** Receives each item that is refused even on its own. */
  onRefused: (item: Item, error: unknown) => void
}

/**
 * Does the work for all items at once. If it is refused because of some of them, it is done for each
 * half of the items, and so on, until only those are left out that cause the refusal. Returns the
 * results of all runs that went well, in the order of the items.
 */
export async function bisect<Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<Result>,
  options: BisectOptions<Item>,
): Promise<Result[]> {
  const [first] = items
  if (first === undefined) return []
  try {
    return [await work(items)]
  } catch (error) {
    if (!options.isRefusal(error)) throw error
    if (items.length === 1) {
      options.onRefused(first, error)
      return []
    }
    const middle = items.length >> 1
    const head = await bisect(items.slice(0, middle), work, options)
    return [...head, ...(await bisect(items.slice(middle), work, options))]
  }
}
