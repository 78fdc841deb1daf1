import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { until } from '../../test/until.js'
import type { Role } from '../config/roles.js'
import { createLog } from '../lib/log.js'
import { JobLeases } from './job-leases.js'

const JOBS = ['a', 'b', 'c', 'd', 'e']

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** How many workers run each job now. */
const running = new Map<string, number>()
const startedTwice: string[] = []

/** A worker that runs until it is stopped or the test ends. */
function startWorker({ role = 'worker', jobs = JOBS }: { role?: Role; jobs?: readonly string[] } = {}) {
  const stopping = new AbortController()
  const log = createLog('silent', process.stderr)
  const leases = new JobLeases({ target: database.target, log, role, pollMs: 10 })
  const runJob = async (name: string, term: AbortSignal) => {
    const count = (running.get(name) ?? 0) + 1
    running.set(name, count)
    if (count > 1) startedTwice.push(name)
    await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }))
    running.set(name, (running.get(name) ?? 0) - 1)
  }
  const done = leases.run(jobs, runJob, stopping.signal)
  const stop = async () => {
    stopping.abort()
    await done
  }
  onTestFinished(stop)
  return { leases, stop }
}

const runsAll = () => JOBS.every((name) => running.get(name) === 1)

test('jobs are shared evenly between workers as they come and go, and none runs twice', async () => {
  const first = startWorker()
  await until(() => first.leases.held.length === 5 && runsAll())
  const second = startWorker()
  await until(() => second.leases.held.length === 2 && runsAll())
  expect(first.leases.held).toHaveLength(3)
  const third = startWorker()
  await until(() => third.leases.held.length >= 1 && runsAll())
  await second.stop()
  await until(() => first.leases.held.length + third.leases.held.length === 5 && runsAll())
  await first.stop()
  await until(() => third.leases.held.length === 5 && runsAll())
  await third.stop()
  expect(JOBS.map((name) => running.get(name))).toEqual([0, 0, 0, 0, 0])
  expect(startedTwice).toEqual([])
})

test('a process that shares the jobs of another role leaves a worker all of its own', async () => {
  const other = startWorker({ role: 'stream', jobs: ['of streams'] })
  await until(() => other.leases.held.length === 1)
  const worker = startWorker()
  await until(() => worker.leases.held.length === JOBS.length && runsAll())
  expect(other.leases.held).toEqual(['of streams'])
  await worker.stop()
  await other.stop()
})

test('a worker whose connection is ended stops its jobs, and gets them again', async () => {
  const worker = startWorker()
  await until(() => worker.leases.held.length === 5)
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'auspex worker' and datname = current_database()`
  await until(() => JOBS.every((name) => running.get(name) === 0))
  await until(() => worker.leases.held.length === 5 && runsAll())
  expect(startedTwice).toEqual([])
})
