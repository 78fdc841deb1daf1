import type { Universe } from '../universe/universe.js'

const MINUTE_MS = 60_000

/** Keeps what is costly to compute until the next minute of the universe. */
export class MinuteMemory<Value> {
  readonly #universe: Universe
  readonly #values = new Map<string, Value>()
  #minute = 0

  constructor(universe: Universe) {
    this.#universe = universe
  }

  get(key: string, compute: () => Value): Value {
    const minute = Math.floor(this.#universe.nowMs / MINUTE_MS)
    if (minute !== this.#minute) this.#values.clear()
    this.#minute = minute
    const kept = this.#values.get(key) ?? compute()
    this.#values.set(key, kept)
    return kept
  }
}
