import type { FilteredEvent } from './event-filter.js'
import type { PriceSelection } from './subscribe-request.js'

export function matchesPrice({ feeds, sources }: PriceSelection, { keys }: FilteredEvent): boolean {
  const { feed, priceSource } = keys
  const isOneOf = (names: ReadonlySet<string>, name: string | undefined) =>
    name !== undefined && names.has(name)
  return isOneOf(feeds, feed) && isOneOf(sources, priceSource)
}

/** Who receives which coin prices. Each receiver has one selection: a new one takes its place. */
export class PriceReceivers<Receiver extends object> {
  readonly #selections = new Map<Receiver, PriceSelection>()
  readonly #receivers = new Map<string, Set<Receiver>>()

  get size(): number {
    return this.#selections.size
  }

  set(receiver: Receiver, selection: PriceSelection): void {
    this.delete(receiver)
    this.#selections.set(receiver, selection)
    for (const key of keysOf(selection)) {
      const receivers = this.#receivers.get(key) ?? new Set()
      this.#receivers.set(key, receivers.add(receiver))
    }
  }

  delete(receiver: Receiver): void {
    const selection = this.#selections.get(receiver)
    if (selection === undefined) return
    this.#selections.delete(receiver)
    for (const key of keysOf(selection)) this.#receivers.get(key)?.delete(receiver)
  }

  match({ keys: { feed, priceSource } }: FilteredEvent): Iterable<Receiver> {
    return this.#receivers.get(`${feed} ${priceSource}`) ?? []
  }
}

const keysOf = ({ feeds, sources }: PriceSelection): string[] =>
  [...feeds].flatMap((feed) => [...sources].map((source) => `${feed} ${source}`))
