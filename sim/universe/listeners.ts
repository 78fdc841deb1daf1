/** Who wants to hear of what. */
export class Listeners<Events extends { [Name in keyof Events]: (...args: never[]) => void }> {
  readonly #byName = new Map<keyof Events, Set<Events[keyof Events]>>()

  /** Returns what ends it. */
  on<Name extends keyof Events>(name: Name, listener: Events[Name]): () => void {
    let listeners = this.#byName.get(name)
    if (listeners === undefined) {
      listeners = new Set()
      this.#byName.set(name, listeners)
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  has(name: keyof Events): boolean {
    return (this.#byName.get(name)?.size ?? 0) > 0
  }

  emit<Name extends keyof Events>(name: Name, ...args: Parameters<Events[Name]>): void {
    const listeners = this.#byName.get(name) as Set<Events[Name]> | undefined
    for (const listener of listeners ?? []) listener(...args)
  }
}
