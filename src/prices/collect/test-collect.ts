import { Registry } from 'prom-client'
import { expect, onTestFinished, vi } from 'vitest'
import type { SimulatedPrices, UpstreamName } from '../../../test/simulated-prices.js'
import { until } from '../../../test/until.js'
import { sumMetric } from '../../../test/upstream-socket.js'
import { Bus } from '../../bus/bus.js'
import type { BusEvent } from '../../bus/event.js'
import type { Clock } from '../../core/clock.js'
import { createLog, type Log } from '../../lib/log.js'
import type { Pool, Sql } from '../../store/connection.js'
import type { PriceSource } from '../../upstreams/prices/source.js'
import { createUpstreamMetrics, type UpstreamMetrics } from '../../upstreams/transport/metrics.js'
import { Upstreams } from '../../upstreams/upstreams.js'
import { type Stream, streamId } from '../streams.js'
import { TickCollector } from './collector.js'

export type Shared = { clock: Clock; metrics: UpstreamMetrics; log: Log }
type Connect = (shared: Shared) => PriceSource[]

/** A collector that runs until it is stopped, at the latest with the test. */
export function startCollector(store: { readonly sql: Pool }, clock: Clock, connect: Connect) {
  const registry = new Registry()
  const log = createLog('silent', process.stderr)
  const bus = new Bus({ clock, log })
  const events: BusEvent[] = []
  bus.subscribe((batch) => void events.push(...batch))
  const sources = connect({ clock, metrics: createUpstreamMetrics(registry), log })
  const controller = new AbortController()
  const collector = new TickCollector({ store, sources, priceBus: bus, clock, registry, log })
  const running = collector.run(controller.signal)
  const count = (name: string, labels?: Record<string, string>) => sumMetric(registry, name, labels)
  const stop = async () => {
    controller.abort()
    await running
  }
  onTestFinished(stop)
  return {
    events,
    count,
    /** Waits until a metric has at least this value. */
    untilCount: (atLeast: number, name: string, labels?: Record<string, string>) =>
      vi.waitFor(async () => expect(await count(name, labels)).toBeGreaterThanOrEqual(atLeast), {
        timeout: 60_000,
        interval: 2,
      }),
    /** All that was taken is written then. */
    stop,
  }
}

/** The production connectors of a simulated world, which begins when all of them listen. */
export async function collectFrom(
  store: { readonly sql: Pool },
  sim: SimulatedPrices,
  ...names: readonly UpstreamName[]
) {
  const collecting = startCollector(store, { now: sim.now }, (shared) =>
    new Upstreams(sim.config(names), shared).priceSources(),
  )
  for (const upstream of names) {
    await collecting.untilCount(1, 'auspex_upstream_socket_connected', { upstream })
    await until(() => sim.isFollowed(upstream))
  }
  return collecting
}

export type Collecting = ReturnType<typeof startCollector>

/** The ticks of a stream, the oldest first. */
export async function readTicks(sql: Sql, stream: Partial<Stream> = {}) {
  const id = streamId({ symbol: 'BTC', kind: 'spot', source: 'platform_oracle', ...stream })
  return await sql<{ sec: number; price: number; bid: number | null; ask: number | null }[]>`
    select sec, price, bid, ask from live_ticks where stream = ${id} order by sec`
}

/** The same, shorter. */
export async function readPrices(sql: Sql, stream?: Partial<Stream>): Promise<[number, number][]> {
  return (await readTicks(sql, stream)).map(({ sec, price }) => [sec, price])
}
