/** Longer between two iterations of a loop that waits for a millisecond: other processes had the processor. */
const INTERVAL_MS_MAX = 4

/** A clock that stands still while the process is not scheduled, which on a shared machine may be long. */
export class RunningTime {
  #updatedAt = performance.now()
  #lostMs = 0

  now(): number {
    const at = performance.now()
    return at - this.#lostMs - Math.max(0, at - this.#updatedAt - INTERVAL_MS_MAX)
  }

  /** To be called about every millisecond. */
  update(): void {
    const at = performance.now()
    this.#lostMs += Math.max(0, at - this.#updatedAt - INTERVAL_MS_MAX)
    this.#updatedAt = at
  }
}
