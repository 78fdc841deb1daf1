/** What `run` returns matters only when it is a promise: callbacks may return anything. */
type Job = { bytes: number; run: () => unknown }

/**
 * Hands over what a socket receives, one after the other and in order. A reader that is still busy
 * with the last one makes the next ones wait, up to a bound in bytes.
 */
export class SocketInbox {
  readonly #bytesMax: number
  readonly #onError: (error: unknown) => void
  #waiting: Job[] = []
  #waitingBytes = 0
  #busy = false
  #closed = false

  constructor(bytesMax: number, onError: (error: unknown) => void) {
    this.#bytesMax = bytesMax
    this.#onError = onError
  }

  /** Whether that much more may be pushed. */
  hasRoom(bytes: number): boolean {
    return !this.#busy || this.#waitingBytes + bytes <= this.#bytesMax
  }

  push(bytes: number, run: Job['run']): void {
    if (this.#closed) return
    if (this.#busy) {
      this.#waiting.push({ bytes, run })
      this.#waitingBytes += bytes
      return
    }
    const done = this.#run(run)
    if (done === undefined) return
    this.#busy = true
    void done.then(() => this.#drain())
  }

  /** Nothing is handed over from now on. */
  close(): void {
    this.#closed = true
    this.#waiting = []
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting
      this.#waiting = []
      for (const { bytes, run } of jobs) {
        if (this.#closed) return
        await this.#run(run)
        this.#waitingBytes -= bytes
      }
    }
    this.#busy = false
  }

  /** `undefined`: it is done already. The promise never rejects. */
  #run(run: Job['run']): Promise<void> | undefined {
    try {
      const done = run()
      return done instanceof Promise ? done.catch(this.#onError) : undefined
    } catch (error) {
      this.#onError(error)
      return undefined
    }
  }
}
