import { randomUUID } from 'node:crypto'
import type { Registry } from 'prom-client'
import type { ChainStatus } from '../../core/chain-status.js'
import { HTTP_DURATION_METRIC } from '../../http/observe.js'
import type { Platform } from '../../platform.js'
import type { UpstreamHealth } from '../../upstreams/transport/health.js'
import { readiness, STATUSES } from '../readiness.js'
import { deleteOldSamples, type StatusSample, upsertSample } from './queries.js'

const MINUTE_MS = 60_000
export const HISTORY_HOURS_MAX = 168
/** Minutes that wait for the database to come back; older ones are forgotten. */
const WAITING_MAX = 24 * 60

type SamplerDeps = { platform: Platform; chain: ChainStatus; health: UpstreamHealth }

/** What is counted since the start of the process. */
type Totals = { requests: number; serverErrors: number; faults: ReadonlyMap<string, number> }

/** A minute that is not over yet. */
type Draft = { atMs: number; status: number; headAgeSec: number | null; before: Totals }

/** Notes how the process does, and stores each minute when it is over: also those in which the database was lost. */
export class StatusSampler {
  readonly #deps: SamplerDeps
  readonly #process = randomUUID()
  #draft: Draft | undefined
  #waiting: StatusSample[] = []

  constructor(deps: SamplerDeps) {
    this.#deps = deps
  }

  /** To be called some times a minute. Throws when the database does not take what waits; nothing is lost then. */
  async look(): Promise<void> {
    const { platform, chain } = this.#deps
    const nowMs = platform.clock.now()
    const atMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
    if (this.#draft?.atMs !== atMs) await this.#beginMinute(atMs)
    const draft = this.#draft
    if (draft !== undefined) {
      const { timeSec } = chain.head
      draft.status = Math.max(draft.status, STATUSES.indexOf(readiness(platform).status))
      if (timeSec > 0) {
        draft.headAgeSec = Math.max(draft.headAgeSec ?? 0, Math.floor(nowMs / 1000) - timeSec)
      }
    }
    if (this.#waiting.length > 0 && platform.store.problem === undefined) await this.#write(nowMs)
  }

  /** Ends the minute and begins the next. */
  async #beginMinute(atMs: number): Promise<void> {
    const { platform, chain, health } = this.#deps
    const now: Totals = { ...(await countRequests(platform.metrics)), faults: health.countFaults() }
    const ended = this.#draft
    if (ended !== undefined) {
      const { before } = ended
      const faultsOf = (name: string) => (now.faults.get(name) ?? 0) - (before.faults.get(name) ?? 0)
      const failing = [...now.faults.keys()].filter((name) => faultsOf(name) > 0).sort()
      this.#waiting.push({
        atMs: ended.atMs,
        status: ended.status,
        headBlock: chain.head.block,
        headAgeSec: ended.headAgeSec,
        requests: now.requests - before.requests,
        serverErrors: now.serverErrors - before.serverErrors,
        upstreamFaults: failing.reduce((sum, name) => sum + faultsOf(name), 0),
        failing,
      })
      this.#waiting = this.#waiting.slice(-WAITING_MAX)
    }
    this.#draft = { atMs, status: 0, headAgeSec: null, before: now }
  }

  async #write(nowMs: number): Promise<void> {
    const { sql } = this.#deps.platform
    while (this.#waiting[0] !== undefined) {
      await upsertSample(sql, this.#process, this.#waiting[0])
      this.#waiting.shift()
    }
    await deleteOldSamples(sql, nowMs - HISTORY_HOURS_MAX * 60 * MINUTE_MS)
  }
}

/** An answer of `/readyz` that says "not ready" is no fault of the service. */
const PROBE_ROUTE = '/readyz'

async function countRequests(registry: Registry): Promise<Pick<Totals, 'requests' | 'serverErrors'>> {
  const metric = registry.getSingleMetric(HTTP_DURATION_METRIC)
  const { values = [] } = (await metric?.get()) ?? {}
  const counts = values.filter(
    (value) => 'metricName' in value && value.metricName === `${HTTP_DURATION_METRIC}_count`,
  )
  const sumOf = (rows: typeof counts) => rows.reduce((sum, { value }) => sum + value, 0)
  const failed = counts.filter(
    ({ labels }) => /^5/.test(String(labels.status)) && labels.route !== PROBE_ROUTE,
  )
  return { requests: sumOf(counts), serverErrors: sumOf(failed) }
}
