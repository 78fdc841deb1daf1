import type { IdTable } from './queries.js'

/** The first place on the chain that names an id. */
export type Reference = { name: string; seq: number; place: number }

/** The natural ids of one table that a batch names and that are not in memory. */
export class References {
  readonly #isInMemory: (name: string) => boolean
  readonly #references = new Map<string, Reference>()

  constructor(isInMemory: (name: string) => boolean) {
    this.#isInMemory = isInMemory
  }

  get size(): number {
    return this.#references.size
  }

  names(): string[] {
    return [...this.#references.keys()]
  }

  /** `place` orders the ids that share a `seq`. */
  add(name: string, seq: number, place: number): void {
    if (this.#isInMemory(name)) return
    const reference = this.#references.get(name)
    if (reference === undefined) {
      this.#references.set(name, { name, seq, place })
    } else if (seq < reference.seq || (seq === reference.seq && place < reference.place)) {
      reference.seq = seq
      reference.place = place
    }
  }

  /** Adds ids that follow each other from `place` on. */
  addAll(names: readonly string[], seq: number, place: number): void {
    for (let index = 0; index < names.length; index++) {
      const name = names[index]
      if (name !== undefined) this.add(name, seq, place + index)
    }
  }

  /** Takes out an id that the database has. */
  take(name: string): Reference | undefined {
    const reference = this.#references.get(name)
    this.#references.delete(name)
    return reference
  }

  /** Takes out all that are left, in the order of the chain. */
  takeAll(): Reference[] {
    const references = [...this.#references.values()]
    this.#references.clear()
    return references.sort((a, b) => a.seq - b.seq || a.place - b.place)
  }
}

export type IdReferences = Record<IdTable, References>
