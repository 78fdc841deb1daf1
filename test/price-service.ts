import { type TestContext, vi } from 'vitest'
import { PriceJobs, type PriceStatus, priceStatus } from '../src/prices/domain.js'
import { type Stream, streamId } from '../src/prices/streams.js'
import {
  insertPast,
  openSimulatedPrices,
  SIMULATED_STREAMS,
  type SimulatedPrices,
} from './simulated-prices.js'
import { createTestApp, type TestApp } from './test-app.js'
import { until } from './until.js'
import { sumMetric } from './upstream-socket.js'

export type CollectedName = keyof typeof SIMULATED_STREAMS
export type Outage = 'drop' | 'silent'

type Tick = { id: string; timestamp: number }
export type Gap = {
  upstream: string
  feed: string | null
  price_source: string | null
  from: string
  to: string
  reason: string
}

/** Waits until the check does not fail any more. */
export const eventually = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 })

/** A service that collects from these upstreams, once all of them are connected. */
export async function openPriceService(names: readonly CollectedName[], context: TestContext) {
  const { onTestFinished } = context
  const sim = await openSimulatedPrices(onTestFinished)
  const t = await createTestApp({ config: sim.config(names) })
  t.clock.set(sim.now())
  await insertPast(t.ctx.sql, sim)
  const jobs = new PriceJobs(t.ctx)
  const controller = new AbortController()
  const collecting = jobs.collect(controller.signal)
  onTestFinished(async () => {
    controller.abort()
    await collecting
    await t.close()
  })
  const { key } = await t.createCaller('enterprise')
  const service = new PriceService(sim, t, jobs, key)
  for (const name of names) await service.untilFollowed(name)
  return service
}

/** Its time passes with that of the universe. */
class PriceService {
  readonly #sim: SimulatedPrices
  readonly #t: TestApp
  readonly #jobs: PriceJobs
  readonly #key: string
  #sources: readonly PriceStatus[] = []

  constructor(sim: SimulatedPrices, t: TestApp, jobs: PriceJobs, key: string) {
    this.#sim = sim
    this.#t = t
    this.#jobs = jobs
    this.#key = key
    t.ctx.statusParts.push(priceStatus(() => this.#sources))
  }

  get nowSec(): number {
    return this.#sim.now() / 1_000
  }

  async untilFollowed(name: CollectedName): Promise<void> {
    await this.#untilConnected(name, 1)
    await until(() => this.#sim.isFollowed(name))
  }

  /** Lives on for this long, and until the newest second of these upstreams is in the archive. */
  async liveOn(seconds: number, ...names: readonly CollectedName[]): Promise<void> {
    this.#t.clock.advance(seconds * 1_000)
    this.#sim.liveOn(seconds)
    // The platform sends a second when it is over.
    for (const name of names) await this.#untilStored(name, this.nowSec - (name === 'rtds' ? 1 : 0))
  }

  async break(name: CollectedName, mode: Outage): Promise<void> {
    this.#sim.faults.set({ upstream: name, mode })
    if (mode === 'drop') await this.#untilConnected(name, 0)
  }

  async mend(name: CollectedName): Promise<void> {
    this.#sim.faults.set({ upstream: name, mode: 'off' })
    await this.untilFollowed(name)
  }

  /** What `/readyz` answers, and what it says of the prices. */
  async readiness(): Promise<[statusCode: number, status: string, prices: string]> {
    this.#sources = await this.#jobs.status()
    const reply = await this.#t.app.inject('/readyz')
    const { status, checks } = reply.json()
    return [reply.statusCode, status, checks.prices]
  }

  async gaps(): Promise<Gap[]> {
    return (await this.#get('/v1/coverage?hours=1')).ticks.gaps
  }

  async ids({ symbol, kind, source }: Stream, fromSec: number): Promise<string[]> {
    const range = `from=${fromSec * 1_000}&to=${this.#t.clock.now()}`
    const stream = `symbol=${symbol}&price_source=${kind}&source=${source}`
    const { ticks }: { ticks: Tick[] } = await this.#get(`/v1/crypto/ticks?${stream}&${range}`)
    return ticks.map(({ id }) => id)
  }

  async #get(url: string) {
    const reply = await this.#t.app.inject({ url, headers: { 'x-api-key': this.#key } })
    return reply.json()
  }

  #untilConnected(upstream: CollectedName, connected: 0 | 1): Promise<void> {
    const registry = this.#t.ctx.metrics
    return eventually(async () => {
      const sum = await sumMetric(registry, 'auspex_upstream_socket_connected', { upstream })
      if (sum !== connected) throw new Error(`${upstream} is not ${connected} times connected`)
    })
  }

  #untilStored(name: CollectedName, sec: number): Promise<void> {
    const streams = SIMULATED_STREAMS[name].map(streamId)
    return eventually(async () => {
      const rows = await this.#t.ctx.sql`
        select 1 from live_ticks where sec = ${sec} and stream = any(${streams}::smallint[])`
      if (rows.length < streams.length) throw new Error(`${name} has not sent ${sec} yet`)
    })
  }
}
