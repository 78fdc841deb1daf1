import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createServiceClock } from './service-clock.js'

const HOUR_MS = 3_600_000
/** The moments at which test and process look at the clock are this far apart at most, in the time of the clock. */
const APART_MS = 60_000

/** Runs a script that prints a line of JSON for each line that it gets. */
async function startScript(script: string, env: { readonly [name: string]: string }) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...env, PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ask = async () => {
    child.stdin.write('\n')
    return JSON.parse((await lines.next()).value ?? 'null')
  }
  return { ask }
}

const PRINT_NOW = `process.stdin.on('data', () => console.log(Date.now()))`
/** In a thread and in a process, both started as they are by default. */
const PRINT_OTHERS = `
  import { execFileSync } from 'node:child_process'
  import { Worker } from 'node:worker_threads'
  const answer = "import { parentPort } from 'node:worker_threads'\\n" +
    "parentPort.on('message', () => parentPort.postMessage(Date.now()))"
  const thread = new Worker(answer, { eval: true })
  process.stdin.on('data', async () => {
    const child = Number(execFileSync(process.execPath, ['-p', 'Date.now()']))
    thread.once('message', (inThread) => console.log(JSON.stringify({ inThread, child })))
    thread.postMessage('')
  })`
const PRINT_KINDS = `
  import { statSync } from 'node:fs'
  process.stdin.on('data', () => console.log(JSON.stringify({
    isDate: new Date() instanceof Date && statSync('.').mtime instanceof Date,
    constructor: new Date(5).constructor === Date,
    parts: new Date(2030, 1, 3).getFullYear(),
    text: new Date('2030-02-03').toISOString(),
    now: Math.abs(new Date() - Date.now()),
    called: Math.abs(new Date(Date()) - Date.now()),
    utc: Date.UTC(1970, 0, 2),
  })))`

function createClock(speed: number) {
  const clock = createServiceClock({ originMs: Date.UTC(2031, 4, 6), startedMs: Date.now(), speed })
  onTestFinished(() => clock.remove())
  return clock
}

/** How far apart the clock and a reading of it are, in milliseconds. */
const distance = (clock: { now(): number }, readMs: number) => Math.abs(clock.now() - readMs)

test('a process sees the time of its clock, at its speed', async () => {
  const clock = createClock(10)
  const { ask } = await startScript(PRINT_NOW, clock.env)
  const [firstRealMs, firstMs] = [Date.now(), await ask()]
  expect(distance(clock, firstMs)).toBeLessThan(APART_MS)
  await new Promise((next) => setTimeout(next, 300))
  const [lastRealMs, lastMs] = [Date.now(), await ask()]
  // The process answers after it was asked: at most all the time of the first answer is missing.
  expect(lastMs - firstMs).toBeGreaterThan(2_500)
  expect(lastMs - firstMs).toBeLessThan((lastRealMs - firstRealMs) * 10 + APART_MS)
})

test.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('a running process follows a jump of an hour %s', async (_direction, jumpMs) => {
  const clock = createClock(1)
  const { ask } = await startScript(PRINT_NOW, clock.env)
  const beforeMs = await ask()
  clock.jump(jumpMs)
  expect(Math.abs(clock.now() - jumpMs - beforeMs)).toBeLessThan(APART_MS)
  await expect.poll(async () => distance(clock, await ask())).toBeLessThan(APART_MS)
})

test('its threads and the processes that it starts see the same time', async () => {
  const clock = createClock(1)
  const { ask } = await startScript(PRINT_OTHERS, clock.env)
  clock.jump(HOUR_MS)
  await expect
    .poll(async () => {
      const { inThread, child } = await ask()
      return Math.max(distance(clock, inThread), distance(clock, child))
    })
    .toBeLessThan(APART_MS)
})

test('dates are what they were otherwise', async () => {
  const { ask } = await startScript(PRINT_KINDS, createClock(10).env)
  const kinds = await ask()
  expect(kinds).toEqual({
    isDate: true,
    constructor: true,
    parts: 2030,
    text: '2030-02-03T00:00:00.000Z',
    now: expect.any(Number),
    called: expect.any(Number),
    utc: 86_400_000,
  })
  expect(kinds.now).toBeLessThan(APART_MS)
  expect(kinds.called).toBeLessThan(APART_MS)
})
