import type { Metric, Registry } from 'prom-client'

const NAME = 'auspex_http_request_duration_seconds'
const BOUNDS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

/** The answers of one kind: counts[i] took at most BOUNDS_SECONDS[i], the last one longer. */
type Tally = { counts: number[]; sum: number }

/** The tallies of one route, by method and status. */
export type Tallies = Map<string, Tally>

/**
 * How long requests took, by route, method and status: a Prometheus histogram of our own. The
 * library's finds the numbers of a label set by hashing it, which for a request that is answered
 * from memory is a noticeable part of all work; here the route already holds its numbers.
 */
export class RequestTimes {
  readonly name = NAME
  readonly help = 'Time from the arrival of a request to the end of its answer'
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly #routes = new Map<string, Tallies>()

  constructor(registry: Registry) {
    registry.registerMetric(this as unknown as Metric)
  }

  /** The tallies of a route: kept by whoever observes the route. */
  of(route: string): Tallies {
    const known = this.#routes.get(route)
    if (known !== undefined) return known
    const tallies: Tallies = new Map()
    this.#routes.set(route, tallies)
    return tallies
  }

  async get() {
    const values = [...this.#routes].flatMap(([route, tallies]) =>
      [...tallies].flatMap(([kind, tally]) => {
        const [method = '', status = ''] = kind.split(' ')
        return toSamples({ route, method, status }, tally)
      }),
    )
    return { name: NAME, help: this.help, type: this.type, aggregator: this.aggregator, values }
  }

  reset(): void {
    for (const tallies of this.#routes.values()) tallies.clear()
  }
}

export function addTime(tallies: Tallies, method: string, status: number, seconds: number): void {
  const kind = `${method} ${status}`
  let tally = tallies.get(kind)
  if (tally === undefined) {
    tally = { counts: new Array(BOUNDS_SECONDS.length + 1).fill(0), sum: 0 }
    tallies.set(kind, tally)
  }
  let bucket = 0
  while (seconds > (BOUNDS_SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
  tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1
  tally.sum += seconds
}

function toSamples(labels: Record<string, string>, { counts, sum }: Tally) {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    const le = BOUNDS_SECONDS[index] ?? '+Inf'
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: total },
  ]
}
