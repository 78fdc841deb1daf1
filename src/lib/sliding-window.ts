/**
 * The times of the events of the last `windowMs`, exactly: a log, not an estimate, so no burst of
 * twice the limit fits across a boundary. A ring that doubles keeps it as large as the events in
 * the window and every operation constant on average. Times must not go backwards.
 */
export class SlidingWindow {
  readonly #windowMs: number
  #times = new Float64Array(8)
  #first = 0
  #count = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Events younger than the window at `nowMs`; older ones are forgotten. */
  count(nowMs: number): number {
    const expired = nowMs - this.#windowMs
    while (this.#count > 0 && this.#at(0) <= expired) {
      this.#first = (this.#first + 1) % this.#times.length
      this.#count--
    }
    return this.#count
  }

  add(nowMs: number): void {
    if (this.#count === this.#times.length) this.#grow()
    this.#times[(this.#first + this.#count) % this.#times.length] = nowMs
    this.#count++
  }

  /** Forgets the newest event. */
  removeLast(): void {
    if (this.#count > 0) this.#count--
  }

  /**
   * When the next event leaves that makes the count less than `limit`: the oldest, or a later one while more
   * are counted than the limit allows. `nowMs + windowMs` when nothing is counted.
   */
  freeAt(limit: number, nowMs: number): number {
    if (this.#count === 0) return nowMs + this.#windowMs
    return this.#at(Math.max(0, this.#count - limit)) + this.#windowMs
  }

  #at(index: number): number {
    return this.#times[(this.#first + index) % this.#times.length] ?? 0
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2)
    for (let index = 0; index < this.#count; index++) times[index] = this.#at(index)
    this.#times = times
    this.#first = 0
  }
}
