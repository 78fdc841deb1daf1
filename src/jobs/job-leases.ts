import type { Role } from '../config/roles.js'
import { messageOf } from '../core/errors.js'
import { withLinked } from '../lib/abort.js'
import { FloodLog } from '../lib/flood-log.js'
import type { Log } from '../lib/log.js'
import { withTimeout } from '../lib/timeout.js'
import { pause } from '../lib/timing.js'
import { createPool, type Pool, type Target } from '../store/connection.js'
import { JOB_LOCKS, keepSessionAlive } from '../store/locks.js'

type JobLeaseOptions = {
  target: Target
  /** Processes with this role share the jobs. */
  role: Role
  log: Log
  pollMs?: number | undefined
}

const POLL_MS = 1_000
/** All leases are given up when the database does not answer for this long. */
const ANSWER_MS_MAX = 10_000
/** By this name the database knows the processes that share jobs, and each counts the others. */
const sessionNameOf = (role: Role): string => `auspex ${role}`

/** What is run while a lease is held. It ends soon after the signal aborts, and never rejects. */
export type RunJob = (name: string, term: AbortSignal) => Promise<void>

type Term = { name: string; ending: AbortController; done: Promise<void> }

/**
 * Shares the jobs of a role between the processes on a database that have it: each job runs in one of them, and each
 * process has its share of the jobs, give or take one. A lease is an advisory lock of one connection, which the server releases with the connection,
 * however the process ends; the others find it free a second later.
 */
export class JobLeases {
  readonly #options: JobLeaseOptions
  readonly #floodLog: FloodLog
  readonly #terms: Term[] = []

  constructor(options: JobLeaseOptions) {
    this.#options = options
    this.#floodLog = new FloodLog(options.log)
  }

  /** The jobs that this process has leased, the oldest lease first. */
  get held(): string[] {
    return this.#terms.map(({ name }) => name)
  }

  /** Runs each of the jobs while this process has its lease, until the signal aborts. Never rejects. */
  async run(jobs: readonly string[], runJob: RunJob, signal: AbortSignal): Promise<void> {
    const { pollMs = POLL_MS } = this.#options
    while (!signal.aborted && jobs.length > 0) {
      try {
        await this.#runSession(jobs, runJob, signal)
      } catch (error) {
        const reason = messageOf(error)
        if (!signal.aborted)
          this.#floodLog.write('warn', 'the leases of jobs are lost', () => ({ reason }), reason)
      }
      await pause(pollMs, signal)
    }
  }

  /** Holds one connection to the database, and runs the jobs whose leases it gets on it. */
  #runSession(jobs: readonly string[], runJob: RunJob, signal: AbortSignal): Promise<void> {
    const { target, pollMs = POLL_MS } = this.#options
    return withLinked([signal], async (session) => {
      const pool = createPool(target, 1, {
        onClose: () => session.abort(new Error('the connection was closed')),
      })
      try {
        await answerOf(
          pool`select set_config('application_name', ${sessionNameOf(this.#options.role)}, false), ${keepSessionAlive(pool)}`,
        )
        while (!session.signal.aborted) {
          await this.#share(pool, jobs, (name) => this.#begin(name, runJob, session.signal))
          await pause(pollMs, session.signal)
        }
        if (!signal.aborted) throw session.signal.reason
      } finally {
        session.abort()
        await Promise.all(this.#terms.map(({ done }) => done))
        this.#terms.length = 0
        await pool.end({ timeout: 0 })
      }
    })
  }

  /** Gives back what is above the share of this process, or takes free jobs up to it. */
  async #share(pool: Pool, jobs: readonly string[], begin: (name: string) => void): Promise<void> {
    const share = Math.ceil(jobs.length / (await countSharers(pool, this.#options.role)))
    for (const term of this.#terms.slice(share)) {
      term.ending.abort()
      await term.done
      await answerOf(pool`select pg_advisory_unlock(${JOB_LOCKS}::int, hashtext(${term.name}))`)
    }
    this.#terms.splice(share)
    for (const name of jobs) {
      if (this.#terms.length >= share) return
      if (!this.held.includes(name) && (await tryLock(pool, name))) begin(name)
    }
  }

  #begin(name: string, runJob: RunJob, session: AbortSignal): void {
    const ending = new AbortController()
    const done = runJob(name, AbortSignal.any([session, ending.signal]))
    this.#terms.push({ name, ending, done })
  }
}

const answerOf = <Rows>(query: PromiseLike<Rows>): Promise<Rows> =>
  withTimeout(Promise.resolve(query), ANSWER_MS_MAX, 'the database does not answer')

async function tryLock(pool: Pool, name: string): Promise<boolean> {
  const [row] = await answerOf(
    pool<{ isHeld: boolean }[]>`select pg_try_advisory_lock(${JOB_LOCKS}::int, hashtext(${name})) as is_held`,
  )
  return row?.isHeld === true
}

/** This process included. */
async function countSharers(pool: Pool, role: Role): Promise<number> {
  const [row] = await answerOf(
    pool<{ count: number }[]>`
      select count(*)::int from pg_stat_activity
       where application_name = ${sessionNameOf(role)} and datname = current_database()`,
  )
  return Math.max(1, row?.count ?? 1)
}
