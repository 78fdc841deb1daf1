import type { MarketEvent, Tag } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { isEventClosed } from './life.js'

export type TagStatus = 'active' | 'closed' | 'all'

/** Two tags are related when events carry both: the more of them, the higher the rank. */
export class TagRelations {
  readonly #universe: Universe
  readonly #together = new Map<string, Map<string, number>>()
  #eventsSeen = 0

  constructor(universe: Universe) {
    this.#universe = universe
  }

  /** The closest first. */
  relatedTo(tag: Tag): Tag[] {
    this.#catchUp()
    const counts = [...(this.#together.get(tag.id) ?? [])].sort((a, b) => b[1] - a[1])
    return counts.flatMap(([id]) => this.#universe.catalogue.tags.find((t) => t.id === id) ?? [])
  }

  /** How many events carry each tag. */
  countEvents(status: TagStatus): Map<string, number> {
    const counts = new Map<string, number>()
    for (const event of this.#universe.catalogue.events()) {
      if (status !== 'all' && isEventClosed(this.#universe, event) !== (status === 'closed')) continue
      for (const { id } of event.tags) counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    return counts
  }

  #catchUp(): void {
    const events = this.#universe.catalogue.events()
    for (; this.#eventsSeen < events.length; this.#eventsSeen++) {
      this.#relate(events[this.#eventsSeen]?.tags ?? [])
    }
  }

  #relate(tags: MarketEvent['tags']): void {
    for (const { id } of tags) {
      const related = this.#together.get(id) ?? new Map<string, number>()
      this.#together.set(id, related)
      for (const other of tags) {
        if (other.id !== id) related.set(other.id, (related.get(other.id) ?? 0) + 1)
      }
    }
  }
}
