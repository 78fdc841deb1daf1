import { UpstreamError } from '../upstreams/transport/errors.js'

/**
 * Asks for many things at once. An answer that cannot be read, because one of them is odd, is asked
 * for in halves; what is odd by itself goes to `onOdd` and is left out.
 */
export async function askInHalves<Item, Answer>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<Map<Item, Answer>>,
  onOdd: (item: Item, error: UpstreamError) => void,
): Promise<Map<Item, Answer>> {
  const [first] = items
  if (first === undefined) return new Map()
  try {
    return await ask(items)
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error
    if (items.length === 1) {
      onOdd(first, error)
      return new Map()
    }
    const middle = items.length >> 1
    const head = await askInHalves(items.slice(0, middle), ask, onOdd)
    const tail = await askInHalves(items.slice(middle), ask, onOdd)
    return new Map([...head, ...tail])
  }
}
