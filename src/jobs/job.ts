import type { Role } from '../config/roles.js'

/** Recurring work of a domain, as data. The runner decides when it runs and what happens after a failure. */
export type Job = {
  /** Names the job in the log, in `/v1/status` and in the metrics. */
  name: string
  /** The pause after a run; 0: the run itself waits until there is something to do. */
  everyMs: number
  /** Processes with one of these roles run it. */
  roles: readonly Role[]
  /** `one process`: of all processes with such a role, the one that holds the lease of the job. */
  runsIn: 'every process' | 'one process'
  /** Whether runs are left out while the database does not answer. */
  needsDatabase: boolean
  /** One run. It ends soon after the signal aborts; what it throws is a failure of the job. */
  run: (signal: AbortSignal) => Promise<void>
  /** Waited for before the first run. */
  startsAfter?: ((signal: AbortSignal) => Promise<void>) | undefined
}

/** What a domain reports about itself. It is read from memory, because load balancers request `/readyz` often. */
export type StatusPart = {
  /** Processes with one of these roles report it; absent: all. */
  roles?: readonly Role[]
  /** Fields of the answer of `/v1/status`. The named ones have the fields of all domains together. */
  fields?: (nowMs: number) => Record<string, unknown> & {
    state?: Record<string, number>
    metadata_observability?: Record<string, number>
  }
  /** A check of `/readyz`, or some; `undefined`: this part does not run. */
  check?: (nowMs: number) => HealthCheck | readonly HealthCheck[] | undefined
  /** What an operator should look at. */
  warnings?: () => readonly string[]
}

export type HealthCheck = {
  name: string
  /** `degraded`: the service answers, with something missing. */
  status: 'ready' | 'degraded' | 'not_ready'
  /** Whether requests should be sent to this process. */
  isReady: boolean
  /** A text for people; `undefined`: all is well. */
  problem: string | undefined
}
