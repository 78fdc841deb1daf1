import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Gauge } from 'prom-client'
import { ROLES } from '../../config/roles.js'
import type { ChainStatus } from '../../core/chain-status.js'
import type { HealthCheck } from '../../jobs/job.js'
import { pause } from '../../lib/timing.js'
import { VERSION } from '../../lib/version.js'
import type { Platform } from '../../platform.js'
import { readiness } from '../readiness.js'
import {
  deleteDeadProcesses,
  deleteProcess,
  type LiveProcess,
  type ProcessReport,
  selectLiveProcesses,
  upsertProcess,
} from './queries.js'

const BEAT_MS = 2_000

/** The processes of the service on one database: this one says that it lives, and learns what the others do. */
export class ProcessRegistry {
  readonly #platform: Platform
  readonly #chain: ChainStatus
  readonly #id = randomUUID()
  readonly #startedMs: number
  #live: readonly LiveProcess[] = []

  constructor(platform: Platform, chain: ChainStatus) {
    this.#platform = platform
    this.#chain = chain
    this.#startedMs = platform.clock.now()
    const live = () => this.#live
    new Gauge({
      name: 'auspex_processes',
      help: 'Processes of the service that live, by role; one with several roles counts for each',
      labelNames: ['role'] as const,
      registers: [platform.metrics],
      collect() {
        for (const role of ROLES)
          this.set({ role }, live().filter(({ roles }) => roles.includes(role)).length)
      },
    })
    new Gauge({
      name: 'auspex_process_role',
      help: '1 for each role of this process',
      labelNames: ['role'] as const,
      registers: [platform.metrics],
      collect() {
        for (const role of ROLES) this.set({ role }, platform.config.roles.includes(role) ? 1 : 0)
      },
    })
  }

  /** All that live, this one included, the oldest first; empty before the first look. */
  get live(): readonly LiveProcess[] {
    return this.#live
  }

  /** Says that this process lives until the signal aborts, and then that it has gone. */
  async run(signal: AbortSignal): Promise<void> {
    await deleteDeadProcesses(this.#platform.store.control)
    while (!signal.aborted) {
      await this.beat()
      await pause(BEAT_MS, signal)
    }
    await deleteProcess(this.#platform.store.control, this.#id)
  }

  async beat(): Promise<void> {
    const { control } = this.#platform.store
    await upsertProcess(control, this.#report())
    this.#live = await selectLiveProcesses(control)
    this.#noteWhoBooks()
  }

  /** Roles without a live process. `undefined`: this process has all roles, or has not read the registry yet. */
  check(): HealthCheck | undefined {
    const { roles } = this.#platform.config
    if (roles.length === ROLES.length || this.#live.length === 0) return undefined
    const missing = ROLES.filter((role) => !this.#live.some((process) => process.roles.includes(role)))
    const problem =
      missing.length === 0 ? undefined : `no process has the role ${missing.join(', and none the role ')}`
    return { name: 'roles', status: problem === undefined ? 'ready' : 'degraded', isReady: true, problem }
  }

  get #others(): LiveProcess[] {
    return this.#live.filter(({ id }) => id !== this.#id)
  }

  #report(): ProcessReport {
    const { config, statusParts, jobs } = this.#platform
    return {
      id: this.#id,
      roles: config.roles,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      startedMs: this.#startedMs,
      chainPhase: this.#chain.follower?.phase ?? 'off',
      status: readiness(this.#platform).status,
      jobs: jobs.leased,
      warnings: statusParts.flatMap((part) => part.warnings?.() ?? []),
    }
  }

  #noteWhoBooks(): void {
    const isLive = this.#others.some(({ chainPhase }) => chainPhase === 'live')
    // Without a node a process with the role never does.
    const isBooked = this.#others.some(({ chainPhase }) => chainPhase !== 'off')
    const neverBooks = !this.#platform.config.roles.includes('ingest')
    if (isLive) this.#chain.elsewhere = 'live'
    else this.#chain.elsewhere = isBooked || neverBooks ? 'behind' : undefined
  }
}
