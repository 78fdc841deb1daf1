/**
 * One attempt, which something outside of it may end: its time is over, or the sender has to stop. An
 * `AbortController` would be the usual form, and costs a tenth of the whole attempt.
 */
export class Attempt {
  #reason: Error | undefined
  #listener: ((reason: Error) => void) | undefined

  /** `undefined`: nothing has ended it. */
  get endReason(): Error | undefined {
    return this.#reason
  }

  /** The first reason counts. */
  end(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#listener?.(reason)
  }

  /** Calls the listener, the only one from now on, when the attempt is ended, or now if it is. */
  onEnd(listener: (reason: Error) => void): void {
    this.#listener = listener
    if (this.#reason !== undefined) listener(this.#reason)
  }
}
