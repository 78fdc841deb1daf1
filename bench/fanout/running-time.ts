/** Longer between two turns of a loop that waits for a millisecond: the machine gave the processor to others. */
const TURN_MS_MAX = 4

/** A clock that stands while the process is not given a processor, which on a shared machine may be long. */
export class RunningTime {
  #turnedAt = performance.now()
  #lostMs = 0

  now(): number {
    const at = performance.now()
    return at - this.#lostMs - Math.max(0, at - this.#turnedAt - TURN_MS_MAX)
  }

  /** To be called about every millisecond. */
  turn(): void {
    const at = performance.now()
    this.#lostMs += Math.max(0, at - this.#turnedAt - TURN_MS_MAX)
    this.#turnedAt = at
  }
}
