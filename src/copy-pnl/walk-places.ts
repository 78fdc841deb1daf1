import { unavailable } from '../core/errors.js'

/** Walks for answers at a time: they must leave connections to the database for other requests. */
const WALKS_MAX = 6
const WAIT_MS_MAX = 5_000

/** Bounds the walks that answers wait for. The next place goes to the walk that came first. */
export class WalkPlaces {
  readonly #waiting = new Set<() => void>()
  #running = 0

  /** Runs a walk when it has a place, or throws a 503 after some seconds. */
  async run<Result>(walk: () => Promise<Result>): Promise<Result> {
    if (this.#running < WALKS_MAX) this.#running++
    else await this.#wait()
    try {
      return await walk()
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#running--
      else next()
    }
  }

  /** Resolves with the place of a walk that has ended. */
  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        this.#waiting.delete(begin)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(begin)
        reject(unavailable('Too many wallets are being scored now; try again in a moment.'))
      }, WAIT_MS_MAX)
      this.#waiting.add(begin)
    })
  }
}
