import type { IdTable } from './queries.js'

/** The first fact that names an id. `ordinal` orders the ids that share a `seq`. */
export type Reference = { name: string; seq: number; ordinal: number }

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

  add(name: string, seq: number, ordinal: number): void {
    if (this.#isInMemory(name)) return
    const reference = this.#references.get(name)
    if (reference === undefined) {
      this.#references.set(name, { name, seq, ordinal })
    } else if (seq < reference.seq || (seq === reference.seq && ordinal < reference.ordinal)) {
      reference.seq = seq
      reference.ordinal = ordinal
    }
  }

  /** Adds ids with consecutive ordinals, from `ordinal` on. */
  addAll(names: readonly string[], seq: number, ordinal: number): void {
    for (let index = 0; index < names.length; index++) {
      const name = names[index]
      if (name !== undefined) this.add(name, seq, ordinal + index)
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
    return references.sort((a, b) => a.seq - b.seq || a.ordinal - b.ordinal)
  }
}

export type IdReferences = Record<IdTable, References>
