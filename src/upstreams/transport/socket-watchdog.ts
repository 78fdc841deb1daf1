/** A busy event loop runs timers before it reads what has arrived: that is read first. */
const LAST_CHANCE_MS = 1

/** Calls back once when nothing has touched it for `afterMs`. Started again by `start`. */
export class Watchdog {
  readonly #afterMs: number
  readonly #onQuiet: () => void
  #timer: NodeJS.Timeout | undefined
  #touchedAt = 0

  constructor(afterMs: number, onQuiet: () => void) {
    this.#afterMs = afterMs
    this.#onQuiet = onQuiet
  }

  start(): void {
    this.stop()
    this.touch()
    this.#wait(this.#afterMs)
  }

  // Cheap, because every frame calls it: the timer runs on and looks at this time when it is due.
  touch(): void {
    this.#touchedAt = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#leftMs()
      if (leftMs > 0) return this.#wait(leftMs)
      this.#timer = setTimeout(() => {
        if (this.#leftMs() > 0) this.#wait(this.#leftMs())
        else this.#onQuiet()
      }, LAST_CHANCE_MS)
    }, ms)
  }

  #leftMs(): number {
    return this.#touchedAt + this.#afterMs - performance.now()
  }
}
