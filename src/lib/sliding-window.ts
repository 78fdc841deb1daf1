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

  /** When so many of the counted events have left that fewer than `limit` remain. */
  freeAt(limit: number, nowMs: number): number {
    const leaving = this.#count - limit
    return leaving < 0 ? nowMs : this.#at(leaving) + this.#windowMs
  }

  /** When the oldest event leaves; `nowMs + windowMs` when there is none. */
  oldestLeavesAt(nowMs: number): number {
    return (this.#count === 0 ? nowMs : this.#at(0)) + this.#windowMs
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
