import { Counter, Gauge, type Registry } from 'prom-client'
import type { Role } from '../config/roles.js'
import type { Clock } from '../core/clock.js'
import { messageOf } from '../core/errors.js'
import { faultFields } from '../lib/fault-fields.js'
import { groupBy } from '../lib/group-by.js'
import type { Log } from '../lib/log.js'
import { backoffMs, pause, type Timing } from '../lib/timing.js'
import type { Job } from './job.js'
import type { JobLeases } from './job-leases.js'

/** How the runs of a job went, in this process. */
export type JobRecord = {
  readonly job: Job
  isRunning: boolean
  /** `undefined`: it did not run yet. */
  lastStartMs: number | undefined
  /** Duration of the last run that ended. */
  lastDurationMs: number | undefined
  runs: number
  failures: number
  /** Failures since the last successful run. */
  failuresInRow: number
  /** Message of the last failure, also when later runs succeeded. */
  lastError: string | undefined
  /** The kinds of failure that were logged as warnings since the last run without a failure. */
  readonly warned: Set<string>
}

type RunnerOptions = {
  store: { readonly problem: string | undefined }
  registry: Registry
  clock: Clock
  log: Log
  sleep?: Timing['sleep']
}

/** After a failure: 1 s, 2 s, 4 s, and so on up to the period of the job, or to a minute if that is shorter. */
const RETRY_MS = { base: 1_000, max: 60_000 }
/** How often a job without a database looks for it. */
const DATABASE_POLL_MS_MAX = 1_000

/**
 * Runs the jobs of all domains: never one job twice at once, again after its period, and again sooner
 * after a failure. The first failure is a warning in the log, the same failure again is not, and the
 * recovery is one line.
 */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #records: JobRecord[] = []
  readonly #metrics: JobMetrics
  readonly #sleep: Timing['sleep']
  #leases: readonly JobLeases[] = []

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#metrics = createJobMetrics(options.registry)
    this.#sleep = options.sleep ?? pause
  }

  /** The jobs that this process, and no other, runs now. */
  get leased(): readonly string[] {
    return this.#leases.flatMap(({ held }) => held)
  }

  /** In the order in which the jobs were added. */
  get records(): readonly JobRecord[] {
    return this.#records
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#records.push({
        job,
        isRunning: false,
        lastStartMs: undefined,
        lastDurationMs: undefined,
        runs: 0,
        failures: 0,
        failuresInRow: 0,
        lastError: undefined,
        warned: new Set(),
      })
    }
  }

  /** Runs the jobs of every process until the signal aborts. Never rejects. */
  async runEverywhere(signal: AbortSignal): Promise<void> {
    const records = this.#records.filter(({ job }) => job.runsIn === 'every process')
    await Promise.all(records.map((record) => this.#repeat(record, signal)))
  }

  /** Runs the jobs of which one process runs each, those that it has leased, until the signal aborts. Never rejects. */
  async runShared(createLeases: (role: Role) => JobLeases, signal: AbortSignal): Promise<void> {
    const shared = this.#records.filter(({ job }) => job.runsIn === 'one process')
    const byName = new Map(shared.map((record) => [record.job.name, record]))
    const runJob = async (name: string, term: AbortSignal) => {
      const record = byName.get(name)
      if (record !== undefined) await this.#repeat(record, term)
    }
    // A process that has another role is none of those that share.
    const ofRoles = [...groupBy(shared, ({ job }) => job.roles[0])].flatMap(([role, records]) =>
      role === undefined ? [] : [{ leases: createLeases(role), names: records.map(({ job }) => job.name) }],
    )
    this.#leases = ofRoles.map(({ leases }) => leases)
    await Promise.all(ofRoles.map(({ leases, names }) => leases.run(names, runJob, signal)))
  }

  async #repeat(record: JobRecord, signal: AbortSignal): Promise<void> {
    const { job } = record
    await job.startsAfter?.(signal)
    while (!signal.aborted) {
      const isSkipped = job.needsDatabase && this.#options.store.problem !== undefined
      if (!isSkipped) await this.#runOnce(record, signal)
      const pauseMs = isSkipped ? pollMs(job) : pauseAfter(record)
      if (pauseMs > 0) await this.#sleep(pauseMs, signal).catch(() => undefined)
    }
  }

  async #runOnce(record: JobRecord, signal: AbortSignal): Promise<void> {
    const { job } = record
    const { clock } = this.#options
    const startedAt = performance.now()
    record.isRunning = true
    record.lastStartMs = clock.now()
    this.#metrics.lastStart.set({ job: job.name }, clock.now() / 1000)
    try {
      await job.run(signal)
      this.#succeed(record)
    } catch (error) {
      if (!signal.aborted) this.#fail(record, error)
    }
    record.isRunning = false
    record.lastDurationMs = performance.now() - startedAt
    this.#metrics.lastDuration.set({ job: job.name }, record.lastDurationMs / 1000)
  }

  #succeed(record: JobRecord): void {
    const { job, failuresInRow: failures } = record
    record.runs++
    record.failuresInRow = 0
    record.warned.clear()
    this.#metrics.runs.inc({ job: job.name, result: 'ok' })
    if (failures > 0) this.#options.log.info({ job: job.name, failures }, 'job works again')
  }

  #fail(record: JobRecord, error: unknown): void {
    const { job, warned } = record
    const message = messageOf(error)
    const kind = kindOf(message)
    const level = warned.has(kind) ? 'debug' : 'warn'
    warned.add(kind)
    record.runs++
    record.failures++
    record.failuresInRow++
    record.lastError = message
    this.#metrics.runs.inc({ job: job.name, result: 'failed' })
    const fields = { job: job.name, failures: record.failuresInRow, ...faultFields(error) }
    this.#options.log[level](fields, 'job failed')
  }
}

/** Messages that differ in numbers alone (times, blocks, attempts) are one kind of failure. */
const kindOf = (message: string): string => message.replace(/\d+/g, '#')

const pollMs = ({ everyMs }: Job): number =>
  everyMs === 0 ? DATABASE_POLL_MS_MAX : Math.min(everyMs, DATABASE_POLL_MS_MAX)

function pauseAfter({ job, failuresInRow }: JobRecord): number {
  if (failuresInRow === 0) return job.everyMs
  const periodMs = job.everyMs === 0 ? RETRY_MS.max : job.everyMs
  const [baseMs, maxMs] = [Math.min(RETRY_MS.base, periodMs), Math.min(RETRY_MS.max, periodMs)]
  return backoffMs({ baseMs, maxMs }, failuresInRow)
}

type JobMetrics = ReturnType<typeof createJobMetrics>

function createJobMetrics(registry: Registry) {
  const registers = [registry]
  const labelNames = ['job'] as const
  return {
    runs: new Counter({
      name: 'auspex_job_runs_total',
      help: 'Runs of a job that ended, by result: ok, failed',
      labelNames: ['job', 'result'] as const,
      registers,
    }),
    lastStart: new Gauge({
      name: 'auspex_job_last_start_timestamp_seconds',
      help: 'When the last run of a job began',
      labelNames,
      registers,
    }),
    lastDuration: new Gauge({
      name: 'auspex_job_last_duration_seconds',
      help: 'How long the last run of a job took',
      labelNames,
      registers,
    }),
  }
}
