import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { until } from '../../test/until.js'
import { UpstreamError } from '../core/upstream-error.js'
import { createLog } from '../lib/log.js'
import { TimeoutError } from '../lib/timeout.js'
import type { Job } from './job.js'
import { JobRunner } from './runner.js'

/** A runner whose pauses are recorded, and end at once. */
function open(store: { problem: string | undefined } = { problem: undefined }) {
  const lines: string[] = []
  const pauses: number[] = []
  const log = createLog('debug', { write: (line) => lines.push(line) })
  const registry = new Registry()
  const runner = new JobRunner({
    store,
    registry,
    clock: new ManualClock(5_000),
    log,
    sleep: async (ms) => {
      pauses.push(ms)
      await new Promise((resolve) => setImmediate(resolve))
    },
  })
  const logged = () =>
    lines.map((line) => {
      const { level, msg, failures } = JSON.parse(line)
      return [level, msg, failures]
    })
  return { runner, pauses, lines, logged, registry }
}

const job = (run: Job['run'], more: Partial<Job> = {}): Job => ({
  name: 'probe',
  everyMs: 30_000,
  roles: ['worker'],
  runsIn: 'every process',
  needsDatabase: true,
  run,
  ...more,
})

/** Runs the jobs until the condition holds. */
async function runUntil(runner: JobRunner, isDone: () => boolean): Promise<void> {
  const ending = new AbortController()
  const running = runner.runEverywhere(ending.signal)
  await until(isDone)
  ending.abort()
  await running
}

test('a job runs again after its period, in the processes that it names', async () => {
  const { runner, pauses } = open()
  let runs = 0
  let others = 0
  runner.add([
    job(async () => void runs++),
    job(async () => void others++, { name: 'other', runsIn: 'one process' }),
  ])
  await runUntil(runner, () => runs >= 3)
  expect(others).toBe(0)
  expect(new Set(pauses)).toEqual(new Set([30_000]))
  expect(runner.records[0]).toMatchObject({ lastStartMs: 5_000, failures: 0, isRunning: false })
  expect(runner.records[1]).toMatchObject({ lastStartMs: undefined, runs: 0 })
})

test('an expected fault is one line without a stack, any other has one', async () => {
  const { runner, lines } = open()
  const faults = [
    new UpstreamError('answered 502', { upstream: 'gamma', retryable: true }),
    new TimeoutError('no answer within 5000 ms'),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    new TypeError('x is not a function'),
  ]
  const left = [...faults]
  const run = async () => {
    const fault = left.shift()
    if (fault !== undefined) throw fault
  }
  runner.add([job(run)])
  await runUntil(runner, () => runner.records[0]?.failuresInRow === 0 && left.length === 0)
  const failed = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job failed')
  expect(failed.map(({ reason, err }) => [reason, err?.stack !== undefined])).toEqual([
    ['gamma: answered 502', false],
    ['no answer within 5000 ms', false],
    ['terminating connection', false],
    [undefined, true],
  ])
})

test('the first failure is a warning, the same one again is not, and the recovery is one line', async () => {
  const { runner, logged, registry } = open()
  const outcomes = ['a 1', 'a 2', 'b', 'a 3', undefined, undefined, 'b']
  let runs = 0
  runner.add([
    job(async () => {
      const message = outcomes[runs++]
      if (message !== undefined) throw new Error(message)
    }),
  ])
  await runUntil(runner, () => runs >= outcomes.length)
  expect(logged().slice(0, 6)).toEqual([
    ['warn', 'job failed', 1],
    ['debug', 'job failed', 2],
    ['warn', 'job failed', 3],
    ['debug', 'job failed', 4],
    ['info', 'job works again', 4],
    ['warn', 'job failed', 1],
  ])
  expect(runner.records[0]).toMatchObject({ failures: 5, lastError: 'b' })
  expect(await registry.metrics()).toContain('auspex_job_runs_total{job="probe",result="failed"} 5')
})

test.each([
  ['up to its period', 4_000, [1_000, 2_000, 4_000, 4_000]],
  ['at its period when that is short', 250, [250, 250, 250]],
  ['up to a minute', 3_600_000, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]],
  ['up to a minute when it has no period', 0, [1_000, 2_000, 4_000]],
])('what failed is tried again sooner: %s', async (_what, everyMs, expected) => {
  const { runner, pauses } = open()
  runner.add([job(() => Promise.reject(new Error('no')), { everyMs })])
  await runUntil(runner, () => pauses.length >= expected.length)
  for (const [index, ms] of expected.entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(ms)
    expect(pauses[index]).toBeLessThanOrEqual(ms * 1.25)
  }
})

test('a job that needs the database waits for it, and that is no failure', async () => {
  const store: { problem: string | undefined } = { problem: 'lost' }
  const { runner, pauses, logged } = open(store)
  const runs = { needing: 0, other: 0 }
  runner.add([
    job(async () => void runs.needing++, { everyMs: 3_600_000 }),
    job(async () => void runs.other++, { name: 'other', needsDatabase: false }),
  ])
  const ending = new AbortController()
  const running = runner.runEverywhere(ending.signal)
  await until(() => runs.other > 2)
  expect(runs.needing).toBe(0)
  expect(pauses).toContain(1_000)
  store.problem = undefined
  await until(() => runs.needing > 0)
  ending.abort()
  await running
  expect(logged()).toEqual([])
})

test('what a run throws because it was aborted is no failure', async () => {
  const { runner, logged } = open()
  const ending = new AbortController()
  let hasStarted = false
  runner.add([
    job((signal) => {
      hasStarted = true
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    }),
  ])
  const running = runner.runEverywhere(ending.signal)
  await until(() => hasStarted)
  expect(runner.records[0]?.isRunning).toBe(true)
  ending.abort()
  await running
  expect(logged()).toEqual([])
  expect(runner.records[0]).toMatchObject({ isRunning: false, failures: 0 })
})
