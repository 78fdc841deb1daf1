import { unavailable } from '../core/errors.js'

/** Walks for answers at a time: they must leave connections to the database for other requests. */
const WALKS_MAX = 6
/** How long an answer for one wallet waits. */
export const WAIT_MS_MAX = 5_000

/** Bounds the walks that answers wait for. The next place goes to the walk that came first. */
export class WalkPlaces {
  readonly #waiting = new Set<() => void>()
  #running = 0

  /** Runs a walk when it has a place, or throws a 503 when it had to wait for too long. */
  async run<Result>(walk: () => Promise<Result>, waitMsMax: number): Promise<Result> {
    if (this.#running < WALKS_MAX) this.#running++
    else await this.#wait(waitMsMax)
    try {
      return await walk()
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#running--
      else next()
    }
  }

  /** Resolves with the place of a walk that has ended. */
  #wait(waitMsMax: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        this.#waiting.delete(begin)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(begin)
        reject(unavailable('Too many wallets are being scored now; try again in a moment.'))
      }, waitMsMax)
      this.#waiting.add(begin)
    })
  }
}
