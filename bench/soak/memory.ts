import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MB = 1_000_000
/** What reading a little more or less at the moment of measuring may amount to. */
const GROWTH_BYTES_MAX = 12 * MB

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What is still in use after a collection, over time. */
export class Memory {
  readonly #heap: number[] = []
  #rssMax = 0

  sample(): void {
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    this.#heap.push(heapUsed + external)
    this.#rssMax = Math.max(this.#rssMax, rss)
  }

  describe(): string {
    const { early, late } = this.#compare()
    return `${mb(early)} early, ${mb(late)} late, ${mb(this.#rssMax)} resident at most`
  }

  problems(): string[] {
    const { early, late } = this.#compare()
    return late - early > GROWTH_BYTES_MAX ? [`memory grew from ${mb(early)} to ${mb(late)}`] : []
  }

  /** Medians of the second and of the last quarter: the first one still warms up. */
  #compare(): { early: number; late: number } {
    const quarter = Math.max(1, Math.floor(this.#heap.length / 4))
    return {
      early: median(this.#heap.slice(quarter, 2 * quarter)),
      late: median(this.#heap.slice(-quarter)),
    }
  }
}

const mb = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
