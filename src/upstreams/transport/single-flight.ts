import { onAbort } from '../../lib/abort.js'

type Flight<T> = { answer: Promise<T>; controller: AbortController; waiting: number }

/** Callers who ask for the same thing at the same time share one piece of work. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()

  /** A caller's abort ends its own wait; the work is aborted when its last caller has left. */
  run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const flight = this.#flights.get(key) ?? this.#start(key, work)
    flight.waiting++
    if (signal === undefined) return flight.answer
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => {
        this.#leave(key, flight, signal.reason)
        reject(signal.reason)
      })
      flight.answer.then(resolve, reject).finally(stopListening)
    })
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const answer = work(controller.signal).finally(() => this.#forget(key, flight))
    const flight: Flight<T> = { answer, controller, waiting: 0 }
    this.#flights.set(key, flight)
    return flight
  }

  #leave(key: string, flight: Flight<T>, reason: unknown): void {
    flight.waiting--
    if (flight.waiting > 0) return
    // Removed at once: the next caller must not join work that is being aborted.
    this.#forget(key, flight)
    flight.controller.abort(reason)
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }
}
