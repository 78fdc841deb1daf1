import type { EventDraft } from '../bus/event.js'

/** Puts the events of a block into the order of their logs; those of one log stay as they came. */
export class PlacedEvents {
  readonly #placed: { seq: number; event: EventDraft }[] = []

  /** Nothing to tell is nothing to add. */
  add(seq: number, event: EventDraft | undefined): void {
    if (event !== undefined) this.#placed.push({ seq, event })
  }

  inOrder(): EventDraft[] {
    return this.#placed.sort((a, b) => a.seq - b.seq).map(({ event }) => event)
  }
}
